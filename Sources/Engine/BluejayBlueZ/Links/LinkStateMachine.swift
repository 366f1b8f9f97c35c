/// Runs the link to one device, with its users: down, connecting, up, disconnecting, down.
///
/// The first waiting user brings the link up; the last one to leave disconnects it. A user's requests in
/// `attributes` end with that user only. Each reply names its call, so a late reply is not mistaken for
/// another call's. Instants are arguments.
///
/// Invariant: a user that joins is notified exactly once that the link is up or that the attempt failed. A
/// user whose link is up is notified exactly once of its end, unless the user leaves first.
struct LinkStateMachine: Equatable {
    typealias LeaseID = Int

    struct DeviceState: Equatable {
        var isAdapterOn = true
        var isKnown = false
        var isConnected = false
        var services: ConnectStateMachine.Services?
        var isStale = false
        var jitter = Duration.zero
        /// Whether `Disconnect` may end bluetoothd while service discovery is pending.
        var holdsEarlyDisconnect = true
    }

    enum Action: Equatable {
        /// Read the state of the device and report `proceed`.
        case proceed
        case connecting(ConnectStateMachine.Action)
        /// The link is up; its services are those of the object tree.
        case linkUp
        /// Disconnect the link, then report `disconnectReplied` with this number.
        case disconnect(Int)
        /// Report `disconnectTimerFired` after the delay; nil disarms the timer.
        case setDisconnectTimer(Duration?)
        /// Report `doubtTimerFired` after the delay.
        case setDoubtTimer(Duration)
        case attributes(AttributeStateMachine.Action)
        /// The progress of the attempt that the user waits for.
        case progress(LeaseID, LinkProgress)
        case granted(LeaseID)
        case failed(LeaseID, LinkFailure)
        /// The user's `release` is complete.
        case released(LeaseID)
        case ended(LeaseID, LinkDownReason)
    }

    private enum Phase: Equatable {
        /// Next: `connecting`.
        case down
        /// `connect` is bringing the link up. Next: `up`, `down`.
        case connecting
        /// Next: `disconnecting`, `down`.
        case up
        /// `Disconnect` is pending, or `Connected` lags its reply. Next: `down`, or once more this phase.
        case disconnecting(call: Int, isRepeated: Bool = false)
    }

    private enum Stage: Equatable {
        case waiting
        /// The user has cancelled, and pending calls must be cancelled first.
        case cancelled(LinkFailure)
        case active
        /// The user waits for the link to go down.
        case releasing
    }

    private struct Entry: Equatable {
        let lease: LeaseID
        var stage: Stage
        /// The progress that the user was last notified of.
        var reportedProgress: LinkProgress?
    }

    /// The time that `Connected` may lag the reply of `Disconnect`.
    static let disconnectSettleTime = Duration.seconds(3)
    /// The time for which bluetoothd may reply only "Not connected" while `Connected` is true.
    ///
    /// It does so for 2 s when another program disconnects.
    static let doubtTime = Duration.seconds(3)

    private var phase = Phase.down
    private var connect = ConnectStateMachine()
    private var entries: [Entry] = []
    private var lastCall = 0
    private(set) var attributes = AttributeStateMachine()
    /// The instant of the first "Not connected" since the last other answer; nil without one.
    private var doubtedSince: Duration?

    /// Whether the link outlasts its users, for example for a channel that the peer opened.
    var isRetained = false
    /// Whether a user that left before the others requested a disconnect.
    private var isDisconnectRequested = false

    var isLocallyInitiated: Bool { connect.isLocallyInitiated }

    var isUp: Bool { phase == .up }

    var isIdle: Bool { phase == .down && entries.isEmpty }

    /// Whether the link is up or an attempt runs, and no user needs it.
    var isEnding: Bool {
        phase != .down && !entries.contains { $0.stage == .waiting || $0.stage == .active }
    }

    func hasLease(_ leaseID: LeaseID) -> Bool { stage(of: leaseID) != nil }

    /// Whether a user uses the link, which is up.
    func isActive(_ leaseID: LeaseID) -> Bool {
        phase == .up && stage(of: leaseID) == .active
    }

