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

    private let access: BluetoothAccess
    var presentState: MeshPeerEvent { .stateChanged(access.state) }

    private var adapter: ObjectPath?
    private var isStarted = false

    init(_ settings: BLECentralManager.Settings, _ context: NodeContext<PublishedPeers>) {
        streams = context.makeStreams()
        access = BluetoothAccess(context.host)
        let tracker = access.open()
        let engine = tracker.engine
        let log = Log("bluejay.meshpeer", to: engine.client.logDispatcher)
        scanner = MeshScanner(engine, settings, log)
        peers = PeerConnections(engine, settings, publishing: context.publicState, log: log)
        scanner.onReport = { [weak self] in self?.peers.seen($0) }
        scanner.onWindow = { [weak self] in self?.windowChanged($0) }
        peers.onEvent = { [weak self] in self?.send($0) }
        peers.onValue = { data, peer in
            context.repository.receive(data, from: peer, on: context.host.mainLoop.context, log)
        }
        access.followLoop { [weak self] completion in
            guard let self else { return completion() }
            close(completion)
        }
        access.onChange = { [weak self] in self?.changed($0) }
        tracker.reportState()
        if access.isEnding { close {} }
    }

    func start() {
        guard !access.isEnding else { return }
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
        access.close()
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
        access.tracker?.pin(isStarted || peers.isInUse)
    }

    // The state is reported before what follows from it.
    private func changed(_ action: AdapterSelector.Action) {
        switch action {
        case .release: return
        case .use: break
        case .report(let state): streams.send(.stateChanged(state))
        }
        let usable = access.state == .poweredOn ? access.adapter : nil
        guard usable != adapter else { return }
        adapter = usable
        scanner.use(usable)
        peers.use(usable)
    }
}
