/// Runs the link to one device, with its users: down, connecting, up, leaving, down.
///
/// The first waiting user brings the link up; the last one to leave disconnects it. A user's requests in
/// `attributes` end with that user only. Each reply names its call, so a late reply is not taken for
/// another call's. Instants are arguments.
///
/// Invariant: a user that joins is notified exactly once that the link is up or that the attempt failed. A
/// user whose link is up is notified exactly once of its end, unless the user leaves first.
struct LinkStateMachine: Equatable {
    typealias User = Int

    struct DeviceState: Equatable {
        var isAdapterOn = true
        var isKnown = false
        var isConnected = false
        var services: ConnectStateMachine.Services?
        var isStale = false
        var jitter = Duration.zero
    }

    enum Action: Equatable {
        /// Read the state of the device and report `proceed`.
        case proceed
        case connecting(ConnectStateMachine.Action)
        /// The link is up; its services are those of the object tree.
        case cameUp
        /// Disconnect the link, then report `disconnectReplied` with this number.
        case disconnect(Int)
        /// Report `leaveTimeIsOver` after the delay; nil disarms the timer.
        case setLeaveTimer(Duration?)
        case attributes(AttributeStateMachine.Action)
        /// The progress of the attempt that the user waits for.
        case progress(User, LinkProgress)
        case joined(User)
        case refused(User, LinkFailure)
        /// The user's `leave` is complete.
        case left(User)
        case ended(User, LinkDownReason)
    }

    private enum Phase: Equatable {
        /// Next: `connecting`.
        case down
        /// `connect` is bringing the link up. Next: `up`, `down`.
        case connecting
        /// Next: `leaving`, `down`.
        case up
        /// `Disconnect` is pending, or `Connected` lags its reply. Next: `down`.
        case leaving(call: Int)
    }

    private enum Stage: Equatable {
        case waiting
        /// The user has withdrawn, and pending calls must be cancelled first.
        case withdrawn(LinkFailure)
        case member
        /// The user waits for the link to go down.
        case leaving
    }

    private struct Entry: Equatable {
        let user: User
        var stage: Stage
        /// The progress that the user was last notified of.
        var told: LinkProgress?
    }

    /// The time that `Connected` may lag the reply of `Disconnect`.
    static let leaveTime = Duration.seconds(3)

    private var phase = Phase.down
    private var connect = ConnectStateMachine()
    private var entries: [Entry] = []
    private var lastCall = 0
    private(set) var attributes = AttributeStateMachine()

    /// Whether the link outlasts its users, for example for a channel that the peer opened.
    var isHeld = false
    /// Whether a user that left before the others asked to disconnect the link.
    private var isCutWanted = false

    var isDialled: Bool { connect.isDialled }

    var isUp: Bool { phase == .up }

    var isIdle: Bool { phase == .down && entries.isEmpty }

    func knows(_ user: User) -> Bool { stage(of: user) != nil }

    /// Whether a user uses the link, which is up.
    func isMember(_ user: User) -> Bool {
        phase == .up && stage(of: user) == .member
    }

    // MARK: Users

    /// Notifies users of progress that they have not seen; called after each event.
    mutating func progressed() -> [Action] {
        guard let progress, entries.contains(where: { $0.told != progress }) else { return [] }
        var actions: [Action] = []
        for index in entries.indices where entries[index].told != progress {
            switch entries[index].stage {
            case .waiting, .member: break
            case .withdrawn, .leaving: continue
            }
            entries[index].told = progress
            actions.append(.progress(entries[index].user, progress))
        }
        return actions
    }

    private var progress: LinkProgress? {
        switch phase {
        case .connecting: connect.progress
        case .up: .resolved
        case .down, .leaving: nil
        }
    }

    mutating func join(_ user: User) -> [Action] {
        entries.append(Entry(user: user, stage: .waiting))
        return [.proceed]
    }

    /// A waiting user withdraws; it is refused with `failure` when none of its calls is pending.
    mutating func withdraw(
        _ user: User,
        _ failure: LinkFailure,
        cutting: LinkCut = .always
    ) -> [Action] {
        guard stage(of: user) == .waiting else { return [] }
        setStage(of: user, .withdrawn(failure))
        guard phase == .connecting, !isWanted else {
            remove(user)
            return [.refused(user, failure)]
        }
        let actions = abandon(cutting)
        // The caller does not wait for a `Disconnect` that is held.
        return connect.isHolding ? actions + refuseWithdrawn() : actions
    }

