internal import BluejayDBus
internal import BluejayGLib

/// `org.bluez.GattCharacteristic1` of a remote device.
final class GattCharacteristicObject {
    static let interfaceName = "org.bluez.GattCharacteristic1"

    let attribute: AttributeDatabase.Characteristic
    let path: ObjectPath
    private let service: ObjectPath
    private unowned let client: GattClient
    private var value: [UInt8]
    private var sessions: Set<String> = []
    private var notifySocket: NotifySocket?
    private var writeSocket: WriteSocket?
    private var reads: [MethodInvocation] = []
    private var write: MethodInvocation?
    private var timer: ScheduledTimer?

    init(_ attribute: AttributeDatabase.Characteristic, service: ObjectPath, of client: GattClient)
    {
        self.attribute = attribute
        self.service = service
        self.client = client
        path = service.child("char" + hexHandle(attribute.handle)) ?? service
        value = attribute.initialValue
    }

    private var world: SimulatedBlueZ { client.world }

    var isNotifying: Bool { !sessions.isEmpty || notifySocket != nil }

    // MARK: What the link tells

    func renewSubscription() {
        guard let link = client.link else { return }
        client.peer?.setNotifying(attribute.valueHandle, true, link)
    }

    func linkDown() {
        failPending(BlueZError.attribute(0x0E, isWrite: false))
        endNotifySocket()
        endWriteSocket()
    }

    func received(_ value: [UInt8]) {
        if let notifySocket {
            notifySocket.send(value)
        } else if !sessions.isEmpty {
            self.value = value
            emit([("Value", .bytes(value))])
        }
    }

    func clientGone(_ name: String) {
        if notifySocket?.owner == name { endNotifySocket() }
        if writeSocket?.owner == name { endWriteSocket() }
        guard sessions.remove(name) != nil, sessions.isEmpty else { return }
        switchOff()
        emit([("Notifying", .boolean(false))])
    }

    /// Ends what is pending with an error.
    func failPending(_ error: BusError) {
        timer = nil
        let pending = reads + (write.map { [$0] } ?? [])
        reads = []
        write = nil
        for call in pending { call.fail(error) }
    }

    private func emit(_ changed: BusProperties) {
        world.server.emitPropertiesChanged(path, Self.interfaceName, changed)
    }

    private func switchOff() {
        if let link = client.link { client.peer?.setNotifying(attribute.valueHandle, false, link) }
    }

    // MARK: Read and write

    private func read(_ call: MethodInvocation) {
        guard let link = client.link, let peer = client.peer else {
            return call.fail(BlueZError.notConnected)
        }
        let offset = call.arguments[0].namedValues?["offset"]?.integer ?? 0
        guard offset <= 512 else { return call.fail(BlueZError.attribute(0x07, isWrite: false)) }
        // Two reads at once are one on the air.
        reads.append(call)
        guard reads.count == 1 else { return }
        secure { [weak self] in
            guard let self, !reads.isEmpty else { return }
            let guardID = startTransaction()
            peer.read(attribute.valueHandle, offset: offset, link) { [weak self] answer in
                self?.readAnswered(answer, offset, guardID)
            }
        }
    }

    private func readAnswered(_ answer: AttributeAnswer, _ offset: Int, _ transaction: Int) {
        guard endTransaction(transaction) else { return }
        let calls = reads
        reads = []
        switch answer {
        case .refused(let code):
            for call in calls { call.fail(BlueZError.attribute(code, isWrite: false)) }
        case .value(let bytes):
            value = bytes
            // The value is signalled before the reply, as if it was a notification.
            emit([("Value", .bytes(bytes))])
            for call in calls { call.reply([.bytes(bytes)]) }
        }
    }

