internal import OrderedCollections

/// Decides which nodes to connect to, and when a node is a connected peer.
///
/// A pure value. Instants are arguments. Invariants: at most `maximumPeers` nodes have a link or an attempt,
/// such a node is not connected again, and each `connected` is followed by one `lost` before the next `connected` of the
/// same node.
///
/// The places are shared fairly, because anyone can advertise the service and then stay silent. The node with
/// the fewest attempts is next, among equals alternately the oldest and the newest sighting, and each fourth attempt
/// belongs to a node that had one before. While such a node waits and no place is free, an attempt that has lasted for
/// its share ends; the oldest attempt may always last for `connectionTimeout`.
struct PeerStateMachine<Peer: Hashable>: Equatable {
    enum Action: Equatable {
        /// Connects; `attemptStarted`, then `linkUp` or `linkFailed` follows.
        case connect(Peer)
        /// Subscribes to RX; `subscribed` or `linkFailed` follows.
        case subscribe(Peer)
        /// Reads ID; `identityRead` or `linkFailed` follows.
        case readIdentity(Peer)
        /// Releases the link; nothing follows.
        case release(Peer)
        case connected(Peer, identity: [UInt8])
        case lost(Peer, Loss)
        case notAPeer(Peer)
        /// Sets the one timer, which calls `timerFired`; `nil` cancels it.
        case setTimer(Duration?)
    }

    enum Loss: Equatable {
        /// The link ended, with bluetoothd's reason if it reports one.
        case linkEnded(reason: String?)
        case released
        case unavailable
    }

    private enum Stage: Equatable {
        case connecting, subscribing, readingIdentity
        case connected(identity: [UInt8])

        var isConnected: Bool {
            if case .connected = self { true } else { false }
        }
    }

    /// A node that advertised during this scan, or was restored.
    private struct Sighting: Equatable {
        var lastSeen: Duration
        var lastAttempt: Duration?
        /// The start of the present attempt, which may have waited for the end of another link.
        var startedAt: Duration?
        /// The attempts since the node was a peer for `steadyTime`.
        var attemptCount = 0
        /// The attempts since then that failed by themselves, and the peers that were lost sooner.
        var failures = 0
        /// The instant at which the node became a peer on the present link.
        var connectedSince: Duration?
        /// The instant until which the node is left alone, because it is not a peer.
        var excludedUntil: Duration?
        /// How many times in a row the node was not a peer.
        var rejections = 0
    }

    /// The number of nodes that are remembered; the one not seen for the longest time is dropped.
    static var maximumSightings: Int { 1024 }

    /// The share of the first attempt to a node, while many wait; the next ones have four times as long.
    static var shortestShare: Duration { .milliseconds(400) }
    /// The longest time between two attempts to connect to the same node, unless `peerCacheWindow` is longer.
    static var longestPause: Duration { .seconds(300) }
    /// How long a device without the mesh service is left alone; doubles with each rejection.
    static var firstExclusion: Duration { .seconds(30) }
    static var longestExclusion: Duration { .seconds(3600) }
    /// A peer that is lost sooner counts as a failed attempt.
    static var steadyTime: Duration { .seconds(5) }
    /// The number of failures in a row after which a link without the service is released.
    static var maximumServiceFailures: Int { 3 }
    /// The time for which bluetoothd keeps a device that does not advertise.
    static var sightingLifetime: Duration { .seconds(30) }

    private let settings: BLECentralManager.Settings
    /// In bytes.
    let maximumIdentity: Int

    private var isStarted = false
    private var isScanning = false
    private var stages: OrderedDictionary<Peer, Stage> = [:]
    /// In the order of discovery.
    private var sightings: OrderedDictionary<Peer, Sighting> = [:]
    /// The nodes to connect to, in the order in which they were seen.
    private var candidates: OrderedSet<Peer> = []
    private var timer: Duration?
    /// The number of attempts modulo 4.
    private var attemptPhase = 0

    /// Creates a machine; the settings are within their limits.
    init(_ settings: BLECentralManager.Settings, maximumIdentity: Int) {
        self.settings = settings
        self.maximumIdentity = maximumIdentity
    }

