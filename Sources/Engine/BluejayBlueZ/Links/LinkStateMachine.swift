/// The whole life of the link to one device, with its users in it: down, connecting, up, leaving, down.
///
/// The first user who waits brings it up, the last one who leaves cuts it. What a user asks of the
/// characteristics is in `attributes` and ends with the user, and with nobody else's end. Instants are
/// arguments; each answer names its call, so that a late one is not taken for another's.
///
/// Invariant: a user who joined is told exactly once that the link is up or that it will not be; one who
/// was told that it is up is told exactly once of the end, unless it has gone by itself before.
struct LinkStateMachine: Equatable {
    typealias User = Int

    /// What is known of the device when the link has to come up.
    struct DeviceState: Equatable {
        var isAdapterOn = true
        var isKnown = false
        var isConnected = false
        /// Nil while the services are not resolved.
        var services: ConnectStateMachine.Services?
        /// Whether the link is that of a bluetoothd that was killed.
        var isStale = false
        /// Up to 250 ms, another one each time.
        var jitter = Duration.zero
    }

    /// What to do.
    enum Action: Equatable {
        /// Find out the situation and report `proceed`.
        case proceed
        case connecting(ConnectStateMachine.Action)
        /// The link is up: its services are those of the tree from now on.
        case cameUp
        /// Cut the link, then report `disconnectReplied` with the number.
        case disconnect(Int)
        /// Report `leaveTimeIsOver` after the delay; nil disarms it.
        case setLeaveTimer(Duration?)
        case attributes(AttributeStateMachine.Action)
        /// How far the link is that the user waits for.
        case progress(User, LinkProgress)
        /// The user's wait is over.
        case joined(User)
        case refused(User, LinkFailure)
        /// What the user asked for by `leave` is done.
        case left(User)
        /// The link has gone under the user.
        case ended(User, LinkDownReason)
    }

    private enum Phase: Equatable {
        /// Next: `connecting`.
        case down
        /// `connect` brings it up. Next: `up`, `down`.
        case connecting
        /// Next: `leaving`, `down`.
        case up
        /// `Disconnect` is under way, or `Connected` lags behind its answer. Next: `down`.
        case leaving(call: Int)
    }

    private enum Stage: Equatable {
        /// Until the link is up.
        case waiting
        /// Does not want it any more, but what is pending has to be taken back first.
        case withdrawn(LinkFailure)
        case member
        /// Waits for the link to be cut.
        case leaving
    }

    private struct Entry: Equatable {
        let user: User
        var stage: Stage
        /// What the user was told last.
        var told: LinkProgress?
    }

    /// How long `Connected` may lag behind the answer of `Disconnect`.
    static let leaveTime = Duration.seconds(3)

    private var phase = Phase.down
    private var connect = ConnectStateMachine()
    private var entries: [Entry] = []
    private var lastCall = 0
    /// What the users ask of the characteristics.
    private(set) var attributes = AttributeStateMachine()

    /// Whether something that is no user has the link, such as a channel that the peer opened: then the
    /// last user leaves it rather than cutting it.
    var isHeld = false
    /// Whether a user that released the link before the others asked to cut it.
    private var isCutWanted = false

    /// Whether a `Connect` of this program made the link.
    var isDialled: Bool { connect.isDialled }

    /// Whether the link is up and its services are known.
    var isUp: Bool { phase == .up }

    /// Whether nothing is under way and nobody has a part in it.
    var isIdle: Bool { phase == .down && entries.isEmpty }

    /// Whether a user has joined and has not gone.
    func knows(_ user: User) -> Bool { stage(of: user) != nil }

    /// Whether a user has a part in the link that is up.
    func isMember(_ user: User) -> Bool {
        phase == .up && stage(of: user) == .member
    }

    // MARK: Users

    /// Tells those who wait how far it is, if they do not know it yet; asked after each event.
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

    /// Somebody wants the link.
    mutating func join(_ user: User) -> [Action] {
        entries.append(Entry(user: user, stage: .waiting))
        return [.proceed]
    }

    /// Somebody who waits for the link does not want it any more; it is refused with `failure` when
    /// nothing of it is pending any more.
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

    /// Somebody leaves; told by `left` when the link is down or others still use it.
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

    /// Uses `attributes` on behalf of a user; what comes back is to be performed.
    mutating func ask(
        _ question: (inout AttributeStateMachine) -> [AttributeStateMachine.Action]
    ) -> [AttributeStateMachine.Action] {
        question(&attributes)
    }

    // MARK: Coming up

    /// Begins, when somebody waits and nothing is under way.
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

    /// Tells the attempt that is under way what has happened; nothing happens without one.
    mutating func attempt(_ event: (inout ConnectStateMachine) -> [ConnectStateMachine.Action])
        -> [Action]
    {
        guard phase == .connecting else { return [] }
        return perform(event(&connect))
    }

    // MARK: Going down

    /// `Connect` succeeded although its attempt has ended: a link without an owner is cut, as soon as
    /// that is safe.
    mutating func connectedLate(_ situation: DeviceState, now: Duration) -> [Action] {
        guard isIdle, !isHeld else { return [] }
        phase = .connecting
        connect = ConnectStateMachine(after: connect)
        let isResolving = situation.isConnected && situation.services == nil
        return perform(connect.cut(isResolving: isResolving, now: now))
    }

    /// `Disconnect` answered.
    mutating func disconnectReplied(_ call: Int, isConnected: Bool) -> [Action] {
        guard phase == .leaving(call: call) else { return [] }
        // `Connected` turns false after the answer; when it does not, it is said all the same.
        return isConnected ? [.setLeaveTimer(Self.leaveTime)] : down(.requested)
    }

    /// `Connected` did not turn false in time.
    mutating func leaveTimeIsOver() -> [Action] {
        guard case .leaving = phase else { return [] }
        return down(.requested)
    }

    /// The link is down.
    mutating func lost(reason: String?) -> [Action] {
        switch phase {
        case .up: return down(.lost(reason: reason))
        case .leaving: return down(.requested)
        case .down, .connecting: return []
        }
    }

    /// The adapter went off or away, or bluetoothd did.
    ///
    /// - Parameter isDaemonThere: Whether bluetoothd can still be told to end notifications.
    /// - Returns: What to do.
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
        // Who came while it was being given up waits for the next attempt.
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
        // Sessions belong to the connection to the bus and would outlive the link.
        return Self.wrap(attributes.linkEnded(.linkLost, stops: true)) + [.disconnect(lastCall)]
    }

    // Nobody of ours uses it any more, and it stays up.
    private mutating func letGo() -> [Action] {
        phase = .down
        let left = users(.leaving)
        entries.removeAll { $0.stage == .leaving }
        return Self.wrap(attributes.linkEnded(.linkLost, stops: true)) + left.map { .left($0) }
    }

    // The users hear of the end first: nothing begins because something before it has failed.
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

    // Static: what is called on the machine holds a copy of it while its argument is made.
    private static func wrap(_ actions: [AttributeStateMachine.Action]) -> [Action] {
        actions.map { .attributes($0) }
    }

    /// Whether anybody still waits for the link to come up.
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
