/// Registers the agent at each bluetoothd while a user wants it.
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
        case forget
        /// Resume the callers that wait for the registration, whatever its result.
        case settled
        /// Report `timerFired` at this time; `nil` disarms the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `registering`.
        case absent
        /// Next: `registered`, `pausing`, `refused`, `absent`.
        case registering(Int, isLate: Bool)
        /// Next: `refused`, `absent`.
        case registered
        /// bluetoothd refused the agent; a retry is scheduled. Next: `registering`, `absent`.
        case pausing
        /// bluetoothd released the agent. Next: `absent`.
        case refused
    }

    /// The longest wait of callers for a registration.
    static let answerTime = Duration.seconds(25)
    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(300)

    private var state = State.absent
    private var isWanted = false
    private var isAvailable = false
    private var pause = Self.firstPause
    private var lastCall = 0

    var isRegistered: Bool { state == .registered }

    /// Whether the result of a registration is still awaited.
    var isUnsettled: Bool {
        if case .registering(_, isLate: false) = state { return true }
        return false
    }

    /// Whether a registration has had no reply for `answerTime`.
    var isLate: Bool {
        if case .registering(_, isLate: true) = state { return true }
        return false
    }

    /// Users want the agent, or no longer want it.
    mutating func wanted(_ isWanted: Bool, now: Duration) -> [Action] {
        self.isWanted = isWanted
        return follow(now)
    }

    /// bluetoothd became available or unavailable.
    mutating func available(_ isAvailable: Bool, now: Duration) -> [Action] {
        self.isAvailable = isAvailable
        return follow(now)
    }

    /// bluetoothd replied to a registration.
    mutating func registered(_ call: Int, succeeded: Bool, now: Duration) -> [Action] {
        guard case .registering(call, let isLate) = state else { return [] }
        let settled: [Action] = isLate ? [] : [.settled]
        if succeeded {
            state = .registered
            pause = Self.firstPause
            return [.setTimer(nil)] + settled
        }
        state = .pausing
        defer { pause = min(pause * 2, Self.longestPause) }
        // The bus itself may have replied; bluetoothd may still register the agent.
        return [.unregister, .setTimer(now + pause)] + settled
    }

    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .absent, .registered, .refused: return []
        case .registering(let call, let wasLate):
            state = .registering(call, isLate: true)
            return wasLate ? [] : [.settled]
        case .pausing:
            state = .absent
            return follow(now)
        }
    }

    mutating func released() -> [Action] {
        let last = state
        switch last {
        case .absent, .pausing, .refused: return []
        case .registering(_, let isLate):
            state = .refused
            return [.setTimer(nil), .forget] + (isLate ? [] : [.settled])
        case .registered:
            state = .refused
            return [.forget]
        }
    }

    private mutating func follow(_ now: Duration) -> [Action] {
        let last = state
        guard isAvailable, isWanted else {
            state = .absent
            pause = Self.firstPause
            switch last {
            case .absent, .refused: return []
            case .pausing: return [.setTimer(nil)]
            case .registered: return [isAvailable ? .unregister : .forget]
            case .registering(_, let isLate):
                return [.setTimer(nil), isAvailable ? .unregister : .forget]
                    + (isLate ? [] : [.settled])
            }
        }
        guard last == .absent else { return [] }
        lastCall += 1
        state = .registering(lastCall, isLate: false)
        return [.register(lastCall), .setTimer(now + Self.answerTime)]
    }
}
