/// Decides when bluetoothd has our agent: while somebody wants it, and anew with each bluetoothd.
///
/// bluetoothd answers late rather than never: a call is not given up, and whoever waits for it goes on
/// after a while. A refusal is tried again. Instants are arguments.
struct AgentRegistrationStateMachine: Equatable {
    /// What to do.
    enum Action: Equatable {
        /// Put the agent on the bus and register it; reports `registered` with the number.
        case register(Int)
        /// Take it back from bluetoothd, and off the bus.
        case unregister
        /// bluetoothd does not have it: only take it off the bus.
        case forget
        /// Whoever waits for the registration goes on, whatever became of it.
        case settled
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `registering`.
        case absent
        /// Next: `registered`, `pausing`, `refused`, `absent`.
        case registering(Int, isLate: Bool)
        /// Next: `refused`, `absent`.
        case registered
        /// bluetoothd refused it; it is tried again. Next: `registering`, `absent`.
        case pausing
        /// bluetoothd has let it go. Next: `absent`.
        case refused
    }

    /// Whoever waits for a registration waits no longer.
    static let answerTime = Duration.seconds(25)
    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(300)

    private var state = State.absent
    private var isWanted = false
    private var isAvailable = false
    private var pause = Self.firstPause
    private var lastCall = 0

    /// Whether bluetoothd has the agent.
    var isRegistered: Bool { state == .registered }

    /// Whether it is not known yet if bluetoothd takes it.
    var isUnsettled: Bool {
        if case .registering(_, isLate: false) = state { return true }
        return false
    }

    /// Whether bluetoothd leaves the registration unanswered.
    var isLate: Bool {
        if case .registering(_, isLate: true) = state { return true }
        return false
    }

    /// Somebody wants the agent, or nobody any more.
    mutating func wanted(_ isWanted: Bool, now: Duration) -> [Action] {
        self.isWanted = isWanted
        return follow(now)
    }

    /// bluetoothd is there, or not.
    mutating func available(_ isAvailable: Bool, now: Duration) -> [Action] {
        self.isAvailable = isAvailable
        return follow(now)
    }

    /// bluetoothd answered a registration.
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
        // The answer may be the bus's, and bluetoothd's still come.
        return [.unregister, .setTimer(now + pause)] + settled
    }

    /// The timer fired.
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

    /// bluetoothd has let the agent go: it ends.
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
