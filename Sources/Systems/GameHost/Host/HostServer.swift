internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// A host on the loop: its service, its advertisement and its session.
// Only the loop uses it; `BLEHostManager` posts its calls: the invariant behind `@unchecked`.
final class HostServer: @unchecked Swift.Sendable {
    private let server: GATTServer
    private let events: HostEvents
    private let players: PlayerRegistry
    private let sender: MessageSender
    private let log = Log("bluejay.gamehost", to: nil)

    private var machine = HostSessionStateMachine()
    private var service: LocalService?
    private var notifying: LocalCharacteristic?

    /// Creates the server, on the loop.
    init(_ settings: BLEHostManager.Settings, on host: BluetoothHost, events: HostEvents) {
        let clock = BlueZEngine.shared(on: host.mainLoop, busAddress: host.busAddress).client.clock
        self.events = events
        players = PlayerRegistry(settings, clock: clock, events: events, log: log)
        sender = MessageSender(settings, clock: clock, events: events)
        server = GATTServer(host: host)
        sender.onValue = { [weak self] in self?.notify($0, to: $1, $2) }
        followServer()
    }

    private func followServer() {
        server.onStateChange = { [weak self] in self?.bluetoothChanged($0) }
        server.onConnectionChange = { [weak self] central, isConnected in
            guard let self, !isConnected else { return }
            players.disconnected(central)
            updateRecipients()
        }
        server.onCentralChange = { [weak self] change in
            guard case .identified(let old, let new) = change else { return }
            self?.players.identified(old, as: new)
        }
        server.onAdvertisingEnded = { [weak self] error in
            guard let self else { return }
            perform(machine.advertisementEnded(error.map { "\($0)" } ?? "the advertisement ended"))
        }
        server.onServiceEnded = { [weak self] _, error in
            guard let self else { return }
            perform(machine.serviceEnded("\(error)"))
        }
    }

    // MARK: Calls of the main actor

    func start(_ session: Int) {
        events.start(session)
        players.reset()
        server.start()
        events.send(.bluetooth(server.bluetoothState))
        perform(machine.start(session))
        bluetoothChanged(server.bluetoothState)
    }

    /// Ends the session without an event for each player: the main actor knows the players.
    func stop() {
        sender.cancelGoodbye()
        players.reset()
        updateRecipients()
        perform(machine.stop())
    }

    func receiveName(_ name: String, _ session: Int) {
        perform(machine.named(AdvertisedName.truncate(name), session: session))
    }

    func enqueue(_ packet: OutgoingPacket) { sender.enqueue(packet) }

    func delivered(_ size: Int, from id: String) { players.delivered(size, from: id) }

    /// Removes a player whose link the app considers lost.
    func connectionLost(_ identifier: UUID) {
        if players.lost(identifier) { updateRecipients() }
    }

    func sayGoodbye(_ packet: OutgoingPacket?) { sender.sayGoodbye(packet) }

    // MARK: The session

    private func bluetoothChanged(_ state: BluetoothState) {
        events.send(.bluetooth(state))
        let actions = machine.bluetoothChanged(isOn: state == .poweredOn)
        if state != .poweredOn {
            players.allLeft()
            updateRecipients()
        }
        perform(actions)
    }

    private func perform(_ actions: [HostSessionStateMachine.Action]) {
        for action in actions { perform(action) }
        events.send(state)
    }

    private var state: HostState {
        switch machine.status {
        case .idle: .idle
        case .waiting: .waitingForBluetooth(server.bluetoothState)
        case .adding: .addingService
        case .advertising(let name): .advertising(name: name)
        case .failed(let reason): .failed(reason)
        }
    }

    private func perform(_ action: HostSessionStateMachine.Action) {
        switch action {
        case .addService: addService()
        case .removeService:
            guard let service else { return perform(machine.removed()) }
            self.service = nil
            notifying = nil
            server.remove(service) { [weak self] _ in
                guard let self else { return }
                perform(machine.removed())
            }
        case .requestName: events.send(.requestName)
        case .startAdvertising(let name):
            let advertisement = LocalAdvertisement(
                serviceUUIDs: [BLEConstants.serviceUUID],
                localName: name.isEmpty ? nil : name
            )
            server.startAdvertising(advertisement) { [weak self] result in
                guard let self else { return }
                perform(machine.started(result.failureText))
            }
        case .stopAdvertising:
            server.stopAdvertising { [weak self] in
                guard let self else { return }
                perform(machine.stopped())
            }
        }
    }

