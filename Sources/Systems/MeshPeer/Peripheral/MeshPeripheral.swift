internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The parts of a `BLEPeripheralManager`: the server, the service, the advertisement and the events.
///
/// Confined to the loop of the host.
final class MeshPeripheral: EventPublisher {
    let streams: EventStreams<MeshPeerEvent>
    let advertiser: MeshAdvertiser
    let service: MeshService

    private let server: GATTServer
    var presentState: MeshPeerEvent { .stateChanged(server.bluetoothState) }

    private let publicState: LockedValue<MeshPeripheralState>
    private let repository: RepositoryReference
    private let log: Log
    private let file: StateFile<SavedNode>?
    private var saved: SavedNode
    private lazy var saves = SaveSchedule(clock) { [weak self] in self?.save() }
    private let clock: any EventClock
    private var retryTimer: ScheduledTimer?
    private let context: MainContext
    private var shutdownHook: ShutdownHook?
    private var isStarted = false

    init(_ settings: BLEPeripheralManager.Settings, _ node: NodeContext<MeshPeripheralState>) {
        let host = node.host
        publicState = node.publicState
        repository = node.repository
        streams = node.makeStreams()
        context = host.mainLoop.context
        let engine = BlueZEngine.shared(on: host.mainLoop, busAddress: host.busAddress)
        log = Log("bluejay.meshpeer", to: engine.client.logDispatcher)
        clock = engine.client.clock
        let identifier = settings.restoreIdentifier
        file = identifier.map { StateFile($0, in: settings.stateDirectory) }
        saved = file?.load(log: log) ?? SavedNode(identifier: identifier ?? "")
        server = GATTServer(host: host)
        service = MeshService(
            server,
            .of(host),
            maximumQueued: settings.maximumQueuedNotifications,
            log
        )
        let name = AdvertisedName.truncate(settings.localName.filter { $0 != "\0" })
        let interval = saved.rotationInterval ?? settings.rotationInterval / .seconds(1)
        advertiser = MeshAdvertiser(
            server,
            clock,
            name: name.isEmpty ? BLEPeripheralManager.Settings().localName : name,
            rotation: BLEPeripheralManager.rotation(interval),
            log
        )
        service.setIdentity(saved.identity)
        follow()
        server.start()
        shutdownHook = context.addShutdownHook { [weak self] completion in
            self?.close()
            completion()
        }
        if context.isEnding { close() }
    }

    private func follow() {
        service.onValue = { [weak self] data, peer in
            guard let self else { return }
            repository.receive(data, from: peer, on: context, log)
        }
        service.onSubscription = { [weak self] central, isSubscribed in
            self?.send(isSubscribed ? .subscribed(central) : .unsubscribed(central))
        }
        advertiser.onChange = { [weak self] in self?.send(.advertising($0)) }
        advertiser.onFailure = { [weak self] in self?.send(.advertisingFailed(reason: $0)) }
        service.onFailure = { [weak self] in self?.send(.advertisingFailed(reason: $0)) }
        advertiser.onIdentity = { [weak self] in self?.rotate(to: $0) }
        server.onStateChange = { [weak self] in self?.stateChanged($0) }
        server.onCentralChange = { [weak self] change in
            guard case .identified(let old, let new) = change else { return }
            self?.service.identified(old.uuid, as: new.uuid)
        }
        server.onServiceEnded = { [weak self] _, error in
            guard let self else { return }
            log.warning("mesh service refused", ["error": "\(error)"])
            send(.advertisingFailed(reason: "\(error)"))
            service.ended()
            advertise()
        }
        service.onAdded = { [weak self] in self?.serviceAdded($0) }
    }

    // MARK: Calls

    func start() {
        guard !context.isEnding else { return }
        streams.reopen()
        isStarted = true
        advertise()
    }

    func stop() {
        isStarted = false
        advertiser.stop()
        service.remove()
    }

    /// - Parameter identity: At most 24 bytes.
    func setIdentity(_ identity: Data) {
        service.setIdentity(identity)
        saved.identity = identity
        saves.stateGained()
    }

    func setRotation(_ seconds: Double) {
        advertiser.setRotation(BLEPeripheralManager.rotation(seconds))
        saved.rotationInterval = seconds.isFinite ? seconds : 0
        saves.stateGained()
    }

    func shutDown() {
        saves.flush()
        shutdownHook = nil
        server.onStateChange = nil
        isStarted = false
        // The server withdraws the advertisement and the service.
        server.stop()
        streams.finish()
    }

    /// Ends everything, because the loop ends.
    private func close() {
        saves.flush()
        stop()
        service.becameUnavailable()
        streams.close()
    }

    // MARK: Events

    private func send(_ event: MeshPeerEvent) {
        publicState.value = MeshPeripheralState(
            isAdvertising: advertiser.isActive,
            subscribers: service.subscribers
        )
        streams.send(event)
    }

    private func stateChanged(_ state: BluetoothState) {
        streams.send(.stateChanged(state))
        if state == .poweredOn { return advertise() }
        service.becameUnavailable()
        advertiser.pause()
    }

    private func advertise() {
        retryTimer = nil
        guard isStarted, server.bluetoothState == .poweredOn else { return }
        service.add()
    }

    private func serviceAdded(_ isAdded: Bool) {
        guard isStarted, server.bluetoothState == .poweredOn else { return }
        if isAdded { return advertiser.start() }
        retryTimer = clock.schedule(after: MeshAdvertiser.retryDelay) { [weak self] in
            self?.advertise()
        }
    }

    private func rotate(to identity: Data) {
        guard identity.count <= MeshBLEConstants.maxIdentityDataSize else {
            return log.warning(
                "rotation ignored: identity too long",
                ["bytes": "\(identity.count)"]
            )
        }
        setIdentity(identity)
    }

    private func save() {
        file?.save(saved, log: log)
    }
}

/// The state of a peripheral that all threads may read.
struct MeshPeripheralState: Swift.Sendable {
    var isAdvertising = false
    var subscribers: [UUID] = []
}

/// The identity of a node and its rotation interval, for the next run.
struct SavedNode: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    var identity = Data()
    /// In seconds; `nil` is the interval of the settings.
    var rotationInterval: Double?
}