    // MARK: Users

    /// Notifies users of progress that they have not seen; called after each event.
    mutating func progressed() -> [Action] {
        guard let progress, entries.contains(where: { $0.reportedProgress != progress }) else {
            return []
        }
        var actions: [Action] = []
        for index in entries.indices where entries[index].reportedProgress != progress {
            switch entries[index].stage {
            case .waiting, .active: break
            case .cancelled, .releasing: continue
            }
            entries[index].reportedProgress = progress
            actions.append(.progress(entries[index].lease, progress))
        }
        return actions
    }

    private var progress: LinkProgress? {
        switch phase {
        case .connecting: connect.progress
        case .up: .servicesResolved
        case .down, .disconnecting: nil
        }
    }

    mutating func addLease(_ leaseID: LeaseID) -> [Action] {
        entries.append(Entry(lease: leaseID, stage: .waiting))
        return [.proceed]
    }

    /// A waiting user cancels; it fails with `failure` when none of its calls is pending.
    mutating func cancel(
        _ leaseID: LeaseID,
        _ failure: LinkFailure,
        disconnecting: DisconnectPolicy = .always
    ) -> [Action] {
        guard stage(of: leaseID) == .waiting else { return [] }
        setStage(of: leaseID, .cancelled(failure))
        guard phase == .connecting, !hasWaitingLease else {
            remove(leaseID)
            return [.failed(leaseID, failure)]
        }
        return cancelAttempt(disconnecting)
    }

    /// A user leaves; `released` reports that the link is down or in use by others.
    mutating func release(
        _ leaseID: LeaseID,
        disconnecting: DisconnectPolicy = .always,
        now: Duration
    )
        -> [Action]
    {
        switch stage(of: leaseID) {
        case .releasing, nil: return [.released(leaseID)]
        case .waiting, .cancelled:
            remove(leaseID)
            let endsAttempt = phase == .connecting && !hasWaitingLease
            return (endsAttempt ? cancelAttempt(disconnecting) : []) + [.released(leaseID)]
        case .active:
            if disconnecting == .always { isDisconnectRequested = true }
            guard phase == .up, !hasOthers(than: leaseID) else {
                remove(leaseID)
                return Self.wrap(attributes.leaseReleased(leaseID, .linkLost, now: now)) + [
                    .released(leaseID)
                ]
            }
            setStage(of: leaseID, .releasing)
            return disconnect(disconnecting)
        }
    }

    /// The lease of a user was deallocated.
    mutating func leaseDeinitialized(
        _ leaseID: LeaseID,
        disconnecting: DisconnectPolicy = .always,
        now: Duration
    ) -> [Action] {
        guard let stage = stage(of: leaseID) else { return [] }
        if stage == .active, disconnecting == .always { isDisconnectRequested = true }
        remove(leaseID)
        switch phase {
        case .connecting where !hasWaitingLease: return cancelAttempt(disconnecting)
        case .up where entries.isEmpty: return disconnect(disconnecting)
        case .connecting, .down, .disconnecting, .up:
            return Self.wrap(attributes.leaseReleased(leaseID, .cancelled, now: now))
        }
    }

    /// Passes an event to `attributes`, in place.
    mutating func withAttributes<Result>(_ event: (inout AttributeStateMachine) -> Result) -> Result
    {
        event(&attributes)
    }

    // MARK: Connecting