    /// A user leaves; `left` reports that the link is down or left to other users.
    mutating func leave(_ user: User, cutting: LinkCut = .always, now: Duration) -> [Action] {
        switch stage(of: user) {
        case .leaving, nil: return [.left(user)]
        case .waiting, .withdrawn:
            remove(user)
            let isOver = phase == .connecting && !isWanted
            return (isOver ? abandon(cutting) : []) + [.left(user)]
        case .member:
            if cutting == .always { isCutWanted = true }
            guard phase == .up, !hasOthers(than: user) else {
                remove(user)
                return Self.wrap(attributes.left(user, .linkLost, now: now)) + [.left(user)]
            }
            setStage(of: user, .leaving)
            return cut(cutting)
        }
    }

    /// The lease of a user was deallocated.
    mutating func forget(_ user: User, cutting: LinkCut = .always, now: Duration) -> [Action] {
        guard let stage = stage(of: user) else { return [] }
        if stage == .member, cutting == .always { isCutWanted = true }
        remove(user)
        switch phase {
        case .connecting where !isWanted: return abandon(cutting)
        case .up where entries.isEmpty: return cut(cutting)
        case .connecting, .down, .leaving, .up:
            return Self.wrap(attributes.left(user, .cancelled, now: now))
        }
    }

    mutating func ask(
        _ question: (inout AttributeStateMachine) -> [AttributeStateMachine.Action]
    ) -> [AttributeStateMachine.Action] {
        question(&attributes)
    }

    // MARK: Connecting

    /// Starts an attempt if a user waits and the link is down.
    mutating func proceed(_ situation: DeviceState, now: Duration) -> [Action] {
        let waiting = entries.filter { $0.stage == .waiting }.map(\.user)
        guard !waiting.isEmpty else { return [] }
        switch phase {
        case .connecting:
            return perform(connect.resume(isConnected: situation.isConnected, now: now))
        case .leaving: return []
        case .up: return waiting.flatMap { admit($0) }
        case .down:
            guard situation.isAdapterOn else {
                return waiting.flatMap { refuse($0, .unavailable) }
            }
            phase = .connecting
            isCutWanted = false
            connect = ConnectStateMachine(after: connect)
            return perform(
                connect.start(
                    known: situation.isKnown,
                    connected: situation.isConnected,
                    services: situation.services,
                    isStale: situation.isStale,
                    jitter: situation.jitter,
                    now: now
                )
            )
        }
    }

    /// Passes an event to the current attempt; ignored without an attempt.
    mutating func attempt(_ event: (inout ConnectStateMachine) -> [ConnectStateMachine.Action])
        -> [Action]
    {
        guard phase == .connecting else { return [] }
        return perform(event(&connect))
    }

    // MARK: Disconnecting

    /// `Connect` succeeded after its attempt ended: the link is disconnected, as soon as that is safe.
    mutating func connectedLate(_ situation: DeviceState, now: Duration) -> [Action] {
        guard isIdle, !isHeld else { return [] }
        phase = .connecting
        connect = ConnectStateMachine(after: connect)
        let isResolving = situation.isConnected && situation.services == nil
        return perform(connect.cut(isResolving: isResolving, now: now))
    }

    mutating func disconnectReplied(_ call: Int, isConnected: Bool) -> [Action] {
        guard phase == .leaving(call: call) else { return [] }
        // `Connected` turns false after the reply; otherwise the timer reports the end.
        return isConnected ? [.setLeaveTimer(Self.leaveTime)] : down(.requested)
    }

    /// `Connected` did not turn false in time.
    mutating func leaveTimeIsOver() -> [Action] {
        guard case .leaving = phase else { return [] }
        return down(.requested)
    }

    mutating func lost(reason: String?) -> [Action] {
        switch phase {
        case .up: return down(.lost(reason: reason))
        case .leaving: return down(.requested)
        case .down, .connecting: return []
        }
    }

    /// The adapter or bluetoothd became unavailable.
    ///
    /// With `isDaemonThere`, bluetoothd can still end notifications.
    mutating func unavailable(isDaemonThere: Bool) -> [Action] {
        switch phase {
        case .connecting: return perform(connect.unavailable())
        case .up: return down(.unavailable, stops: isDaemonThere)
        case .leaving: return down(.requested, stops: isDaemonThere)
        case .down: return []
        }
    }

