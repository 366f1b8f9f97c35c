internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `…/serviceHHHH/charHHHH`: a characteristic of another device, as clients on the bus use it.
final class ClientCharacteristic {
    let attribute: AttributeDatabase.Characteristic
    let path: ObjectPath
    private let servicePath: ObjectPath
    private unowned let device: Device
    /// The flags that a client sees.
    private let flags: [String]
    /// Whether bluetoothd itself uses the service, so that clients may not write.
    private let isClaimed: Bool

    private var value: [UInt8]
    private var isNotifying = false
    /// The unique names of the clients that receive values by signals.
    private var subscribers: OrderedSet<String> = []
    private var notifySocket: AcquiredSocket?
    private var writeSocket: AcquiredSocket?
    private let reads = CoalescedReads()
    private var isWriting = false

    init(
        _ attribute: AttributeDatabase.Characteristic,
        at path: ObjectPath,
        in servicePath: ObjectPath,
        of device: Device,
        isClaimed: Bool
    ) {
        self.attribute = attribute
        self.path = path
        self.servicePath = servicePath
        self.device = device
        self.isClaimed = isClaimed
        flags = CharacteristicFlags.visible(attribute.flags)
        value = attribute.knownValue
    }

    /// The configuration value that enables subscriptions.
    private var configuration: ClientConfiguration? {
        if flags.contains("notify") { return .notifications }
        if flags.contains("indicate") { return .indications }
        return nil
    }

    var hasSubscribers: Bool { !subscribers.isEmpty || notifySocket != nil }

    func changed(_ names: String...) {
        device.world.bus.emitChanged(path, BlueZNames.gattCharacteristic, names)
    }

    // MARK: Reading

    private func read(_ call: MethodInvocation) {
        reads.read(call, attribute.valueHandle, of: device) { [weak self] in
            guard let self else { return }
            value = $0.replacing(value)
            changed("Value")
        }
    }

    // MARK: Writing

    private func write(_ call: MethodInvocation) {
        let options: AttributeOptions
        let bytes = call.arguments[0].bytes ?? []
        do throws(BusError) {
            options = try AttributeOptions(call.arguments[1])
            try checkWritable()
            let limit = (device.client?.mtu ?? 23) - 3
            let way = try options.writeKind(flags, bytes.count, maximumCommandLength: limit)
            // A command is limited by the MTU alone.
            guard way == .command || bytes.count <= 512 else {
                throw BlueZError.invalidArguments("Invalid Length")
            }
            send(bytes, way, options.offset, call)
        } catch {
            call.fail(error)
        }
    }

    private func checkWritable() throws(BusError) {
        guard device.client != nil else { throw BlueZError.notConnected }
        guard writeSocket == nil else { throw BlueZError.notPermitted("Write acquired") }
        guard !isWriting else { throw BlueZError.inProgress }
        guard !isClaimed else { throw BlueZError.notAuthorized }
    }

    private func send(
        _ bytes: [UInt8],
        _ way: AttributeOptions.WriteKind,
        _ offset: Int,
        _ call: MethodInvocation
    ) {
        let handle = attribute.valueHandle
        guard way != .command else {
            device.client?.send(command: handle, bytes)
            return call.reply()
        }
        isWriting = true
        device.client?.send(.write(handle: handle, value: bytes, offset: offset)) {
            [weak self] result in
            self?.isWriting = false
            switch result {
            case .success: call.reply()
            case .failure(let error): call.fail(error.clientError)
            }
        }
    }

    // MARK: Signals

    private func startNotify(_ call: MethodInvocation) {
        // bluetoothd checks this before anything else.
        let isEnding = device.connection.isDisconnecting
        guard !isEnding || !device.world.version.refusesListeningWhileDisconnecting else {
            return call.fail("org.bluez.Error.NotConnected", "Not Connected")
        }
        guard let configuration else { return call.fail(BlueZError.notSupported) }
        guard notifySocket == nil else {
            return call.fail(BlueZError.notPermitted("Notify acquired"))
        }
        guard !subscribers.contains(call.sender) else {
            // Without a link, bluetoothd considers the subscription in progress.
            return device.client == nil ? call.fail(BlueZError.inProgress) : call.reply()
        }
        subscribers.append(call.sender)
        // Without a link, bluetoothd subscribes at the next connection.
        guard let client = device.client else { return call.reply() }
        guard !isNotifying else { return call.reply() }
        let handle = attribute.valueHandle
        client.send(.configure(handle: handle, configuration)) { [weak self] result in
            switch result {
            case .failure(let error):
                self?.subscribers.remove(call.sender)
                call.fail(error.clientError)
            case .success:
                self?.startNotifying()
                call.reply()
            }
        }
    }

