/// Switches one adapter on or off, and waits until it is.
///
/// bluetoothd answers before `Powered` has its new value, refuses while another change is under way, and
/// gives rfkill no name of its own on newer kernels. Instants are arguments.
///
/// Invariant: after `start` exactly one `finish` comes.
struct PowerStateMachine: Equatable {
    /// What bluetoothd answered.
    enum Reply: Equatable {
        case accepted
        case failed(AdapterFailure)
    }

    /// What to do.
    enum Action: Equatable {
        /// Set the property, then report `replied` with the number.
        case call(Int)
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
        /// It is done; nil is success.
        case finish(AdapterFailure?)
    }

    private enum State: Equatable {
        /// Not started. Next: `calling`.
        case idle
        /// The call is pending. Next: `settling`, `yielding`, `finished`.
        case calling(Int)
        /// Agreed to. Next: `finished`.
        case settling
        /// Another change is under way. Next: `calling`, `finished`.
        case yielding
        /// Nothing more comes.
        case finished
    }

    /// How long it may take; a controller that loads its firmware needs some seconds.
    static let limit = Duration.seconds(15)
    /// How often it is tried again while another change is under way.
    static let pause = Duration.milliseconds(500)

    private let isWanted: Bool
    private var state = State.idle
    private var lastCall = 0
    private var deadline = Duration.zero

    init(switchingOn isWanted: Bool) {
        self.isWanted = isWanted
    }

    /// Begins.
    mutating func start(now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        deadline = now + Self.limit
        return call()
    }

    /// The call answered; a late answer of another call is ignored.
    mutating func replied(
        _ call: Int,
        _ reply: Reply,
        _ adapter: AdapterState,
        now: Duration
    ) -> [Action] {
        guard state == .calling(call) else { return [] }
        switch reply {
        case .accepted:
            if isThere(adapter) { return finish(nil) }
            state = .settling
            return [.setTimer(deadline)]
        case .failed(.busy):
            state = .yielding
            return [.setTimer(min(now + Self.pause, deadline))]
        case .failed(.failed(.other)) where isWanted && adapter == .blocked:
            // Kernels from 5.17 on tell bluetoothd no reason.
            return finish(.blocked)
        case .failed(let failure): return finish(failure)
        }
    }

    /// The adapter changed.
    mutating func changed(_ adapter: AdapterState) -> [Action] {
        switch state {
        case .idle, .finished: return []
        // What the pending call answers decides.
        case .calling: return adapter == .absent ? finish(.gone) : []
        case .settling, .yielding:
            if adapter == .absent { return finish(.gone) }
            if isWanted, adapter == .blocked { return finish(.blocked) }
            return isThere(adapter) ? finish(nil) : []
        }
    }

    /// The timer fired.
    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .idle, .calling, .finished: return []
        case .settling: return finish(.timedOut)
        case .yielding: return now < deadline ? call() : finish(.busy)
        }
    }

    /// bluetoothd has gone.
    mutating func daemonWent() -> [Action] {
        state == .idle || state == .finished ? [] : finish(.failed(.daemonGone))
    }

    private mutating func call() -> [Action] {
        lastCall += 1
        state = .calling(lastCall)
        return [.setTimer(nil), .call(lastCall)]
    }

    private mutating func finish(_ failure: AdapterFailure?) -> [Action] {
        state = .finished
        return [.setTimer(nil), .finish(failure)]
    }

    private func isThere(_ adapter: AdapterState) -> Bool { (adapter == .on) == isWanted }
}
