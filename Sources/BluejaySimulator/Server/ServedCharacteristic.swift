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
    /// The application's sockets, when it has taken notifications or writes by them.
    private var notifySocket: AcquiredSocket?
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
        AttributeAccess.read(
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
        AttributeAccess.write(
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
        follow(before, client)
    }

    // The application is told of the first listener and of the end of the last.
    private func follow(_ before: Int, _ client: ATTClient) {
        if before == 0, !listeners.isEmpty {
            if object.acquiresNotify { acquire(client) } else { tell("StartNotify") }
        } else if before > 0, listeners.isEmpty {
            if notifySocket == nil { tell("StopNotify") }
            notifySocket = nil
        }
    }

    private func acquire(_ client: ATTClient) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        connection.call(call("AcquireNotify", [access.options(offset: 0)]), timeout: .seconds(25)) {
            [weak self] result in
            guard let self else { return }
            guard case .success(let values) = result, case .descriptor(let end)? = values.first
            else { return tell("StartNotify") }
            let socket = AcquiredSocket(
                SequencedPacketSocket(end),
                for: application,
                on: connection.context
            )
            socket.onPacket = { [weak self] in self?.valueChanged($0) }
            socket.onClosed = { [weak self] in self?.notifySocket = nil }
            notifySocket = socket
        }
    }

    /// A new value goes to everybody who listens.
    func valueChanged(_ value: [UInt8]) {
        let sent = Array(value.prefix(512))
        for (client, configuration) in listeners {
            client.deliver(attribute.valueHandle, sent)
            guard configuration == .indications else { continue }
            if let notifySocket {
                notifySocket.send([1])
            } else {
                connection.callAndForget(call("Confirm", []))
            }
        }
    }

    private func tell(_ member: String) {
        connection.callAndForget(call(member, []))
    }

    private func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(application, path, Names.gattCharacteristic, member, arguments)
    }
}

extension BusConnection {
    /// Calls a method whose answer changes nothing.
    func callAndForget(_ method: MethodCall) {
        call(method, timeout: .seconds(25)) { _ in }
    }
}

/// Who may do what with an attribute, and what the application is told with a call.
struct AttributeAccess {
    enum Operation: String {
        case read, write
    }

    let flags: [String]
    let client: ATTClient

    /// Why bluetoothd refuses without asking the application.
    func refusal(_ operation: Operation) -> ATTError? {
        let visible = CharacteristicFlags.visible(flags)
        guard visible.contains(operation.rawValue) else {
            return operation == .read ? .readNotPermitted : .writeNotPermitted
        }
        let needsKeys = CharacteristicFlags.needsEncryption(flags, operation.rawValue)
        return needsKeys && !client.device.isPaired ? .insufficientEncryption : nil
    }

    /// `device`, `offset` when there is one, `link`, `mtu`.
    func options(offset: Int) -> BusValue {
        var options: BusProperties = []
        if let path = pathOfClient { options.append(("device", .objectPath(path))) }
        if offset > 0 { options.append(("offset", .uint16(UInt16(clamping: offset)))) }
        options.append(("link", .string("LE")))
        options.append(("mtu", .uint16(UInt16(client.mtu))))
        return .properties(options)
    }

    // The client's device object on the adapter that serves.
    private var pathOfClient: ObjectPath? {
        let server = client.server
        return client.device.link?.devices.first { $0.adapter === server }?.path
    }

    static func read(
        _ call: MethodCall,
        on connection: BusConnection,
        answer: @escaping (ATTResult) -> Void
    ) {
        connection.call(call, timeout: .seconds(60)) { result in
            switch result {
            case .failure(let error): answer(.failure(.answering(error, isRead: true)))
            case .success(let values):
                guard let bytes = values.first?.bytes else { return answer(.failure(.unlikely)) }
                answer(.success(Array(bytes.prefix(512))))
            }
        }
    }

    static func write(
        _ call: MethodCall,
        on connection: BusConnection,
        answer: @escaping (ATTResult) -> Void
    ) {
        connection.call(call, timeout: .seconds(60)) { result in
            switch result {
            case .failure(let error): answer(.failure(.answering(error, isRead: false)))
            case .success: answer(.success([]))
            }
        }
    }
}
