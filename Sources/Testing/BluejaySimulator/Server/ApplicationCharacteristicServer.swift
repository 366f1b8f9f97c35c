internal import BluejayDBus
internal import BluejayGLib

/// A characteristic served by an application: each request becomes a call of its object.
final class ApplicationCharacteristicServer {
    /// A central that subscribed; the subscription of a bonded central outlives its link.
    private struct Subscriber {
        let device: DeviceObject
        let configuration: ClientConfiguration
        /// The client that subscribed; `nil` after the end of its link.
        var client: ATTClient?

        /// The client that receives values now: after a reconnection, the client of the new link.
        var receiver: ATTClient? { client ?? device.link?.client(of: device.host) }
    }

    let path: ObjectPath
    private let attribute: AttributeDatabase.Characteristic
    private let object: ApplicationCharacteristic
    private let application: String
    private let connection: BusConnection
    private var subscribers: [Subscriber] = []
    /// The application's notification sockets, if it supports them.
    private var notifySockets: [(client: ATTClient, socket: AcquiredSocket)] = []
    /// Whether the application received `StartNotify`, because it provided no socket.
    private var hasStartedNotify = false
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

    /// The handle of the configuration descriptor, which bluetoothd itself serves.
    var configurationHandle: UInt16? {
        attribute.descriptors.first { $0.uuid == AttributeDatabase.clientConfiguration }?.handle
    }

    func configuration(of client: ATTClient) -> ClientConfiguration {
        subscribers.first { $0.receiver === client }?.configuration ?? .nothing
    }

    // MARK: Reading and writing

