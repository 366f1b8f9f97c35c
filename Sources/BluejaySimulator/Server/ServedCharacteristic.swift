internal import BluejayDBus
internal import BluejayGLib

/// A characteristic that an application serves: each request becomes a call of its object.
final class ServedCharacteristic {
    let path: ObjectPath
    private let attribute: AttributeDatabase.Characteristic
    private let object: ApplicationCharacteristic
    private let application: String
    private let connection: BusConnection
    private var listeners: [(client: ATTClient, configuration: ClientConfiguration)] = []
    /// The application's sockets for notifications, when it has taken them by sockets.
    private var notifySockets: [(client: ATTClient, socket: AcquiredSocket)] = []
    /// Whether the application was told that somebody listens, because it gave no socket.
    private var isTold = false
    private var writeSocket: SequencedPacketSocket?

    init(
        _ attribute: AttributeDatabase.Characteristic,
        _ object: ApplicationCharacteristic,
        of application: String,
        on connection: BusConnection
    ) {
        self.attribute = attribute
        self.object = object
        self.application = application
        self.connection = connection
        path = object.path
    }

    /// The handle of the descriptor that bluetoothd serves itself.
    var configurationHandle: UInt16? {
        attribute.descriptors.first { $0.uuid == AttributeDatabase.clientConfiguration }?.handle
    }

    func configuration(of client: ATTClient) -> ClientConfiguration {
        listeners.first { $0.client === client }?.configuration ?? .nothing
    }

    // MARK: Reading and writing

    func read(_ offset: Int, from client: ATTClient, answer: @escaping (ATTResult) -> Void) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        if let refusal = access.refusal(.read) { return answer(.failure(refusal)) }
        access.read(
            call("ReadValue", [access.options(offset: offset)]),
            on: connection,
            answer: answer
        )
    }

    func write(
        _ value: [UInt8],
        _ offset: Int,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        if let refusal = access.refusal(.write) { return answer(.failure(refusal)) }
        // bluetoothd does not wait for an answer where commands are allowed too.
        guard !attribute.flags.contains("write-without-response") else {
            send(value, access)
            return answer(.success([]))
        }
        access.write(
            call("WriteValue", [.bytes(value), access.options(offset: offset)]),
            on: connection,
            answer: answer
        )
    }

    func command(_ value: [UInt8], from client: ATTClient) {
        guard attribute.flags.contains("write-without-response") else { return }
        send(value, AttributeAccess(flags: attribute.flags, client: client))
    }

    private func send(_ value: [UInt8], _ access: AttributeAccess) {
        if let writeSocket {
            writeSocket.send(value)
            return
        }
        let options = access.options(offset: 0)
        guard object.acquiresWrite else {
            return connection.callAndForget(call("WriteValue", [.bytes(value), options]))
        }
        connection.call(call("AcquireWrite", [options]), timeout: .seconds(25)) {
            [weak self] result in
            guard let self else { return }
            if case .success(let values) = result, case .descriptor(let end)? = values.first {
                writeSocket = SequencedPacketSocket(end)
                writeSocket?.send(value)
            } else {
                connection.callAndForget(call("WriteValue", [.bytes(value), options]))
            }
        }
    }

    // MARK: Subscriptions

    func configure(
        _ configuration: ClientConfiguration,
        for client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        let visible = CharacteristicFlags.visible(attribute.flags)
        let needed = configuration == .indications ? "indicate" : "notify"
        guard configuration == .nothing || visible.contains(needed) else {
            return answer(.failure(.improperlyConfigured))
        }
        if configuration != .nothing, !client.device.isPaired,
            CharacteristicFlags.needsEncryption(attribute.flags, needed)
        {
            return answer(.failure(.insufficientEncryption))
        }
        let before = listeners.count
        listeners.removeAll { $0.client === client }
        if configuration != .nothing { listeners.append((client, configuration)) }
        answer(.success([]))
        follow(before, client)
    }

    func clientLeft(_ client: ATTClient) {
        let before = listeners.count
        listeners.removeAll { $0.client === client }
        guard listeners.count < before else { return }
        // Whose socket is not looked at when one that is not bonded leaves (BlueZ issue 1452).
        if client.device.world.kind.notifySockets != .shared, !client.device.isPaired,
            !notifySockets.isEmpty
        {
            notifySockets.removeFirst()
        }
        follow(before, client, isLost: true)
    }

    // The application is told of the first listener and of the end of the last; sockets are asked for
    // as the kind does it.
    private func follow(_ before: Int, _ client: ATTClient, isLost: Bool = false) {
        let isEach = client.device.world.kind.notifySockets != .shared
        if listeners.count > before, before == 0 || isEach {
            if object.acquiresNotify { acquire(client) } else { tellFirst() }
        }
        if listeners.isEmpty {
            notifySockets = []
            if isTold { tell("StopNotify") }
            isTold = false
        } else if isEach, !listeners.contains(where: { $0.client === client }),
            !isLost || client.device.isPaired
        {
            notifySockets.removeAll { $0.client === client }
        }
    }

    private func tellFirst() {
        guard !isTold else { return }
        isTold = true
        tell("StartNotify")
    }

    private func acquire(_ client: ATTClient) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        connection.call(call("AcquireNotify", [access.options(offset: 0)]), timeout: .seconds(25)) {
            [weak self] result in
            // Whoever it was for may have left meanwhile.
            guard let self, listeners.contains(where: { $0.client === client }) else { return }
            if case .failure(let error) = result, Self.givesUp(error) { return }
            guard case .success(let values) = result, case .descriptor(let end)? = values.first
            else { return tellFirst() }
            let socket = AcquiredSocket(
                SequencedPacketSocket(end),
                for: application,
                on: connection.context
            )
            socket.onPacket = { [weak self, weak client, weak socket] value in
                // bluetoothd takes nothing read for the end, and looks no more.
                if value.isEmpty { socket?.ignore() }
                self?.received(value, for: client)
            }
            socket.clock = client.device.world.clock
            socket.onClosed = { [weak self, weak socket] in
                self?.notifySockets.removeAll { $0.socket === socket }
            }
            notifySockets.append((client, socket))
        }
    }

    // Any other refusal of a socket has it told as if there were none.
    private static func givesUp(_ error: BusError) -> Bool {
        ["org.bluez.Error.Failed", BusError.noReply.name].contains(error.name)
    }

    // The application sent a value on the socket that it gave for a central.
    private func received(_ value: [UInt8], for client: ATTClient?) {
        guard !value.isEmpty else { return }
        guard let client, client.device.world.kind.notifySockets == .eachToOne else {
            return valueChanged(value)
        }
        for listener in listeners where listener.client === client { deliver(value, to: listener) }
    }

    /// A new value goes to everybody who listens.
    func valueChanged(_ value: [UInt8]) {
        for listener in listeners { deliver(value, to: listener) }
    }

    private func deliver(
        _ value: [UInt8],
        to listener: (client: ATTClient, configuration: ClientConfiguration)
    ) {
        listener.client.deliver(attribute.valueHandle, Array(value.prefix(512)))
        guard listener.configuration == .indications else { return }
        let own = notifySockets.first { $0.client === listener.client }
        if let own, listener.client.device.world.kind.notifySockets != .shared {
            own.socket.send([1])
        } else {
            connection.callAndForget(call("Confirm", []))
        }
    }

    private func tell(_ member: String) {
        connection.callAndForget(call(member, []))
    }

    private func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(application, path, Names.gattCharacteristic, member, arguments)
    }
}
