internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials
internal import OrderedCollections

/// The connected peers of a central, and the nodes on the way there, as `PeerStateMachine` decides.
///
/// Confined to the loop of the host.
final class PeerConnections {
    var onEvent: ((MeshPeerEvent) -> Void)?
    var onValue: ((Data, UUID) -> Void)?

    private let engine: BlueZEngine
    private let settings: BLECentralManager.Settings
    private let log: Log
    private var machine: PeerStateMachine<UUID>
    private let publicState: LockedValue<PublishedPeers>
    private let actions = ActionQueue<PeerStateMachine<UUID>.Action>()
    private var adapter: ObjectPath?
    private let places: LinkPlaces
    private var links: [UUID: PeerLink] = [:]
    private var timer: ScheduledTimer?
    private var savedPeers: SavedPeers?
    private lazy var saves = SaveSchedule(clock) { [weak self] in self?.save() }
    private var restoring: Set<UUID> = []

    init(
        _ engine: BlueZEngine,
        _ settings: BLECentralManager.Settings,
        publishing publicState: LockedValue<PublishedPeers>,
        log: Log
    ) {
        self.publicState = publicState
        self.engine = engine
        self.settings = settings
        self.log = log
        places = LinkPlaces(engine.links, count: settings.maximumPeers)
        machine = PeerStateMachine(
            settings,
            maximumIdentity: MeshBLEConstants.maxIdentityDataSize
        )
        savedPeers = SavedPeers.load(settings, log)
    }

    var isInUse: Bool { !links.isEmpty }

    // MARK: Scanning

    func start() {
        machine.start()
    }

    func stop() {
        perform(machine.stop())
    }

    /// Saves a change that waits, because the manager is released.
    func flush() {
        saves.flush()
    }

    func windowChanged(_ isScanning: Bool) {
        if isScanning { machine.windowStarted() } else { perform(machine.windowEnded()) }
    }

    func seen(_ report: DiscoveredDevice) {
        let peer = PeripheralIdentifier(address: report.address, name: nil).uuid
        if machine.identity(of: peer) == nil { onEvent?(.discovered(peer, rssi: report.rssi)) }
        perform(machine.seen(peer, now: clock.now))
    }

    /// The adapter to connect over; `nil` while Bluetooth is unavailable.
    func use(_ adapter: ObjectPath?) {
        if self.adapter != nil { perform(machine.becameUnavailable()) }
        self.adapter = adapter
        if let adapter { restore(over: adapter) }
    }

    // MARK: Peers

    func send(_ data: Data, to peer: UUID) -> MeshSendResult {
        let limit = ATTLimits.maximumValueLength
        guard machine.identity(of: peer) != nil, let link = links[peer] else {
            return .unknownPeer
        }
        guard data.count <= limit else { return .tooLong(limit: limit) }
        return link.write(data) ? .queued : .queueFull
    }

    /// Releases all links at the end of the loop.
    ///
    /// - Parameter completion: Called once, when nothing is pending.
    func close(_ completion: @escaping () -> Void) {
        saves.flush()
        savedPeers = nil
        let lost = machine.connectedPeers
        // The links are released below, so that the loop waits for them.
        _ = machine.stop()
        timer = nil
        publish()
        for peer in lost { onEvent?(.lost(peer, .local)) }
        let all = links
        links = [:]
        var pending = all.count
        guard pending > 0 else { return completion() }
        for link in all.values {
            link.release {
                pending -= 1
                if pending == 0 { completion() }
            }
        }
    }

    private var clock: any EventClock { engine.client.clock }

    /// Dials the peers of the previous run that bluetoothd still has a link to.
    private func restore(over adapter: ObjectPath) {
        for peer in savedPeers?.peers ?? [] {
            guard let address = PeripheralIdentifier(uuid: peer, name: nil).deviceAddress,
                let path = engine.client.objects.device(address, of: adapter),
                engine.client.objects.isConnected(path)
            else { continue }
            if savedPeers?.dialledPeers.contains(peer) == true { restoring.insert(peer) }
            perform(machine.restore(peer, now: clock.now))
        }
        restoring = []
    }

    // MARK: Performing

    private func perform(_ new: [PeerStateMachine<UUID>.Action]) {
        publish()
        actions.perform(new) { perform($0) }
    }

    private func publish() {
        var peers = PublishedPeers(sighted: machine.sightedPeers)
        for peer in machine.connectedPeers {
            peers.identities[peer] = machine.identity(of: peer).map { Data($0) }
        }
        publicState.value = peers
    }