    private func stopNotify(_ call: MethodInvocation) {
        if notifySocket?.client == call.sender {
            releaseNotify()
            return call.reply()
        }
        guard subscribers.contains(call.sender) else {
            return call.fail(BlueZError.failed("No notify session started"))
        }
        removeSubscriber(call.sender)
        call.reply()
    }

    func clientDisconnected(_ client: String) {
        if subscribers.contains(client) { removeSubscriber(client) }
        if notifySocket?.client == client { releaseNotify() }
        if writeSocket?.client == client { releaseWrite() }
    }

    /// Renews the subscription after a reconnection.
    func resubscribe(completion: @escaping () -> Void) {
        guard !subscribers.isEmpty, let configuration, let client = device.client else {
            return completion()
        }
        let handle = attribute.valueHandle
        client.send(.configure(handle: handle, configuration)) { [weak self] result in
            if case .success = result { self?.startNotifying() }
            completion()
        }
    }

    /// Passes a value to the socket, or signals it.
    ///
    /// bluetoothd registers each client that called `StartNotify` and signals the value for each of them. A
    /// signal has no destination, so each of two clients receives each value twice.
    func received(_ bytes: [UInt8]) {
        if let notifySocket { return notifySocket.send(bytes) }
        guard !subscribers.isEmpty else { return }
        value = bytes
        for _ in subscribers { changed("Value") }
    }

    private func startNotifying() {
        guard !isNotifying, !subscribers.isEmpty else { return }
        isNotifying = true
        changed("Notifying")
    }

    private func removeSubscriber(_ client: String) {
        subscribers.remove(client)
        guard subscribers.isEmpty else { return }
        unsubscribe()
        guard isNotifying else { return }
        isNotifying = false
        changed("Notifying")
    }

    private func unsubscribe() {
        // bluetoothd counts its own subscription together with those of clients.
        guard !device.battery.isSubscribed(to: attribute.valueHandle) else { return }
        device.client?.send(.configure(handle: attribute.valueHandle, .nothing)) { _ in }
    }

    // MARK: Sockets

    private func acquireNotify(_ call: MethodInvocation) {
        guard let client = device.client else { return call.fail(BlueZError.notConnected) }
        guard let configuration else { return call.fail(BlueZError.notSupported) }
        guard notifySocket == nil else {
            return call.fail(BlueZError.notPermitted("Notify acquired"))
        }
        guard subscribers.isEmpty else { return call.fail(BlueZError.inProgress) }
        let handle = attribute.valueHandle
        client.send(.configure(handle: handle, configuration)) { [weak self] result in
            if case .failure(let error) = result { return call.fail(error.clientError) }
            guard let self, let made = makeSocket(call.sender, reads: false) else {
                return call.fail(BlueZError.failed("Operation failed"))
            }
            notifySocket = made.socket
            changed("NotifyAcquired")
            call.reply([.fileDescriptor(made.other), .uint16(UInt16(client.mtu))])
        }
    }

    private func acquireWrite(_ call: MethodInvocation) {
        guard let client = device.client else { return call.fail(BlueZError.notConnected) }
        guard flags.contains("write-without-response") else {
            return call.fail(BlueZError.notSupported)
        }
        guard writeSocket == nil else {
            return call.fail(BlueZError.notPermitted("Write acquired"))
        }
        guard !isClaimed else { return call.fail(BlueZError.notAuthorized) }
        guard let made = makeSocket(call.sender, reads: true) else {
            return call.fail(BlueZError.failed("Operation failed"))
        }
        writeSocket = made.socket
        changed("WriteAcquired")
        call.reply([.fileDescriptor(made.other), .uint16(UInt16(client.mtu))])
    }

