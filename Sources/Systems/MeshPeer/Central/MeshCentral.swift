internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The parts of a `BLECentralManager` on the loop of its host: the scanner, the peers and the events.
///
/// Confined to the loop of the host.
final class MeshCentral: EventPublisher {
    let scanner: MeshScanner
    let peers: PeerConnections
    let streams: EventStreams<MeshPeerEvent>

    private let tracker: AdapterTracker
    var presentState: MeshPeerEvent { .stateChanged(state) }

    private let repository: RepositoryReference
    private let log: Log
    private let context: MainContext
    private var shutdownHook: ShutdownHook?
    private var state = BluetoothState.unknown
    private var adapter: ObjectPath?
    private var isStarted = false

    init(
        _ settings: BLECentralManager.Settings,
        _ repository: RepositoryReference,
        _ published: LockedValue<PublishedPeers>,
        _ streams: EventStreams<MeshPeerEvent>,
        _ host: BluetoothHost
    ) {
        self.streams = streams
        tracker = AdapterTracker(host)
        let engine = tracker.engine
        log = Log("bluejay.meshpeer", to: engine.client.logDispatcher)
        self.repository = repository
        context = host.mainLoop.context
        scanner = MeshScanner(engine, settings, log)
        peers = PeerConnections(engine, settings, published, log)
        scanner.onReport = { [weak self] in self?.peers.seen($0) }
        scanner.onWindow = { [weak self] in self?.windowChanged($0) }
        peers.onEvent = { [weak self] in self?.send($0) }
        peers.onValue = { [weak self] data, peer in
            guard let self else { return }
            repository.receive(data, from: peer, on: context, log)
        }
        shutdownHook = host.mainLoop.context.addShutdownHook { [weak self] completion in
            guard let self else { return completion() }
            close(completion)
        }
        tracker.onChange = { [weak self] in self?.changed($0) }
        tracker.reportState()
        if host.mainLoop.context.isEnding { close {} }
    }

    func start() {
        guard !context.isEnding else { return }
        streams.reopen()
        isStarted = true
        peers.start()
        scanner.start()
        pin()
    }

    func stop() {
        isStarted = false
        scanner.stop()
        peers.stop()
        pin()
    }

    func shutDown() {
        stop()
        peers.flush()
        tracker.onChange = nil
        shutdownHook = nil
        streams.finish()
    }

    /// Ends everything, because the loop ends; what is saved stays for the next run.
    private func close(_ completion: @escaping () -> Void) {
        isStarted = false
        scanner.stop()
        peers.close(completion)
        streams.close()
    }

    private func send(_ event: MeshPeerEvent) {
        streams.send(event)
        pin()
    }

    private func windowChanged(_ isScanning: Bool) {
        streams.send(.scanning(isScanning))
        peers.windowChanged(isScanning)
    }

    private func pin() {
        tracker.pin(isStarted || peers.isInUse)
    }

    // The state is reported before what follows from it.
    private func changed(_ action: AdapterSelector.Action) {
        switch action {
        case .release: return
        case .use: break
        case .report(let state):
            self.state = state
            streams.send(.stateChanged(state))
        }
        let usable = state == .poweredOn ? tracker.adapter : nil
        guard usable != adapter else { return }
        adapter = usable
        scanner.use(usable)
        peers.use(usable)
    }
}