    private func perform(_ action: PeerStateMachine<UUID>.Action) {
        switch action {
        case .connect(let peer): connect(peer)
        case .subscribe(let peer): links[peer]?.subscribe()
        case .readIdentity(let peer): links[peer]?.readIdentity()
        case .release(let peer): links.removeValue(forKey: peer)?.release()
        case .connected(let peer, let identity):
            log.debug("peer connected", ["peer": "\(peer)"])
            let isSaved = savedPeers?.peers.contains(peer) ?? true
            if isSaved { saves.stateChanged() } else { saves.stateGained() }
            onEvent?(.connected(peer, identity: Data(identity)))
            links[peer]?.deliver()
        case .lost(let peer, let loss):
            log.debug("peer lost", ["peer": "\(peer)", "how": "\(loss)"])
            saves.stateChanged()
            onEvent?(.lost(peer, Self.reason(loss)))
        case .notAPeer(let peer): onEvent?(.notAPeer(peer))
        case .setTimer(let instant):
            timer = clock.schedule(at: instant) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(now: clock.now))
            }
        }
    }

    private func connect(_ peer: UUID) {
        guard let adapter,
            let address = PeripheralIdentifier(uuid: peer, name: nil).deviceAddress
        else { return perform(machine.linkFailed(peer, isInRange: false, now: clock.now)) }
        // A link may change its peer: pairing replaces a private address.
        let reference = PeerReference(peer)
        let link = PeerLink(to: address, over: adapter, engine, settings, in: places) {
            [weak self] in self?.receive($0, from: reference)
        }
        links[peer] = link
        // A link of the previous run is ours, although this program has not made it.
        link.connect(wasOurs: restoring.remove(peer) != nil)
    }

    private func receive(_ event: PeerLink.Event, from reference: PeerReference) {
        let (peer, now) = (reference.peer, clock.now)
        switch event {
        case .attemptStarted: perform(machine.attemptStarted(peer, now: now))
        case .up(let isNode): perform(machine.linkUp(peer, isNode: isNode, now: now))
        case .subscribed: perform(machine.subscribed(peer))
        case .identity(let identity):
            perform(machine.identityRead(peer, Array(identity), now: now))
        case .failed: perform(machine.linkFailed(peer, isInRange: isKnown(peer), now: now))
        case .serviceRemoved: perform(machine.serviceRemoved(peer, now: now))
        case .notRestored: perform(machine.linkFailed(peer, isInRange: false, now: now))
        case .ended(true, let reason): perform(machine.linkEnded(peer, reason: reason, now: now))
        case .ended(false, _): endIfStillHeld(reference)
        case .moved(let address):
            let new = PeripheralIdentifier(address: address, name: nil).uuid
            if links[new] == nil {
                reference.peer = new
                links[new] = links.removeValue(forKey: peer)
            }
            perform(machine.moved(peer, to: new, now: now))
        case .received(let value): onValue?(value, peer)
        case .written(let count): onEvent?(.written(peer, count: count))
        case .writeFailed(let reason): onEvent?(.writeFailed(peer, reason: reason))
        }
    }

    /// Waits one iteration for the tracker, which reports the state of Bluetooth before the loss of peers.
    private func endIfStillHeld(_ reference: PeerReference) {
        let link = links[reference.peer]
        clock.onNextIteration { [weak self] in
            guard let self, let link, links[reference.peer] === link else { return }
            perform(machine.linkEnded(reference.peer, reason: nil, now: clock.now))
        }
    }

    private func isKnown(_ peer: UUID) -> Bool {
        guard let adapter,
            let address = PeripheralIdentifier(uuid: peer, name: nil).deviceAddress
        else { return false }
        return engine.client.objects.device(address, of: adapter) != nil
    }

    private static func reason(_ loss: PeerStateMachine<UUID>.Loss) -> DisconnectReason? {
        switch loss {
        case .linkEnded(let reason): DisconnectReason(bluezName: reason)
        case .released: .local
        case .unavailable: nil
        }
    }

    private func save() {
        let peers = machine.connectedPeers
        let dialledPeers = peers.filter { links[$0]?.isOurs == true }
        savedPeers?.save(peers, dialled: dialledPeers, settings, log)
    }
}

/// The peers of a central that all threads may read.
struct PublishedPeers: Swift.Sendable {
    /// The identities of the connected peers, in the order of the connection attempts.
    var identities: OrderedDictionary<UUID, Data> = [:]
    // Not an array, so that publishing copies nothing.
    var sighted: OrderedSet<UUID> = []

    var connectedPeers: [UUID] { Array(identities.keys) }
    var discoveredPeers: [UUID] { Array(sighted) }

    func identity(of peer: UUID) -> Data? { identities[peer] }
}

/// The peer of a link.
private final class PeerReference {
    var peer: UUID

    init(_ peer: UUID) {
        self.peer = peer
    }
}

/// The connected peers, for the next run.
struct SavedPeers: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    var peers: [UUID] = []
    /// The peers whose links this program made.
    var dialledPeers: [UUID] = []

    /// Loads the peers of the previous run; `nil` without a restore identifier.
    static func load(_ settings: BLECentralManager.Settings, _ log: Log) -> SavedPeers? {
        guard let identifier = settings.restoreIdentifier else { return nil }
        let file = StateFile<SavedPeers>(identifier, in: settings.stateDirectory)
        return file.load(log: log) ?? SavedPeers(identifier: identifier)
    }

    mutating func save(
        _ peers: [UUID],
        dialled dialledPeers: [UUID],
        _ settings: BLECentralManager.Settings,
        _ log: Log
    ) {
        guard peers != self.peers || dialledPeers != self.dialledPeers else { return }
        self.peers = peers
        self.dialledPeers = dialledPeers
        StateFile<SavedPeers>(identifier, in: settings.stateDirectory).save(self, log: log)
    }
}