    func read(_ offset: Int, from client: ATTClient, completion: @escaping (ATTResult) -> Void) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        if let refusal = access.rejection(.read) { return completion(.failure(refusal)) }
        access.read(
            call("ReadValue", [access.options(offset: offset)]),
            on: connection,
            completion: completion
        )
    }

    func write(
        _ value: [UInt8],
        _ offset: Int,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        if let refusal = access.rejection(.write) { return completion(.failure(refusal)) }
        // Where commands are also allowed, bluetoothd does not wait for the application's reply.
        guard !attribute.flags.contains("write-without-response") else {
            send(value, access)
            return completion(.success([]))
        }
        access.write(
            call("WriteValue", [.bytes(value), access.options(offset: offset)]),
            on: connection,
            completion: completion
        )
    }

    func command(_ value: [UInt8], from client: ATTClient) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        // bluetoothd checks the permission to write, not the property.
        guard !attribute.flags.contains("write-without-response") else {
            if CharacteristicFlags.securityRejection(attribute.flags, "write", of: client.device)
                == nil
            {
                send(value, access)
            }
            return
        }
        guard access.rejection(.write) == nil else { return }
        access.write(
            call("WriteValue", [.bytes(value), access.options(offset: 0)]),
            on: connection
        ) { _ in }
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
        connection.call(call("AcquireWrite", [options])) {
            [weak self] result in
            guard let self else { return }
            if case .success(let values) = result, case .fileDescriptor(let end)? = values.first {
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
        completion: @escaping (ATTResult) -> Void
    ) {
        let visible = CharacteristicFlags.visible(attribute.flags)
        let needed = configuration == .indications ? "indicate" : "notify"
        guard configuration == .nothing || visible.contains(needed) else {
            return completion(.failure(.improperlyConfigured))
        }
        if configuration != .nothing,
            let error = CharacteristicFlags.securityRejection(
                attribute.flags,
                needed,
                of: client.device
            )
        {
            return completion(.failure(error))
        }
        guard let device = client.deviceAtServer else { return completion(.failure(.unlikely)) }
        let before = subscribers.count
        subscribers.removeAll { $0.device === device }
        if configuration != .nothing {
            subscribers.append(
                Subscriber(device: device, configuration: configuration, client: client)
            )
        }
        completion(.success([]))
        subscribersChanged(before, client)
    }

    /// Handles the end of a central's link.
    ///
    /// bluetoothd keeps the subscription of a bonded central without calling the application; the central
    /// receives values again after it reconnects.
    func clientDisconnected(_ client: ATTClient) {
        guard let index = subscribers.firstIndex(where: { $0.client === client }) else { return }
        let isEach = client.device.world.version.acquireNotifyBehavior != .shared
        guard !subscribers[index].device.isPaired else {
            subscribers[index].client = nil
            if isEach { notifySockets.removeAll { $0.client === client } }
            return
        }
        let before = subscribers.count
        subscribers.remove(at: index)
        // bluetoothd closes the first socket, whichever central it belongs to (BlueZ issue 1452).
        if isEach, !notifySockets.isEmpty { notifySockets.removeFirst() }
        subscribersChanged(before, client, isLost: true)
    }

    // The application is notified of the first subscriber and of the end of the last; the BlueZ version
    // decides how sockets are requested.
    private func subscribersChanged(_ before: Int, _ client: ATTClient, isLost: Bool = false) {
        let isEach = client.device.world.version.acquireNotifyBehavior != .shared
        if subscribers.count > before, before == 0 || isEach {
            if object.acquiresNotify { acquire(client) } else { startNotify() }
        }
        if subscribers.isEmpty {
            endSubscriptions()
        } else if isEach, !isLost, !subscribers.contains(where: { $0.client === client }) {
            notifySockets.removeAll { $0.client === client }
        }
    }

    private func endSubscriptions() {
        notifySockets = []
        if hasStartedNotify { sendCall("StopNotify") }
        hasStartedNotify = false
    }

    private func startNotify() {
        guard !hasStartedNotify else { return }
        hasStartedNotify = true
        sendCall("StartNotify")
    }

    private func acquire(_ client: ATTClient) {
        let access = AttributeAccess(flags: attribute.flags, client: client)
        connection.call(call("AcquireNotify", [access.options(offset: 0)])) {
            [weak self] result in
            // The subscriber may have disconnected meanwhile.
            guard let self, subscribers.contains(where: { $0.client === client }) else { return }
            if case .failure(let error) = result, Self.preventsStartNotify(error) { return }
            guard case .success(let values) = result, case .fileDescriptor(let end)? = values.first
            else { return startNotify() }
            let socket = AcquiredSocket(
                SequencedPacketSocket(end),
                for: application,
                on: connection.context
            )
            socket.onPacket = { [weak self, weak client, weak socket] value in
                // bluetoothd treats an empty packet as the end and stops reading.
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

    // After any other error, bluetoothd calls `StartNotify`.
    private static func preventsStartNotify(_ error: BusError) -> Bool {
        ["org.bluez.Error.Failed", BusError.noReply.name].contains(error.name)
    }

    // Handles a value from the socket that the application provided for a central.
    private func received(_ value: [UInt8], for client: ATTClient?) {
        guard !value.isEmpty else { return }
        guard let client, client.device.world.version.acquireNotifyBehavior == .eachToOne else {
            return valueChanged(value)
        }
        for subscriber in subscribers where subscriber.receiver === client {
            deliver(value, to: subscriber)
        }
    }

    /// Sends a new value to all connected subscribers.
    ///
    /// Only at this point does bluetoothd notice that a bonded subscriber was removed.
    func valueChanged(_ value: [UInt8]) {
        let before = subscribers.count
        subscribers.removeAll { !$0.device.isKnown }
        if subscribers.isEmpty, before > 0 { endSubscriptions() }
        for subscriber in subscribers { deliver(value, to: subscriber) }
    }

    private func deliver(_ value: [UInt8], to subscriber: Subscriber) {
        guard let client = subscriber.receiver else { return }
        client.deliver(attribute.valueHandle, Array(value.prefix(512)))
        guard subscriber.configuration == .indications else { return }
        let own = notifySockets.first { $0.client === client }
        if let own, client.device.world.version.acquireNotifyBehavior != .shared {
            own.socket.send([1])
        } else {
            connection.callAndForget(call("Confirm", []))
        }
    }

    private func sendCall(_ member: String) {
        connection.callAndForget(call(member, []))
    }

    private func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(to: application, at: path, BlueZNames.gattCharacteristic, member, arguments)
    }
}