    private func addService() {
        let writing = LocalCharacteristic(
            uuid: BLEConstants.writeCharacteristicUUID,
            properties: [.write, .writeWithoutResponse],
            onWrite: { [weak self] in self?.written($0) }
        )
        let notifying = LocalCharacteristic(
            uuid: BLEConstants.notifyCharacteristicUUID,
            properties: [.notify, .read],
            subscriptions: .perCentral,
            onRead: { [weak self] request in
                self?.attributeAccessed(by: request.central, mtu: request.mtu)
                request.respond(with: Data())
            }
        )
        notifying.onSubscriberChange = { [weak self] in self?.subscriberChanged($0) }
        let service = LocalService(
            uuid: BLEConstants.serviceUUID,
            characteristics: [writing, notifying]
        )
        self.service = service
        self.notifying = notifying
        server.add(service) { [weak self] result in
            guard let self else { return }
            if case .failure = result {
                self.service = nil
                self.notifying = nil
            }
            perform(machine.added(result.failureText))
        }
    }

    // MARK: Players

    private func subscriberChanged(_ change: SubscriberChange<PeripheralIdentifier>) {
        switch change {
        case .subscribed(let central):
            guard machine.isOpen else { return }
            setValueLengths(notifying?.subscribers ?? [])
            players.subscribed(central)
        case .unsubscribed(let central?): players.unsubscribed(central)
        case .unsubscribed(nil): players.allLeft()
        case .disconnected, .lostSocket: break
        }
        updateRecipients()
    }

    private func attributeAccessed(by central: PeripheralIdentifier?, mtu: Int?) {
        guard let central else { return }
        if let mtu {
            let length = min(ATTLimits.maximumValueLength, ATTLimits.payload(mtu: mtu))
            setValueLength(length, of: central)
        }
        guard machine.isOpen, !server.reportsEachSubscriber, notifying?.isSubscribed ?? false else {
            return
        }
        players.attributeAccessed(by: central)
        updateRecipients()
    }

    private func setValueLengths(_ subscribers: [Subscriber]) {
        for subscriber in subscribers {
            setValueLength(subscriber.maximumValueLength, of: subscriber.central)
        }
    }

    private func setValueLength(_ length: Int, of central: PeripheralIdentifier) {
        guard let change = players.setValueLength(length, of: central) else { return }
        updateRecipients()
        events.send(change)
    }

    private func written(_ request: WriteRequest) {
        attributeAccessed(by: request.central, mtu: request.mtu)
        request.accept()
        guard machine.isOpen, let id = request.central.flatMap(players.id(of:)) else {
            events.count { $0.strayWriteCount += 1 }
            let central = request.central.map { "\($0)" } ?? "unknown"
            return log.debug("write ignored: not from a player", ["central": central])
        }
        players.receive(request.value, from: id)
    }

    // MARK: Values

    private func updateRecipients() {
        let shared = (notifying?.subscribers ?? []).filter(\.sharesValues).map(\.central)
        sender.setRecipients(
            players.recipients(shared: shared),
            supportsUnicast: server.addressing == .unicast
        )
    }

    private func notify(
        _ value: Data,
        to target: String?,
        _ completion: @escaping GATTServer.Completion
    ) {
        guard let notifying else { return completion(.failure(BluejayError.cancelled)) }
        if let central = target.flatMap(players.central(of:)) {
            server.notify(value, on: notifying, to: central, completion: completion)
        } else {
            server.notify(value, on: notifying, completion: completion)
        }
    }
}

extension Result<Void, any Error> {
    fileprivate var failureText: String? {
        if case .failure(let error) = self { "\(error)" } else { nil }
    }
}
