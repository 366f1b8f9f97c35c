internal import BluejayDBus

/// Converts a recording to events.
struct TraceWriter {
    private(set) var events: [String] = []
    private let options: TraceNormalizer
    private let clients: Set<String>?
    private let replies: MessageReplies
    private var names: ObjectNames
    private var owner = ""
    private var pendingCalls: [CallKey: PendingCall] = [:]
    // The characteristics whose repeated notifications are written already.
    private var runs: Set<String> = []

    init(_ options: TraceNormalizer, _ messages: [RecordedMessage]) {
        self.options = options
        clients = options.clientNames(messages)
        replies = MessageReplies(messages)
        names = ObjectNames(adapter: options.adapter)
        numberDevices(messages)
    }

    mutating func write(_ message: RecordedMessage) {
        if let newOwner = message.newOwnerOfBlueZ { return writeOwner(newOwner, message) }
        switch message.kind {
        case .call: writeCall(message)
        case .reply, .error: writeReply(message)
        case .signal:
            if isBlueZ(message.sender) { writeSignal(message) }
        }
    }

    // Number devices first: each device then has one name from the first event on, and a device that is only
    // listed, left from an earlier recording, does not change the numbers of this one.
    private mutating func numberDevices(_ messages: [RecordedMessage]) {
        var listed: [String] = []
        for message in messages {
            if message.kind == .reply {
                listed += ManagedObjects.paths(message.arguments)
            } else {
                names.meet(message.path)
                for path in message.arguments.compactMap(\.path) { names.meet(path.text) }
            }
        }
        for path in listed.sorted() { names.meet(path) }
    }

    private func isBlueZ(_ name: String) -> Bool {
        !name.isEmpty && (name == owner || name == Bus.bluez)
    }

    private mutating func writeOwner(_ newOwner: String, _ message: RecordedMessage) {
        let before = owner
        owner = newOwner
        guard message.serial != 0 else { return }
        if !before.isEmpty { events.append("signal org.bluez gone") }
        if !newOwner.isEmpty { events.append("signal org.bluez appeared") }
        names.forgetAttributes()
        runs = []
    }

    // MARK: Calls

    private struct PendingCall {
        let message: RecordedMessage
        let label: String
        let isOfClient: Bool
    }

    private mutating func writeCall(_ message: RecordedMessage) {
        let isOfClient = isBlueZ(message.destination)
        guard isOfClient || isBlueZ(message.sender), isOfInterest(message, isOfClient) else {
            return
        }
        let member = CallText.member(message)
        let object = message.path == "/" ? "" : " " + names.name(of: message.path)
        let label = member + object
        pendingCalls[CallKey(message.sender, message.serial)] = PendingCall(
            message: message,
            label: label,
            isOfClient: isOfClient
        )
        let text = ValueText(names: names)
        let arguments = CallText.arguments(message, text)
        emit(
            (isOfClient ? "call " : "bluez calls ") + label + CallText.tail(arguments),
            about: message.path
        )
    }

    private func isOfInterest(_ message: RecordedMessage, _ isOfClient: Bool) -> Bool {
        let silent = ["Peer", "Introspectable"].map { Bus.name + "." + $0 }
        guard !silent.contains(message.interface) else { return false }
        guard isOfClient else {
            let path = message.arguments.first?.path?.text ?? ""
            return isClient(message.destination) && !names.isOfOtherAdapter(path)
        }
        return isClient(message.sender) && names.concerns(message.path)
    }

    private func isClient(_ name: String) -> Bool {
        name != Bus.name && clients?.contains(name) ?? true
    }

    private mutating func writeReply(_ message: RecordedMessage) {
        let key = CallKey(message.destination, message.replySerial)
        guard let call = pendingCalls.removeValue(forKey: key) else { return }
        let verb = message.kind == .reply ? "reply " : "error "
        let words = (call.isOfClient ? "" : "client's ") + verb + call.label
        if message.kind == .error {
            let text = message.arguments.first?.text ?? ""
            emit(
                "\(words): \(message.errorName) \(ValueText.quoted(text))",
                about: call.message.path
            )
            return
        }
        if call.isOfClient, call.message.member == "GetManagedObjects" { learn(message) }
        let result = CallText.result(
            message,
            of: call.message,
            ValueText(names: names),
            listsObjects: options.listsObjects
        )
        emit("\(words): \(result)", about: call.message.path)
    }

    private mutating func learn(_ reply: RecordedMessage) {
        let objects = reply.arguments.first?.entries ?? []
        let pairs = objects.map { ($0.key.path?.text ?? "", $0.value) }
        for (path, interfaces) in pairs.sorted(by: { $0.0 < $1.0 }) {
            if let uuid = ManagedObjects.uuid(interfaces) { names.learn(path, uuid: uuid) }
        }
    }

    // MARK: Signals

