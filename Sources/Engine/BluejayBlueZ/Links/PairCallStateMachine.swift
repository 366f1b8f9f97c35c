/// Pairs a device on behalf of all users of its link.
///
/// bluetoothd may never reply to `Pair`, so each caller has its own deadline. When the last caller
/// leaves, the pairing is cancelled; a caller that arrives during the cancellation waits for its end.
/// The caller passes the time; each reply names its call.
///
/// Invariant: each caller is notified exactly once.
struct PairCallStateMachine: Equatable {
    typealias Caller = Int
    typealias LeaseID = Int

    enum Action: Equatable {
        /// Wait until bluetoothd has the agent, then report `prepared`.
        case prepare(Int)
        /// Call `Pair`, then report `replied`.
        case pair(Int)
        /// Call `CancelPairing`, then report `cancelReplied`.
        case cancelPairing(Int)
        /// Call `Disconnect`, unless bluetoothd has replied to `Pair`.
        case disconnect
        /// Notify the caller; `nil` is success.
        case complete(Caller, PairingFailure?)
        /// The cancellation is complete; resume its waiters.
        case cancelled
        /// Report `timerFired` at this time; `nil` disarms the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `preparing`.
        case idle
        /// Next: `pairing`, `idle`.
        case preparing(Int)
        /// Next: `idle`, `cancelling`.
        case pairing(Int)
        /// Next: `idle`, `preparing`.
        case cancelling(Int)
    }

    private struct PendingCall: Equatable {
        let caller: Caller
        let leaseID: LeaseID
        let deadline: Duration
    }

    private var state = State.idle
    private var pendingCalls: [PendingCall] = []
    private var lastCall = 0
    private var armed: Duration?

    /// Whether no call to bluetoothd is pending or being prepared.
    var isIdle: Bool { state == .idle }

    var isCancelling: Bool {
        if case .cancelling = state { return true }
        return false
    }

    /// A caller requests the pairing of the device.
    mutating func start(
        _ caller: Caller,
        of leaseID: LeaseID,
        deadline: Duration,
        isPaired: Bool
    ) -> [Action] {
        guard !isPaired else { return [.complete(caller, nil)] }
        pendingCalls.append(PendingCall(caller: caller, leaseID: leaseID, deadline: deadline))
        return (state == .idle ? prepare() : []) + rearm()
    }

    /// bluetoothd has accepted or refused the agent.
    mutating func prepared(_ call: Int, isPaired: Bool) -> [Action] {
        guard state == .preparing(call) else { return [] }
        guard !isPaired else { return finish(nil) }
        state = .pairing(call)
        return [.pair(call)]
    }

    /// bluetoothd replied to `Pair`.
    mutating func replied(_ call: Int, _ failure: PairingFailure?) -> [Action] {
        guard state == .pairing(call) else { return [] }
        return finish(failure)
    }

    /// bluetoothd reported the device as paired, by any client.
    mutating func paired() -> [Action] {
        guard case .pairing = state else { return [] }
        return finish(nil)
    }

    mutating func cancelCall(_ caller: Caller, _ failure: PairingFailure) -> [Action] {
        removeCallers(failure) { $0.caller == caller }
    }

    /// A user released its lease, or cancelled its calls.
    mutating func cancelCalls(_ leaseID: LeaseID, _ failure: PairingFailure) -> [Action] {
        removeCallers(failure) { $0.leaseID == leaseID }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        return removeCallers(.timedOut) { $0.deadline <= now }
    }

    /// bluetoothd replied to `CancelPairing`.
    mutating func cancelReplied(_ call: Int) -> [Action] {
        guard state == .cancelling(call) else { return [] }
        state = .idle
        return [.cancelled] + (pendingCalls.isEmpty ? [] : prepare())
    }

    /// The link ended, or the device or bluetoothd disappeared.
    mutating func ended(_ failure: BlueZFailure) -> [Action] {
        switch state {
        case .pairing where failure == .linkLost:
            // A `Pair` that arrives after the end of the link connects again.
            [.disconnect] + finish(.bluez(failure))
        case .cancelling: finish(.bluez(failure)) + [.cancelled]
        case .idle, .preparing, .pairing: finish(.bluez(failure))
        }
    }

    // MARK: Steps

    private mutating func prepare() -> [Action] {
        lastCall += 1
        state = .preparing(lastCall)
        return [.prepare(lastCall)]
    }

    private mutating func finish(_ failure: PairingFailure?) -> [Action] {
        state = .idle
        let completed = pendingCalls
        pendingCalls = []
        return completed.map { .complete($0.caller, failure) } + rearm()
    }

    private mutating func removeCallers(
        _ failure: PairingFailure,
        _ isReleased: (PendingCall) -> Bool
    ) -> [Action] {
        let completed = pendingCalls.filter(isReleased)
        guard !completed.isEmpty else { return rearm() }
        pendingCalls.removeAll(where: isReleased)
        var actions: [Action] = []
        if pendingCalls.isEmpty {
            switch state {
            case .idle, .cancelling: break
            case .preparing: state = .idle
            case .pairing(let call):
                state = .cancelling(call)
                actions.append(.cancelPairing(call))
            }
        }
        return actions + completed.map { .complete($0.caller, failure) } + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = pendingCalls.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
