/// Switches one adapter on or off, and waits for the change.
///
/// bluetoothd replies before `Powered` changes and refuses a change during another one. On newer kernels,
/// it reports a block by rfkill without a specific error. Instants are arguments.
///
/// Invariant: exactly one `finish` follows `start`.
struct PowerStateMachine: Equatable {
    enum Reply: Equatable {
        case accepted
        case failed(AdapterFailure)
    }

    enum Action: Equatable {
        /// Set the property, then report `replied` with this number.
        case call(Int)
        /// Report `timerFired` at the instant; nil disarms the timer.
        case setTimer(Duration?)
        case finish(AdapterFailure?)
    }

    private enum State: Equatable {
        /// Not started. Next: `calling`.
        case idle
        /// The call is pending. Next: `settling`, `waitingForOtherChange`, `finished`.
        case calling(Int)
        /// bluetoothd accepted the change. Next: `finished`.
        case settling
        /// Another change is in progress. Next: `calling`, `finished`.
        case waitingForOtherChange
        /// Next: none.
        case finished
    }

    /// The time limit of the change; a controller that loads its firmware needs some seconds.
    static let timeout = Duration.seconds(15)
    /// The delay between attempts while another change is in progress.
    static let busyRetryDelay = Duration.milliseconds(500)

    private let shouldBeOn: Bool
    private var state = State.idle
    private var lastCall = 0
    private var deadline = Duration.zero

    init(switchingOn shouldBeOn: Bool) {
        self.shouldBeOn = shouldBeOn
    }

    mutating func start(now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        deadline = now + Self.timeout
        return call()
    }

    /// The call received a reply; replies to earlier calls are ignored.
    mutating func replied(
        _ call: Int,
        _ reply: Reply,
        _ adapter: AdapterState,
        now: Duration
    ) -> [Action] {
        guard state == .calling(call) else { return [] }
        switch reply {
        case .accepted:
            if hasReachedTarget(adapter) { return finish(nil) }
            state = .settling
            return [.setTimer(deadline)]
        case .failed(.busy):
            state = .waitingForOtherChange
            return [.setTimer(min(now + Self.busyRetryDelay, deadline))]
        case .failed(.failed(.other)) where shouldBeOn && adapter == .blocked:
            // Since kernel 5.17, bluetoothd does not learn the reason.
            return finish(.blocked)
        case .failed(let failure): return finish(failure)
        }
    }

    mutating func changed(_ adapter: AdapterState) -> [Action] {
        switch state {
        case .idle, .finished: return []
        // The reply to the pending call decides.
        case .calling: return adapter == .absent ? finish(.adapterRemoved) : []
        case .settling, .waitingForOtherChange:
            if adapter == .absent { return finish(.adapterRemoved) }
            if shouldBeOn, adapter == .blocked { return finish(.blocked) }
            return hasReachedTarget(adapter) ? finish(nil) : []
        }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .idle, .calling, .finished: return []
        case .settling: return finish(.timedOut)
        case .waitingForOtherChange: return now < deadline ? call() : finish(.busy)
        }
    }

    mutating func daemonLost() -> [Action] {
        state == .idle || state == .finished ? [] : finish(.failed(.daemonLost))
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

    private func hasReachedTarget(_ adapter: AdapterState) -> Bool {
        (adapter == .on) == shouldBeOn
    }
}