    /// Starts an attempt if a user waits and the link is down.
    mutating func proceed(_ state: DeviceState, now: Duration) -> [Action] {
        let waitingLeases = entries.filter { $0.stage == .waiting }.map(\.lease)
        guard !waitingLeases.isEmpty else { return [] }
        switch phase {
        case .connecting:
            return perform(connect.resume(isConnected: state.isConnected, now: now))
        case .disconnecting: return []
        case .up: return waitingLeases.flatMap { grant($0) }
        case .down:
            guard state.isAdapterOn else {
                return waitingLeases.flatMap { failLease($0, .unavailable) }
            }
            phase = .connecting
            isDisconnectRequested = false
            connect = ConnectStateMachine(
                after: connect,
                holdsEarlyDisconnect: state.holdsEarlyDisconnect
            )
            return perform(
                connect.start(
                    known: state.isKnown,
                    connected: state.isConnected,
                    services: state.services,
                    isStale: state.isStale,
                    jitter: state.jitter,
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
    mutating func connectedLate(_ state: DeviceState, now: Duration) -> [Action] {
        guard isIdle, !isRetained else { return [] }
        phase = .connecting
        connect = ConnectStateMachine(
            after: connect,
            holdsEarlyDisconnect: state.holdsEarlyDisconnect
        )
        let isResolving = state.isConnected && state.services == nil
        return perform(connect.startDisconnect(isResolving: isResolving, now: now))
    }

    mutating func disconnectReplied(_ call: Int, isConnected: Bool) -> [Action] {
        guard case .disconnecting(call, _) = phase else { return [] }
        // `Connected` turns false after the reply; otherwise the timer reports the end.
        return isConnected ? [.setDisconnectTimer(Self.disconnectSettleTime)] : down(.requested)
    }

    /// `Connected` did not turn false in time: a second `Disconnect` follows, for which no user waits.
    mutating func disconnectTimerFired() -> [Action] {
        guard case .disconnecting(_, let isRepeated) = phase else { return [] }
        let actions = down(.requested)
        return isRepeated ? actions : actions + startDisconnect(isRepeated: true)
    }

    // The next attempt waits for the disconnect: it would find the same link.
    private mutating func startDisconnect(isRepeated: Bool = false) -> [Action] {
        lastCall += 1
        phase = .disconnecting(call: lastCall, isRepeated: isRepeated)
        return [.disconnect(lastCall)]
    }

    mutating func lost(reason: String?) -> [Action] {
        switch phase {
        case .up: return down(.lost(reason: reason))
        case .disconnecting: return down(.requested)
        case .down, .connecting: return []
        }
    }

    /// bluetoothd has replied to a request; an answer of the peripheral shows that the link exists.
    mutating func replied(_ failure: BlueZFailure?) {
        switch failure {
        case nil, .attribute, .notPaired: doubtedSince = nil
        default: break
        }
    }

    /// bluetoothd has replied to a request, and so ended a call of `attributes`.
    mutating func replied(
        _ call: AttributeStateMachine.CallNumber,
        _ failure: BlueZFailure?,
        now: Duration
    ) -> [AttributeStateMachine.Action] {
        replied(failure)
        return attributes.replied(call, failure, now: now)
    }

    /// bluetoothd has replied "Not connected" to a request.
    mutating func refusedAsNotConnected(now: Duration) -> [Action] {
        guard phase == .up, doubtedSince == nil else { return [] }
        doubtedSince = now
        return [.setDoubtTimer(Self.doubtTime)]
    }

    /// Ends a link that exists only in the properties of bluetoothd.
    mutating func doubtTimerFired(now: Duration) -> [Action] {
        guard phase == .up, let doubtedSince, now - doubtedSince >= Self.doubtTime else {
            return []
        }
        let actions = down(.lost(reason: nil))
        return actions + startDisconnect()
    }

    /// The adapter or bluetoothd became unavailable.
    ///
    /// With `isDaemonRunning`, bluetoothd can still end notifications.
    mutating func unavailable(isDaemonRunning: Bool) -> [Action] {
        switch phase {
        case .connecting: return perform(connect.unavailable())
        case .up: return down(.unavailable, sendsStopNotify: isDaemonRunning)
        case .disconnecting: return down(.requested, sendsStopNotify: isDaemonRunning)
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
        guard phase == .connecting, connect.isCancellationReported else { return all }
        // A user that joined during the cancellation uses the link.
        let resumes = connect.isDisconnectDeferred && hasWaitingLease
        return all + failCancelled() + (resumes ? [.proceed] : [])
    }

    private mutating func finish(_ outcome: ConnectStateMachine.Outcome) -> [Action] {
        var actions: [Action] = []
        switch outcome {
        case .connected:
            phase = .up
            doubtedSince = nil
            actions.append(.linkUp)
            for leaseID in leases(.waiting) { actions += grant(leaseID) }
        case .failed(let text): actions = fail(.failed(text))
        case .pairingRequired(let text): actions = fail(.pairing(text))
        case .daemonUnreachable(let failure): actions = fail(failure)
        case .unavailable: actions = fail(.unavailable)
        // A user that joined during the cancellation waits for the next attempt.
        case .cancelled: phase = .down
        }
        actions += failCancelled()
        if phase == .up, entries.isEmpty { return actions + disconnect(.always) }
        return actions + [.proceed]
    }

    private mutating func fail(_ failure: LinkFailure) -> [Action] {
        phase = .down
        return leases(.waiting).flatMap { failLease($0, failure) }
    }

    private mutating func failCancelled() -> [Action] {
        entries.flatMap { entry -> [Action] in
            guard case .cancelled(let failure) = entry.stage else { return [] }
            return failLease(entry.lease, failure)
        }
    }

    private mutating func cancelAttempt(_ policy: DisconnectPolicy) -> [Action] {
        perform(connect.cancel(disconnectsExternal: policy == .always))
    }

    private mutating func disconnect(_ policy: DisconnectPolicy) -> [Action] {
        let isLocal = connect.isLocallyInitiated || isDisconnectRequested
        guard policy.disconnects(isLocal: isLocal), !isRetained else { return detach() }
        let call = startDisconnect()
        // Notification sessions belong to the bus connection and would outlive the link.
        return Self.wrap(attributes.linkEnded(.linkLost, sendsStopNotify: true)) + call
    }

    // The link loses its last user and stays up.
    private mutating func detach() -> [Action] {
        phase = .down
        let released = leases(.releasing)
        entries.removeAll { $0.stage == .releasing }
        return Self.wrap(attributes.linkEnded(.linkLost, sendsStopNotify: true))
            + released.map { .released($0) }
    }

    // Users are notified of the end first, so that a failed request does not make them start another.
    private mutating func down(_ end: LinkDownReason, sendsStopNotify: Bool = true) -> [Action] {
        phase = .down
        var actions: [Action] = [.setDisconnectTimer(nil)]
        for entry in entries {
            switch entry.stage {
            case .releasing: actions.append(.released(entry.lease))
            case .active: actions.append(.ended(entry.lease, end))
            case .waiting, .cancelled: break
            }
        }
        entries.removeAll { $0.stage == .releasing || $0.stage == .active }
        let failure: BlueZFailure = end == .unavailable ? .daemonLost : .linkLost
        actions += Self.wrap(attributes.linkEnded(failure, sendsStopNotify: sendsStopNotify))
        return actions + [.proceed]
    }

    private mutating func grant(_ leaseID: LeaseID) -> [Action] {
        setStage(of: leaseID, .active)
        return [.granted(leaseID)]
    }

    private mutating func failLease(_ leaseID: LeaseID, _ failure: LinkFailure) -> [Action] {
        remove(leaseID)
        return [.failed(leaseID, failure)]
    }

    // Static: a call on the machine would hold a copy of it while its argument is evaluated.
    private static func wrap(_ actions: [AttributeStateMachine.Action]) -> [Action] {
        actions.map { .attributes($0) }
    }

    private var hasWaitingLease: Bool { entries.contains { $0.stage == .waiting } }

    private func hasOthers(than leaseID: LeaseID) -> Bool {
        entries.contains { $0.lease != leaseID }
    }

    private func leases(_ stage: Stage) -> [LeaseID] {
        entries.filter { $0.stage == stage }.map(\.lease)
    }

    private func stage(of leaseID: LeaseID) -> Stage? {
        entries.first { $0.lease == leaseID }?.stage
    }

    private mutating func setStage(of leaseID: LeaseID, _ stage: Stage) {
        guard let index = entries.firstIndex(where: { $0.lease == leaseID }) else { return }
        entries[index].stage = stage
    }

    private mutating func remove(_ leaseID: LeaseID) {
        entries.removeAll { $0.lease == leaseID }
    }
}
