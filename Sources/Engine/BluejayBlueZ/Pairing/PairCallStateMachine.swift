/// Decides when a device is asked to pair, for all users of its link at once.
///
/// bluetoothd may never answer `Pair`: each caller has a limit of its own, and the last one who waits no
/// more has the pairing cancelled. Whoever comes while it is being cancelled waits for that. Instants are
/// arguments; each answer names its call.
///
/// Invariant: each caller is told exactly once.
struct PairCallStateMachine: Equatable {
    typealias Caller = Int
    typealias User = Int

    /// What to do.
    enum Action: Equatable {
        /// Wait until bluetoothd has the agent, then report `prepared`.
        case prepare(Int)
        /// Call `Pair`, then report `replied`.
        case pair(Int)
        /// Call `CancelPairing`, then report `cancelReplied`.
        case cancelPairing(Int)
        /// Nil is success.
        case tell(Caller, PairingFailure?)
        /// The pairing that was to be taken back is: whoever waits for that goes on.
        case quiet
        /// Report `timerFired` at the instant; nil disarms it.
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

    private struct Waiting: Equatable {
        let caller: Caller
        let user: User
        let deadline: Duration
    }

    private var state = State.idle
    private var waiting: [Waiting] = []
    private var lastCall = 0
    private var armed: Duration?

    /// Whether nothing is asked of bluetoothd.
    var isIdle: Bool { state == .idle }

    /// Whether a pairing is being taken back.
    var isCancelling: Bool {
        if case .cancelling = state { return true }
        return false
    }

    /// Somebody wants the device to be paired.
    mutating func begin(
        _ caller: Caller,
        of user: User,
        deadline: Duration,
        isPaired: Bool
    ) -> [Action] {
        guard !isPaired else { return [.tell(caller, nil)] }
        waiting.append(Waiting(caller: caller, user: user, deadline: deadline))
        return (state == .idle ? prepare() : []) + rearm()
    }

    /// bluetoothd has the agent, or will not have it.
    mutating func prepared(_ call: Int, isPaired: Bool) -> [Action] {
        guard state == .preparing(call) else { return [] }
        guard !isPaired else { return finish(nil) }
        state = .pairing(call)
        return [.pair(call)]
    }

    /// `Pair` was answered.
    mutating func replied(_ call: Int, _ failure: PairingFailure?) -> [Action] {
        guard state == .pairing(call) else { return [] }
        return finish(failure)
    }

    /// bluetoothd says that the device is paired, whoever did it.
    mutating func paired() -> [Action] {
        guard case .pairing = state else { return [] }
        return finish(nil)
    }

    /// Somebody waits no more.
    mutating func withdraw(_ caller: Caller, _ failure: PairingFailure) -> [Action] {
        release(failure) { $0.caller == caller }
    }

    /// A user has gone, or takes back what he asked for.
    mutating func left(_ user: User, _ failure: PairingFailure) -> [Action] {
        release(failure) { $0.user == user }
    }

    /// The timer fired.
    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        return release(.timedOut) { $0.deadline <= now }
    }

    /// `CancelPairing` was answered.
    mutating func cancelReplied(_ call: Int) -> [Action] {
        guard state == .cancelling(call) else { return [] }
        state = .idle
        return [.quiet] + (waiting.isEmpty ? [] : prepare())
    }

    /// The link, the device or bluetoothd has gone.
    mutating func ended(_ failure: BlueZFailure) -> [Action] {
        let wasCancelling = isCancelling
        return finish(.bluez(failure)) + (wasCancelling ? [.quiet] : [])
    }

    // MARK: Steps

    private mutating func prepare() -> [Action] {
        lastCall += 1
        state = .preparing(lastCall)
        return [.prepare(lastCall)]
    }

    private mutating func finish(_ failure: PairingFailure?) -> [Action] {
        state = .idle
        let told = waiting
        waiting = []
        return told.map { .tell($0.caller, failure) } + rearm()
    }

    private mutating func release(
        _ failure: PairingFailure,
        _ isReleased: (Waiting) -> Bool
    ) -> [Action] {
        let told = waiting.filter(isReleased)
        guard !told.isEmpty else { return rearm() }
        waiting.removeAll(where: isReleased)
        var actions: [Action] = []
        if waiting.isEmpty {
            switch state {
            case .idle, .cancelling: break
            case .preparing: state = .idle
            case .pairing(let call):
                state = .cancelling(call)
                actions.append(.cancelPairing(call))
            }
        }
        return actions + told.map { .tell($0.caller, failure) } + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = waiting.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
