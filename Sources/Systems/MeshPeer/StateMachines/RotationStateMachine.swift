/// Decides when the node changes its identity: withdraws the advertisement, then advertises the new one.
///
/// A pure value. Instants are arguments.
struct RotationStateMachine: Equatable {
    enum Action: Equatable {
        /// Requests the next identity and withdraws the advertisement; `withdrawn` follows.
        case withdraw
        /// Sets the identity and advertises again.
        case advertise
        /// Sets the one timer, which calls `timerFired`; `nil` cancels it.
        case setTimer(Duration?)
    }

    private enum Phase: Equatable {
        /// Followed by `waiting`.
        case stopped
        /// Followed by `withdrawing` or `stopped`.
        case waiting(until: Duration?)
        /// Followed by `waiting` or `stopped`.
        case withdrawing(next: Duration?)
    }

    static let shortestInterval = Duration.seconds(1)

    /// `nil` never rotates.
    private var interval: Duration?
    private var phase = Phase.stopped

    init(interval: Duration?) {
        self.interval = interval.map { max($0, Self.shortestInterval) }
    }

    var isWithdrawing: Bool {
        if case .withdrawing = phase { true } else { false }
    }

    mutating func start(now: Duration) -> [Action] {
        guard phase == .stopped else { return [] }
        return wait(until: interval.map { now + $0 })
    }

    mutating func stop() -> [Action] {
        guard phase != .stopped else { return [] }
        phase = .stopped
        return [.setTimer(nil)]
    }

    /// Sets the interval, which counts from now on.
    mutating func setInterval(_ interval: Duration?, now: Duration) -> [Action] {
        self.interval = interval.map { max($0, Self.shortestInterval) }
        let next = self.interval.map { now + $0 }
        switch phase {
        case .stopped: return []
        case .waiting: return wait(until: next)
        case .withdrawing:
            phase = .withdrawing(next: next)
            return []
        }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        guard case .waiting(let deadline?) = phase else { return [] }
        guard deadline <= now else { return [.setTimer(deadline)] }
        // The next rotation counts from the deadline, so that late timers do not add up.
        let next = interval.map { now - deadline < $0 ? deadline + $0 : now + $0 }
        phase = .withdrawing(next: next)
        return [.withdraw]
    }

    mutating func withdrawn() -> [Action] {
        guard case .withdrawing(let next) = phase else { return [] }
        return [.advertise] + wait(until: next)
    }

    private mutating func wait(until deadline: Duration?) -> [Action] {
        phase = .waiting(until: deadline)
        return [.setTimer(deadline)]
    }
}