    private func write(_ call: MethodInvocation) {
        guard let link = client.link, let peer = client.peer else {
            return call.fail(BlueZError.notConnected)
        }
        guard writeSocket == nil else {
            return call.fail(BlueZError.make("NotPermitted", "Write acquired"))
        }
        let bytes = call.arguments[0].bytes ?? []
        let options = call.arguments[1].namedValues ?? [:]
        let flags = attribute.flags
        let type = options["type"]?.text ?? (flags.contains("write") ? "request" : "command")
        guard bytes.count <= 512 || type == "command" else {
            return call.fail(BlueZError.attribute(0x0D, isWrite: true))
        }
        switch type {
        case "command":
            guard bytes.count <= Int(link.mtu) - 3 else {
                return call.fail(BlueZError.failed("Failed to initiate write"))
            }
            peer.write(attribute.valueHandle, bytes, withResponse: false, link) { _ in }
            call.reply()
        case "request", "reliable":
            guard flags.contains("write") else { return call.fail(BlueZError.notSupported) }
            guard write == nil else { return call.fail(BlueZError.inProgress) }
            write = call
            let transaction = startTransaction()
            peer.write(attribute.valueHandle, bytes, withResponse: true, link) {
                [weak self] answer in
                self?.writeAnswered(answer, transaction)
            }
        default: call.fail(BlueZError.notSupported)
        }
    }

    private func writeAnswered(_ answer: AttributeAnswer, _ transaction: Int) {
        guard endTransaction(transaction), let call = write else { return }
        write = nil
        switch answer {
        case .value: call.reply()
        case .refused(let code): call.fail(BlueZError.attribute(code, isWrite: true))
        }
    }

    // MARK: Transactions

    private var transactions: [Int: ScheduledTimer] = [:]
    private var lastTransaction = 0

    private func startTransaction() -> Int {
        lastTransaction += 1
        transactions[lastTransaction] = world.after(world.waits.attribute) { [weak self] in
            self?.transactions = [:]
            self?.client.attributeTimedOut()
        }
        return lastTransaction
    }

    private func endTransaction(_ id: Int) -> Bool {
        transactions.removeValue(forKey: id) != nil
    }

    /// An encrypted attribute makes bluetoothd pair first: with an agent it works, without one nothing
    /// is ever answered and the link breaks.
    private func secure(_ work: @escaping () -> Void) {
        let needsPairing = attribute.flags.contains { $0.hasPrefix("encrypt") }
        guard needsPairing, !client.device.isPaired else { return work() }
        guard let agent = world.agents.agent else {
            transactions[0] = world.after(world.waits.attribute) { [weak self] in
                self?.client.attributeTimedOut()
            }
            return
        }
        let call = MethodCall(
            agent.client,
            agent.path,
            "org.bluez.Agent1",
            "RequestAuthorization",
            [.objectPath(client.device.path)]
        )
        world.connection.call(call, timeout: .seconds(30)) { [weak self] result in
            guard let self else { return }
            guard case .success = result else {
                return failPending(BlueZError.attribute(0x05, isWrite: false))
            }
            client.device.becamePaired()
            work()
        }
    }

    // MARK: Notifications

    private func startNotify(_ call: MethodInvocation) {
        guard notifySocket == nil else {
            return call.fail(BlueZError.make("NotPermitted", "Notify acquired"))
        }
        guard attribute.canNotify else { return call.fail(BlueZError.notSupported) }
        guard !sessions.contains(call.sender) else { return call.reply() }
        sessions.insert(call.sender)
        if sessions.count == 1 {
            renewSubscription()
            emit([("Notifying", .boolean(true))])
        }
        call.reply()
    }

    private func stopNotify(_ call: MethodInvocation) {
        if notifySocket?.owner == call.sender {
            endNotifySocket()
            return call.reply()
        }
        guard sessions.remove(call.sender) != nil else {
            return call.fail(BlueZError.failed("No notify session started"))
        }
        if sessions.isEmpty {
            switchOff()
            emit([("Notifying", .boolean(false))])
        }
        call.reply()
    }

    // MARK: Sockets