    private mutating func writeSignal(_ message: RecordedMessage) {
        switch message.member {
        case "InterfacesAdded": writeAdded(message)
        case "InterfacesRemoved": writeRemoved(message)
        case "PropertiesChanged": writeChanged(message)
        default:
            guard names.concerns(message.path) else { return }
            let text = ValueText(names: names)
            let values = message.arguments.map { text.text($0) }.joined(separator: ", ")
            let object = names.name(of: message.path)
            emit("signal \(object) \(CallText.member(message))(\(values))", about: message.path)
        }
    }

    private mutating func writeAdded(_ message: RecordedMessage) {
        guard let path = message.arguments.first?.path?.text, message.arguments.count == 2,
            names.concerns(path)
        else { return }
        let interfaces = message.arguments[1]
        if let uuid = ManagedObjects.uuid(interfaces) { names.learn(path, uuid: uuid) }
        let text = ValueText(names: names).interfaces(interfaces)
        emit("signal added \(names.name(of: path)) \(text)", about: path)
    }

    private mutating func writeRemoved(_ message: RecordedMessage) {
        guard let path = message.arguments.first?.path?.text, message.arguments.count == 2,
            names.concerns(path)
        else { return }
        let interfaces = message.arguments[1].texts ?? []
        let text = interfaces.map { ValueText.short($0) }.sorted().joined(separator: " ")
        emit("signal removed \(names.name(of: path)) \(text)", about: path)
        if interfaces.contains(where: { $0.hasPrefix("org.bluez.Gatt") }) { names.forget(path) }
    }

    private mutating func writeChanged(_ message: RecordedMessage) {
        guard names.concerns(message.path), message.arguments.count == 3,
            let interface = message.arguments[0].text,
            let changes = message.arguments[1].namedValues
        else { return }
        let invalidated = message.arguments[2].texts ?? []
        // RSSI and the frequency of its changes depend on the radio.
        if Set(changes.keys) == ["RSSI"], invalidated.isEmpty { return }
        if let value = changes["Value"], changes.count == 1, invalidated.isEmpty,
            !isEcho(value, message.path)
        {
            return writeNotification(message.path)
        }
        var words = ["signal", names.name(of: message.path)]
        if let prefix = CallText.interfacePrefix(interface, message.path) { words.append(prefix) }
        words += ValueText(names: names).properties(message.arguments[1], of: interface)
        if !invalidated.isEmpty { words.append("invalidated") }
        words += invalidated.sorted()
        emit(words.joined(separator: " "), about: message.path)
    }

    // The number and content of notifications depend on the peripheral: a run of them is one event.
    private mutating func writeNotification(_ path: String) {
        guard runs.insert(path).inserted else { return }
        events.append(EventKind.notifications + names.name(of: path))
    }

    // BlueZ signals each value of a read before the reply.
    private func isEcho(_ value: BusValue, _ path: String) -> Bool {
        pendingCalls.contains { key, call in
            guard call.isOfClient, call.message.member == "ReadValue", call.message.path == path
            else { return false }
            guard let reply = replies.byCall[key] else { return true }
            return reply.kind == .reply && reply.arguments.first?.bytes == value.bytes
        }
    }

    private mutating func emit(_ event: String, about path: String) {
        events.append(event)
        // An event of the characteristic or its device ends a run of notifications.
        runs = runs.filter { $0 != path && !(path.contains("/dev_") && $0.hasPrefix(path + "/")) }
    }
}

/// The identity of a call on the bus: caller and serial.
struct CallKey: Hashable {
    let caller: String
    let serial: UInt32

    init(_ caller: String, _ serial: UInt32) {
        self.caller = caller
        self.serial = serial
    }
}

/// The replies and errors of a recording, by call.
struct MessageReplies {
    private(set) var byCall: [CallKey: RecordedMessage] = [:]

    init(_ messages: [RecordedMessage]) {
        for message in messages where message.replySerial != 0 {
            byCall[CallKey(message.destination, message.replySerial)] = message
        }
    }
}

/// The content of `GetManagedObjects` and `InterfacesAdded`.
enum ManagedObjects {
    /// Returns the paths in a reply, if its arguments are those of GetManagedObjects.
    static func paths(_ arguments: [BusValue]) -> [String] {
        guard arguments.count == 1, arguments[0].signature == "a{oa{sa{sv}}}" else { return [] }
        return (arguments[0].entries ?? []).compactMap { $0.key.path?.text }
    }

    /// Returns the UUID of a service, a characteristic or a descriptor; `nil` for other objects.
    static func uuid(_ interfaces: BusValue) -> String? {
        for entry in interfaces.entries ?? [] {
            guard entry.key.text?.hasPrefix("org.bluez.Gatt") == true else { continue }
            if let uuid = entry.value.namedValues?["UUID"]?.text { return uuid }
        }
        return nil
    }
}