    /// The connected peers, in the order of their connection attempts.
    var connectedPeers: [Peer] { stages.keys.filter { identity(of: $0) != nil } }

    /// The nodes that advertised during this scan, or were restored, in the order of discovery.
    var discoveredPeers: [Peer] { Array(sightedPeers) }

    var sightedPeers: OrderedSet<Peer> { sightings.keys }

    func identity(of peer: Peer) -> [UInt8]? {
        if case .connected(let identity) = stages[peer] { identity } else { nil }
    }

    // MARK: Scanning

    mutating func start() {
        isStarted = true
    }

    /// Ends the scan: releases all peers and forgets all nodes.
    mutating func stop() -> [Action] {
        isStarted = false
        isScanning = false
        sightings = [:]
        candidates = []
        return releaseAll(.released) + setTimer(nil)
    }

    mutating func windowStarted() {
        isScanning = true
    }

    /// The nodes that had no attempt may still have one, while bluetoothd knows them.
    mutating func windowEnded() -> [Action] {
        isScanning = false
        candidates.removeAll { sightings[$0]?.attemptCount != 0 }
        return candidates.isEmpty ? setTimer(nil) : []
    }

    mutating func becameUnavailable() -> [Action] {
        candidates = []
        return releaseAll(.unavailable) + setTimer(nil)
    }

    mutating func seen(_ peer: Peer, now: Duration) -> [Action] {
        guard isStarted else { return [] }
        record(peer, now)
        guard stages[peer] == nil, shouldConnect(peer, now), candidates.append(peer).inserted else {
            return []
        }
        return connectNext(now)
    }

    mutating func timerFired(now: Duration) -> [Action] {
        timer = nil
        return connectNext(now)
    }

    /// bluetoothd still has the link of a peer of the previous run.
    mutating func restore(_ peer: Peer, now: Duration) -> [Action] {
        guard stages[peer] == nil, stages.count < settings.maximumPeers else { return [] }
        if sightings[peer] == nil { sightings[peer] = Sighting(lastSeen: now) }
        guard shouldConnect(peer, now), attemptInstant(of: peer) <= now else { return [] }
        candidates.remove(peer)
        return [connect(peer, now)]
    }

    // MARK: Links

    /// The attempt has started: its share counts from now on.
    mutating func attemptStarted(_ peer: Peer, now: Duration) -> [Action] {
        guard stages[peer] == .connecting else { return [] }
        sightings[peer]?.startedAt = now
        sightings[peer]?.lastAttempt = now
        return connectNext(now)
    }

    /// The link is up and its services are known; `isNode` is true if the device has TX, RX and ID.
    mutating func linkUp(_ peer: Peer, isNode: Bool, now: Duration) -> [Action] {
        guard stages[peer] == .connecting else { return [] }
        guard isNode else { return reject(peer, now) }
        stages[peer] = .subscribing
        return [.subscribe(peer)]
    }

    mutating func subscribed(_ peer: Peer) -> [Action] {
        guard stages[peer] == .subscribing else { return [] }
        stages[peer] = .readingIdentity
        return [.readIdentity(peer)]
    }

    mutating func identityRead(_ peer: Peer, _ identity: [UInt8], now: Duration) -> [Action] {
        guard stages[peer] == .readingIdentity else { return [] }
        guard identity.count <= maximumIdentity else { return reject(peer, now) }
        // An equal identity may be a copy, so it does not keep a node out.
        stages[peer] = .connected(identity: identity)
        sightings[peer]?.connectedSince = now
        sightings[peer]?.rejections = 0
        return [.connected(peer, identity: identity)]
    }

    /// A step towards the connection failed.
    ///
    /// If bluetoothd still knows the device (`isInRange`), the machine connects again without an
    /// advertisement.
    mutating func linkFailed(_ peer: Peer, isInRange: Bool, now: Duration) -> [Action] {
        guard let stage = stages[peer], !stage.isConnected else { return [] }
        sightings[peer]?.failures += 1
        let actions = release(peer)
        if isInRange, isScanning, shouldConnect(peer, now) { candidates.append(peer) }
        return actions + connectNext(now)
    }