    private func acquireNotify(_ call: MethodInvocation) {
        guard notifySocket == nil else {
            return call.fail(BlueZError.make("NotPermitted", "Notify acquired"))
        }
        guard sessions.isEmpty else { return call.fail(BlueZError.inProgress) }
        guard attribute.canNotify else { return call.fail(BlueZError.notSupported) }
        guard let link = client.link else { return call.fail(BlueZError.notConnected) }
        let context = world.connection.context
        guard
            let pair = NotifySocket.make(
                owner: call.sender,
                on: context,
                hungUp: { [weak self] in self?.endNotifySocket() }
            )
        else { return call.fail(BlueZError.failed("Too many open files")) }
        notifySocket = pair.socket
        client.peer?.setNotifying(attribute.valueHandle, true, link)
        if hasNotifyProperty { emit([("NotifyAcquired", .boolean(true))]) }
        call.reply([.descriptor(pair.other), .uint16(link.mtu)])
    }

    private func endNotifySocket() {
        guard notifySocket != nil else { return }
        notifySocket = nil
        switchOff()
        if hasNotifyProperty { emit([("NotifyAcquired", .boolean(false))]) }
    }

    private func acquireWrite(_ call: MethodInvocation) {
        guard let link = client.link else { return call.fail(BlueZError.notConnected) }
        guard writeSocket == nil else {
            return call.fail(BlueZError.make("NotPermitted", "Write acquired"))
        }
        guard hasWriteProperty else { return call.fail(BlueZError.notSupported) }
        let handle = attribute.valueHandle
        guard
            let pair = WriteSocket.make(
                owner: call.sender,
                on: world.connection.context,
                received: { [weak self] bytes in
                    guard let self, let link = client.link else { return }
                    client.peer?.write(handle, bytes, withResponse: false, link) { _ in }
                },
                hungUp: { [weak self] in self?.endWriteSocket() }
            )
        else { return call.fail(BlueZError.failed("Too many open files")) }
        writeSocket = pair.socket
        emit([("WriteAcquired", .boolean(true))])
        call.reply([.descriptor(pair.other), .uint16(link.mtu)])
    }

    private func endWriteSocket() {
        guard writeSocket != nil else { return }
        writeSocket = nil
        emit([("WriteAcquired", .boolean(false))])
    }

    // MARK: The interface

    // The property is there for notifications only, although the call works for indications too.
    private var hasNotifyProperty: Bool { attribute.flags.contains("notify") }
    private var hasWriteProperty: Bool { attribute.flags.contains("write-without-response") }

    var interface: BusInterface {
        func live(
            _ name: String,
            _ signature: String,
            _ value: @escaping (GattCharacteristicObject) -> BusValue?
        ) -> BusProperty {
            BusProperty(name, signature, get: { [weak self] in self.flatMap(value) })
        }
        let is586 = world.options.kind == .v5_86
        return BusInterface(
            Self.interfaceName,
            properties: [
                live("Handle", "q") { is586 ? .uint16($0.attribute.valueHandle) : nil },
                live("UUID", "s") { .string($0.attribute.uuid) },
                live("Service", "o") { .objectPath($0.service) },
                live("Value", "ay") { .bytes($0.value) },
                live("Notifying", "b") {
                    $0.attribute.canNotify ? .boolean(!$0.sessions.isEmpty) : nil
                },
                live("Flags", "as") { .strings($0.attribute.flags) },
                live("WriteAcquired", "b") {
                    $0.hasWriteProperty ? .boolean($0.writeSocket != nil) : nil
                },
                live("NotifyAcquired", "b") {
                    $0.hasNotifyProperty ? .boolean($0.notifySocket != nil) : nil
                },
                live("MTU", "q") { .uint16($0.client.link?.mtu ?? 517) },
            ],
            methods: [
                BusMethod("ReadValue", takes: "a{sv}", gives: "ay") { [weak self] in self?.read($0)
                },
                BusMethod("WriteValue", takes: "aya{sv}") { [weak self] in self?.write($0) },
                BusMethod("AcquireWrite", takes: "a{sv}", gives: "hq") { [weak self] in
                    self?.acquireWrite($0)
                },
                BusMethod("AcquireNotify", takes: "a{sv}", gives: "hq") { [weak self] in
                    self?.acquireNotify($0)
                },
                BusMethod("StartNotify") { [weak self] in self?.startNotify($0) },
                BusMethod("StopNotify") { [weak self] in self?.stopNotify($0) },
            ]
        )
    }
}