    // MARK: Steps

    private mutating func perform(_ actions: [ConnectStateMachine.Action]) -> [Action] {
        var all: [Action] = []
        for action in actions {
            guard case .finish(let outcome) = action else {
                all.append(.connecting(action))
                continue
            }
            all += finish(outcome)
        }
        return all
    }

    private mutating func finish(_ outcome: ConnectStateMachine.Outcome) -> [Action] {
        var actions: [Action] = []
        switch outcome {
        case .connected:
            phase = .up
            actions.append(.cameUp)
            for user in users(.waiting) { actions += admit(user) }
        case .failed(let text): actions = fail(.failed(text))
        case .unpaired(let text): actions = fail(.pairing(text))
        case .unreached(let failure): actions = fail(failure)
        case .unavailable: actions = fail(.unavailable)
        // A user that joined during the abandoning waits for the next attempt.
        case .abandoned: phase = .down
        }
        actions += refuseWithdrawn()
        if phase == .up, entries.isEmpty { return actions + cut(.always) }
        return actions + [.proceed]
    }

    private mutating func fail(_ failure: LinkFailure) -> [Action] {
        phase = .down
        return users(.waiting).flatMap { refuse($0, failure) }
    }

    private mutating func refuseWithdrawn() -> [Action] {
        entries.flatMap { entry -> [Action] in
            guard case .withdrawn(let failure) = entry.stage else { return [] }
            return refuse(entry.user, failure)
        }
    }

    private mutating func abandon(_ cutting: LinkCut) -> [Action] {
        perform(connect.abandon(cutsForeign: cutting == .always))
    }

    private mutating func cut(_ cutting: LinkCut) -> [Action] {
        let isOurs = connect.isDialled || isCutWanted
        guard cutting.cuts(isOurs: isOurs), !isHeld else { return letGo() }
        lastCall += 1
        phase = .leaving(call: lastCall)
        // Notification sessions belong to the bus connection and would outlive the link.
        return Self.wrap(attributes.linkEnded(.linkLost, stops: true)) + [.disconnect(lastCall)]
    }

    // The link loses its last user and stays up.
    private mutating func letGo() -> [Action] {
        phase = .down
        let left = users(.leaving)
        entries.removeAll { $0.stage == .leaving }
        return Self.wrap(attributes.linkEnded(.linkLost, stops: true)) + left.map { .left($0) }
    }

    // Users are notified of the end first, so that a failed request does not make them start another.
    private mutating func down(_ end: LinkDownReason, stops: Bool = true) -> [Action] {
        phase = .down
        var actions: [Action] = [.setLeaveTimer(nil)]
        for entry in entries {
            switch entry.stage {
            case .leaving: actions.append(.left(entry.user))
            case .member: actions.append(.ended(entry.user, end))
            case .waiting, .withdrawn: break
            }
        }
        entries.removeAll { $0.stage == .leaving || $0.stage == .member }
        let failure: BlueZFailure = end == .unavailable ? .daemonGone : .linkLost
        actions += Self.wrap(attributes.linkEnded(failure, stops: stops))
        return actions + [.proceed]
    }

    private mutating func admit(_ user: User) -> [Action] {
        setStage(of: user, .member)
        return [.joined(user)]
    }

    private mutating func refuse(_ user: User, _ failure: LinkFailure) -> [Action] {
        remove(user)
        return [.refused(user, failure)]
    }

    // Static: a call on the machine would hold a copy of it while its argument is evaluated.
    private static func wrap(_ actions: [AttributeStateMachine.Action]) -> [Action] {
        actions.map { .attributes($0) }
    }

    private var isWanted: Bool { entries.contains { $0.stage == .waiting } }

    private func hasOthers(than user: User) -> Bool { entries.contains { $0.user != user } }

    private func users(_ stage: Stage) -> [User] {
        entries.filter { $0.stage == stage }.map(\.user)
    }

    private func stage(of user: User) -> Stage? { entries.first { $0.user == user }?.stage }

    private mutating func setStage(of user: User, _ stage: Stage) {
        guard let index = entries.firstIndex(where: { $0.user == user }) else { return }
        entries[index].stage = stage
    }

    private mutating func remove(_ user: User) {
        entries.removeAll { $0.user == user }
    }
}