    /// The link lost the mesh service, which may return: `linkUp` or `linkFailed` follows.
    mutating func serviceRemoved(_ peer: Peer, now: Duration) -> [Action] {
        guard let stage = stages[peer] else { return [] }
        guard stage.isConnected else {
            stages[peer] = .connecting
            return []
        }
        guard sightings[peer].map({ $0.failures < Self.maximumServiceFailures }) ?? true else {
            return linkEnded(peer, reason: nil, now: now)
        }
        recordLoss(peer, now)
        stages[peer] = .connecting
        return [.lost(peer, .linkEnded(reason: nil))] + connectNext(now)
    }

    mutating func linkEnded(_ peer: Peer, reason: String?, now: Duration) -> [Action] {
        guard let stage = stages[peer] else { return [] }
        guard stage.isConnected else {
            return linkFailed(peer, isInRange: true, now: now)
        }
        recordLoss(peer, now)
        // The first loss may be an accident, so the next attempt does not wait.
        if sightings[peer].map({ $0.failures <= 1 }) ?? false { sightings[peer]?.lastAttempt = nil }
        let actions = release(peer) + [.lost(peer, .linkEnded(reason: reason))]
        return actions + connectNext(now)
    }

    /// Pairing has replaced the address of a device, and with it the identity of its node.
    mutating func moved(_ peer: Peer, to new: Peer, now: Duration) -> [Action] {
        guard let stage = stages[peer] else { return [] }
        guard stages[new] == nil else {
            // The node has another link already, so this one gives its place back.
            let isLost = stage.isConnected
            return release(peer) + (isLost ? [.lost(peer, .released)] : []) + connectNext(now)
        }
        stages[peer] = nil
        stages[new] = stage
        sightings[new] = sightings.removeValue(forKey: peer)
        candidates.remove(new)
        guard case .connected(let identity) = stage else { return [] }
        return [.lost(peer, .released), .connected(new, identity: identity)]
    }

    // MARK: Decisions

    private mutating func connectNext(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        while settings.maximumPeers > 0, let next = nextCandidate(now) {
            if stages.count >= settings.maximumPeers {
                guard let attempt = replaceableAttempts(now).first(where: { $0.end <= now }) else {
                    break
                }
                actions += release(attempt.peer)
                if isScanning { candidates.append(attempt.peer) }
            }
            candidates.remove(next)
            actions.append(connect(next, now))
        }
        return actions + setTimer(nextInstant(now))
    }

    private mutating func connect(_ peer: Peer, _ now: Duration) -> Action {
        stages[peer] = .connecting
        sightings[peer]?.lastAttempt = now
        sightings[peer]?.startedAt = nil
        sightings[peer]?.attemptCount += 1
        sightings[peer]?.connectedSince = nil
        attemptPhase = (attemptPhase + 1) % 4
        return .connect(peer)
    }

    private func nextCandidate(_ now: Duration) -> Peer? {
        let due = dueCandidates(now)
        guard let fewest = due.map({ attemptCount(of: $0) }).min() else { return nil }
        if attemptPhase == 3, let next = due.first(where: { attemptCount(of: $0) > fewest }) {
            return next
        }
        let first = due.filter { attemptCount(of: $0) == fewest }
        return attemptPhase == 1 ? first.last : first.first
    }

    private func dueCandidates(_ now: Duration) -> [Peer] {
        candidates.filter { attemptInstant(of: $0) <= now && isKnown($0, now) }
    }

    /// The attempts, longest first, that end because a node with fewer attempts waits, and the ends of their
    /// shares.
    private func replaceableAttempts(_ now: Duration) -> [(peer: Peer, end: Duration)] {
        guard let fewest = dueCandidates(now).map({ attemptCount(of: $0) }).min() else { return [] }
        let attempts = stages.filter {
            !$0.value.isConnected && sightings[$0.key]?.connectedSince == nil
        }
        let fairShare =
            settings.connectionTimeout * settings.maximumPeers / max(candidates.count, 1)
        return attempts.keys.dropFirst(settings.maximumPeers > 1 ? 1 : 0).compactMap { peer in
            let count = attemptCount(of: peer)
            guard count > fewest, let start = sightings[peer]?.startedAt else { return nil }
            let share = Self.shortestShare * (1 << min(2 * (count - 1), 16))
            return (peer, start + max(share, fairShare))
        }
    }