    private func makeSocket(
        _ client: String,
        reads: Bool
    ) -> (socket: AcquiredSocket, other: BusFileDescriptor)? {
        guard let pair = SequencedPacketSocket.pair(),
            let context = device.world.bus.connection?.context
        else { return nil }
        let socket = AcquiredSocket(pair.own, for: client, on: context)
        socket.onPacket = { [weak self] packet in
            guard let self, reads, let client = device.client else { return }
            // bluetoothd treats an empty packet as the end and stops reading.
            guard !packet.isEmpty else {
                writeSocket?.ignore()
                return
            }
            guard packet.count <= client.mtu - 3 else { return }
            client.send(command: attribute.valueHandle, packet)
        }
        socket.onClosed = { [weak self] in
            if reads { self?.releaseWrite() } else { self?.releaseNotify() }
        }
        return (socket, pair.other)
    }

    private func releaseNotify() {
        guard notifySocket != nil else { return }
        notifySocket = nil
        unsubscribe()
        changed("NotifyAcquired")
    }

    private func releaseWrite() {
        guard writeSocket != nil else { return }
        writeSocket = nil
        changed("WriteAcquired")
    }

    // MARK: Ends

    func linkEnded() {
        isWriting = false
        if notifySocket != nil {
            notifySocket = nil
            changed("NotifyAcquired")
        }
        if writeSocket != nil {
            writeSocket = nil
            changed("WriteAcquired")
        }
    }

    /// Answers the pending calls before the object is removed.
    func close() {
        reads.close()
        notifySocket = nil
        writeSocket = nil
    }

    // MARK: D-Bus interface

    var interface: BusInterface {
        BusInterface(
            BlueZNames.gattCharacteristic,
            properties: valueProperties + stateProperties,
            methods: [
                method("ReadValue", "a{sv}", "ay") { $0.read($1) },
                method("WriteValue", "aya{sv}") { $0.write($1) },
                method("AcquireWrite", "a{sv}", "hq") { $0.acquireWrite($1) },
                method("AcquireNotify", "a{sv}", "hq") { $0.acquireNotify($1) },
                method("StartNotify", "") { $0.startNotify($1) },
                method("StopNotify", "") { $0.stopNotify($1) },
            ]
        )
    }

    private func method(
        _ name: String,
        _ takes: String,
        _ gives: String = "",
        _ handle: @escaping (ClientCharacteristic, MethodInvocation) -> Void
    ) -> BusMethod {
        BusMethod(name, inputSignature: takes, outputSignature: gives) { [weak self] call in
            if let self { handle(self, call) }
        }
    }

    private func property(
        _ name: String,
        _ signature: String,
        _ get: @escaping (ClientCharacteristic) -> BusValue?
    ) -> BusProperty {
        BusProperty(name, signature) { [weak self] in self.flatMap(get) }
    }

    private var valueProperties: [BusProperty] {
        let handle = property("Handle", "q") { .uint16($0.attribute.handle) }
        return (device.world.version.hasHandles ? [handle] : [])
            + [
                property("UUID", "s") { .string($0.attribute.uuid) },
                property("Service", "o") { .objectPath($0.servicePath) },
                property("Value", "ay") { .bytes($0.value) },
            ]
    }

    private var stateProperties: [BusProperty] {
        let canNotify = configuration != nil
        let mtu = property("MTU", "q") { .uint16(UInt16($0.device.client?.mtu ?? 517)) }
        return [
            property("Notifying", "b") { canNotify ? .boolean($0.isNotifying) : nil },
            property("Flags", "as") { .strings($0.flags) },
            property("WriteAcquired", "b") {
                $0.flags.contains("write-without-response") ? .boolean($0.writeSocket != nil) : nil
            },
            property("NotifyAcquired", "b") {
                $0.flags.contains("notify") ? .boolean($0.notifySocket != nil) : nil
            },
        ] + (device.world.version.hasMTU ? [mtu] : [])
    }
}
