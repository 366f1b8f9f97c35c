/// Registers the agent at each bluetoothd while a user needs it.
///
/// bluetoothd may reply late, so a registration never times out; only its callers stop waiting for it. A
/// refused registration is retried. The caller passes the time.
struct AgentRegistrationStateMachine: Equatable {
    enum Action: Equatable {
        /// Export the agent and register it; report `registered` with the number.
        case register(Int)
        /// Unregister the agent and unexport it.
        case unregister
        /// Only unexport the agent, which bluetoothd does not have.
        case unexport
        /// Resume the callers that wait for the registration, whatever its result.
        case resumeWaiters
        /// Report `timerFired` at this time; `nil` disarms the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `registering`.
        case absent
        /// Next: `registered`, `waitingToRetry`, `released`, `absent`.
        case registering(Int, isLate: Bool)
        /// Next: `registering`, `released`, `absent`.
        case registered
        /// bluetoothd refused the agent; a retry is scheduled. Next: `registering`, `absent`.
        case waitingToRetry
        /// bluetoothd released the agent. Next: `absent`.
        case released
    }

    /// The longest wait of callers for a registration.
    static let replyTimeout = Duration.seconds(25)
    static let firstRetryDelay = Duration.seconds(1)
    static let maximumRetryDelay = Duration.seconds(300)

    private var state = State.absent
    private var isRequested = false
    private var isAvailable = false
    private var retryDelay = Self.firstRetryDelay
    private var lastCall = 0

    var isRegistered: Bool { state == .registered }

    /// Whether the result of a registration is still awaited.
    var isAwaitingReply: Bool {
        if case .registering(_, isLate: false) = state { return true }
        return false
    }

    /// Whether a registration has had no reply for `replyTimeout`.
    var isLate: Bool {
        if case .registering(_, isLate: true) = state { return true }
        return false
    }

    /// Users need the agent, or no longer need it.
    mutating func requested(_ isRequested: Bool, now: Duration) -> [Action] {
        self.isRequested = isRequested
        return update(now)
    }

    /// The agent has other abilities, which bluetoothd learns from a new registration only.
    mutating func capabilityChanged(now: Duration) -> [Action] {
        switch state {
        case .absent, .waitingToRetry, .released: return []
        case .registering, .registered:
            lastCall += 1
            state = .registering(lastCall, isLate: false)
            return [.unregister, .register(lastCall), .setTimer(now + Self.replyTimeout)]
        }
    }

    /// bluetoothd became available or unavailable.
    mutating func available(_ isAvailable: Bool, now: Duration) -> [Action] {
        self.isAvailable = isAvailable
        return update(now)
    }

    /// bluetoothd replied to a registration.
    mutating func registered(_ call: Int, succeeded: Bool, now: Duration) -> [Action] {
        guard case .registering(call, let isLate) = state else { return [] }
        let settled: [Action] = isLate ? [] : [.resumeWaiters]
        if succeeded {
            state = .registered
            retryDelay = Self.firstRetryDelay
            return [.setTimer(nil)] + settled
        }
        state = .waitingToRetry
        defer { retryDelay = min(retryDelay * 2, Self.maximumRetryDelay) }
        // The bus itself may have replied; bluetoothd may still register the agent.
        return [.unregister, .setTimer(now + retryDelay)] + settled
    }

    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .absent, .registered, .released: return []
        case .registering(let call, let wasLate):
            state = .registering(call, isLate: true)
            return wasLate ? [] : [.resumeWaiters]
        case .waitingToRetry:
            state = .absent
            return update(now)
        }
    }

    mutating func released() -> [Action] {
        let last = state
        switch last {
        case .absent, .waitingToRetry, .released: return []
        case .registering(_, let isLate):
            state = .released
            return [.setTimer(nil), .unexport] + (isLate ? [] : [.resumeWaiters])
        case .registered:
            state = .released
            return [.unexport]
        }
    }

    private mutating func update(_ now: Duration) -> [Action] {
        let last = state
        guard isAvailable, isRequested else {
            state = .absent
            retryDelay = Self.firstRetryDelay
            switch last {
            case .absent, .released: return []
            case .waitingToRetry: return [.setTimer(nil)]
            case .registered: return [isAvailable ? .unregister : .unexport]
            case .registering(_, let isLate):
                return [.setTimer(nil), isAvailable ? .unregister : .unexport]
                    + (isLate ? [] : [.resumeWaiters])
            }
        }
        guard last == .absent else { return [] }
        lastCall += 1
        state = .registering(lastCall, isLate: false)
        return [.register(lastCall), .setTimer(now + Self.replyTimeout)]
    }
}