    /// The instant of the next decision, if one does not follow from an event.
    private func nextInstant(_ now: Duration) -> Duration? {
        let instants = candidates.filter { isKnown($0, now) }.map { attemptInstant(of: $0) }
        let later = instants.filter { $0 > now }.min()
        guard stages.count >= settings.maximumPeers else { return later }
        return ([later] + replaceableAttempts(now).map(\.end)).compactMap(\.self).min()
    }

    private func attemptCount(of peer: Peer) -> Int { sightings[peer]?.attemptCount ?? 0 }

    /// Whether bluetoothd can still connect to a node without a search.
    private func isKnown(_ peer: Peer, _ now: Duration) -> Bool {
        isScanning || sightings[peer].map { now - $0.lastSeen < Self.sightingLifetime } ?? false
    }

    /// The first instant at which a connection to a node may be attempted.
    private func attemptInstant(of peer: Peer) -> Duration {
        guard let sighting = sightings[peer], let last = sighting.lastAttempt else { return .zero }
        let longest = max(settings.peerCacheWindow, Self.longestPause)
        return last
            + min(settings.peerCacheWindow * (1 << min(max(sighting.failures - 1, 0), 16)), longest)
    }

    private func shouldConnect(_ peer: Peer, _ now: Duration) -> Bool {
        guard let sighting = sightings[peer] else { return false }
        return sighting.excludedUntil.map { $0 <= now } ?? true
    }

    private mutating func release(_ peer: Peer) -> [Action] {
        stages[peer] = nil
        return [.release(peer)]
    }

    private mutating func reject(_ peer: Peer, _ now: Duration) -> [Action] {
        let former = sightings[peer]?.rejections ?? 0
        let exclusion = Self.firstExclusion * (1 << min(former, 16))
        sightings[peer]?.rejections = former + 1
        sightings[peer]?.excludedUntil = now + min(exclusion, Self.longestExclusion)
        // A node is reported once.
        return release(peer) + (former == 0 ? [.notAPeer(peer)] : []) + connectNext(now)
    }

    private mutating func recordLoss(_ peer: Peer, _ now: Duration) {
        guard let sighting = sightings[peer], let start = sighting.connectedSince else { return }
        if now - start < Self.steadyTime {
            sightings[peer]?.failures += 1
        } else {
            sightings[peer]?.attemptCount = 0
            sightings[peer]?.failures = 0
        }
    }

    /// Releases all links, the connected ones with a `lost`.
    private mutating func releaseAll(_ loss: Loss) -> [Action] {
        let all = stages
        stages = [:]
        return all.flatMap { peer, stage -> [Action] in
            guard stage.isConnected else { return [.release(peer)] }
            sightings[peer]?.lastAttempt = nil
            return [.release(peer), .lost(peer, loss)]
        }
    }

    private mutating func record(_ peer: Peer, _ now: Duration) {
        guard sightings[peer] == nil else {
            sightings[peer]?.lastSeen = now
            return
        }
        sightings[peer] = Sighting(lastSeen: now)
        guard sightings.count > Self.maximumSightings else { return }
        var oldest: (peer: Peer, lastSeen: Duration)?
        for (peer, sighting) in sightings where stages[peer] == nil {
            if sighting.lastSeen < oldest?.lastSeen ?? .seconds(Int64.max) {
                oldest = (peer, sighting.lastSeen)
            }
        }
        guard let oldest else { return }
        sightings[oldest.peer] = nil
        candidates.remove(oldest.peer)
    }

    private mutating func setTimer(_ next: Duration?) -> [Action] {
        guard next != timer else { return [] }
        timer = next
        return [.setTimer(next)]
    }
}
