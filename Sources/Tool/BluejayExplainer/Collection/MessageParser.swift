internal import BluejayBlueZ
internal import BluejayDBus

/// Converts the messages of bus connections to facts, and omits values and repeated advertisements.
struct MessageParser {
    /// The properties whose changes explain a delay or name an object.
    private static let properties: Set = [
        "Adapter1.Discovering", "Adapter1.Powered", "Device1.Address", "Device1.Alias",
        "Device1.Connected", "Device1.Name", "Device1.Paired", "Device1.ServicesResolved",
        "GattCharacteristic1.UUID", "GattDescriptor1.UUID", "GattService1.UUID",
    ]

    /// Properties that change with each advertisement.
    private static let advertisementProperties: Set = [
        "Device1.ManufacturerData", "Device1.RSSI", "Device1.ServiceData",
    ]

    /// The pending calls for the list of objects.
    private var objectRequests: Set<UInt32> = []
    private var advertisedPaths: Set<String> = []

    mutating func facts(of message: BusMessage, isSent: Bool) -> [TraceEvent.Fact] {
        switch message.kind {
        case .methodCall: call(message, isSent)
        case .methodReturn, .error: reply(message, isSent)
        case .signal: isSent ? [] : signal(message)
        }
    }

    private mutating func call(_ message: BusMessage, _ isSent: Bool) -> [TraceEvent.Fact] {
        guard message.expectsReply else { return [] }
        let caller = isSent ? nil : message.sender
        let call = Self.call(message, BusCall.ID(caller: caller, serial: message.serial), !isSent)
        if call.name == "ObjectManager.GetManagedObjects", isSent {
            objectRequests.insert(message.serial)
        }
        return [.called(call)]
    }

    /// Returns a call with the object that it concerns.
    static func call(_ message: BusMessage, _ id: BusCall.ID, _ isReceived: Bool) -> BusCall {
        let name = name(message)
        // Calls about a device that an adapter or an agent receives have its path as their argument.
        let namesDevice = isReceived || name == "Adapter1.RemoveDevice"
        let argument = namesDevice ? (try? message.arguments())?.first?.path : nil
        let path = argument ?? message.path
        return BusCall(id, name, path: path?.text ?? "", isReceived: isReceived)
    }

    private mutating func reply(_ message: BusMessage, _ isSent: Bool) -> [TraceEvent.Fact] {
        let caller = isSent ? message.destination : nil
        let id = BusCall.ID(caller: caller, serial: message.replySerial)
        let reply = TraceEvent.Fact.replied(id, error: Self.error(message))
        guard !isSent else { return [reply] }
        var facts = [reply]
        if let name = message.destination { facts.insert(.connected(busName: name), at: 0) }
        if objectRequests.remove(message.replySerial) != nil {
            let objects = (try? message.arguments())?.first?.entries ?? []
            facts += objects.map { object in
                let path = object.key.path?.text ?? ""
                return .listed(path: path, Self.properties(object.value), isNew: false)
            }
        }
        return facts
    }

    static func error(_ message: BusMessage) -> String? {
        guard message.kind == .error else { return nil }
        let error = message.error
        return error.message.isEmpty ? error.name : error.message
    }

    private mutating func signal(_ message: BusMessage) -> [TraceEvent.Fact] {
        let path = message.path?.text ?? ""
        switch Self.name(message) {
        case "Properties.PropertiesChanged": return change(message, of: path)
        case "ObjectManager.InterfacesAdded":
            guard let values = try? message.arguments(), values.count == 2,
                let path = values[0].path?.text
            else { return [] }
            let properties = Self.properties(values[1])
            let isDevice = properties["Device1.Address"] != nil
            return [.listed(path: path, properties, isNew: true)]
                + (isDevice ? advertisement(of: path) : [])
        case "ObjectManager.InterfacesRemoved":
            guard let values = try? message.arguments(), let path = values.first?.path?.text,
                values.last?.texts?.contains(Device1.interface) == true
            else { return [] }
            advertisedPaths.remove(path)
            return [.removed(path: path)]
        case "Device1.Disconnected":
            let values = (try? message.arguments()) ?? []
            return [.disconnected(path: path, reason: values.first?.text ?? "")]
        case "DBus.NameOwnerChanged":
            let texts = ((try? message.arguments()) ?? []).map { $0.text ?? "" }
            guard texts.first == BlueZ.service else { return [] }
            return [.daemonChanged(isRunning: texts.last?.isEmpty == false)]
        case "Local.Disconnected": return [.busLost]
        default: return []
        }
    }

    private mutating func change(_ message: BusMessage, of path: String) -> [TraceEvent.Fact] {
        guard let values = try? message.arguments(), values.count == 3,
            let interface = values[0].text, let changes = values[1].namedValues
        else { return [] }
        let all = Self.properties(interface, changes)
        let kept = all.filter { Self.properties.contains($0.key) }
        let isAdvertisement = all.keys.contains { Self.advertisementProperties.contains($0) }
        return (isAdvertisement ? advertisement(of: path) : [])
            + (kept.isEmpty ? [] : [.changed(path: path, kept)])
    }

    private mutating func advertisement(of path: String) -> [TraceEvent.Fact] {
        advertisedPaths.insert(path).inserted ? [.advertised(path: path)] : []
    }

    private static func properties(_ interfaces: BusValue) -> BusProperties {
        var all: BusProperties = [:]
        for entry in interfaces.entries ?? [] {
            guard let interface = entry.key.text, let values = entry.value.namedValues else {
                continue
            }
            all.merge(properties(interface, values)) { first, _ in first }
        }
        return all.filter { properties.contains($0.key) }
    }

    private static func properties(
        _ interface: String,
        _ values: [String: BusValue]
    ) -> BusProperties {
        let prefix = shortName(interface)
        var all: BusProperties = [:]
        for (name, value) in values {
            all["\(prefix).\(name)"] = value.text ?? value.boolean.map { "\($0)" } ?? ""
        }
        return all
    }

    private static func name(_ message: BusMessage) -> String {
        shortName(message.interface ?? "") + "." + (message.member ?? "")
    }

    private static func shortName(_ interface: String) -> String {
        interface.split(separator: ".").last.map(String.init) ?? ""
    }
}
