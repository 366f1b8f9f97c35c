/// Decides when bluetoothd has our agent: while somebody wants it, and anew with each bluetoothd.
struct AgentMachine: Equatable {
    /// What to do.
    enum Action: Equatable {
        /// Put the agent on the bus and register it; reports `registered` with the number.
        case register(Int)
        /// Take it back from bluetoothd, and off the bus.
        case unregister
        /// bluetoothd has it no more: only take it off the bus.
        case forget
        /// Whoever waits for the registration goes on, whatever became of it.
        case settled
    }

    private enum State: Equatable {
        /// Next: `registering`.
        case absent
        /// Next: `registered`, `refused`, `absent`.
        case registering(Int)
        /// Next: `refused`, `absent`.
        case registered
        /// This bluetoothd does not want it, or has let it go. Next: `absent`.
        case refused
    }

    private var state = State.absent
    private var isWanted = false
    private var isAvailable = false
    private var lastCall = 0

    /// Whether bluetoothd has the agent.
    var isRegistered: Bool { state == .registered }

    /// Whether it is not known yet if bluetoothd takes it.
    var isUnsettled: Bool {
        if case .registering = state { return true }
        return false
    }

    /// Somebody wants the agent, or nobody any more.
    mutating func wanted(_ isWanted: Bool) -> [Action] {
        self.isWanted = isWanted
        return follow()
    }

    /// bluetoothd is there, or not.
    mutating func available(_ isAvailable: Bool) -> [Action] {
        self.isAvailable = isAvailable
        return follow()
    }

    /// bluetoothd answered a registration.
    mutating func registered(_ call: Int, succeeded: Bool) -> [Action] {
        guard state == .registering(call) else { return [] }
        state = succeeded ? .registered : .refused
        return succeeded ? [.settled] : [.forget, .settled]
    }

    /// bluetoothd has let the agent go: it ends.
    mutating func released() -> [Action] {
        switch state {
        case .absent, .refused: return []
        case .registering:
            state = .refused
            return [.forget, .settled]
        case .registered:
            state = .refused
            return [.forget]
        }
    }

    private mutating func follow() -> [Action] {
        let last = state
        guard isAvailable, isWanted else {
            state = .absent
            switch last {
            case .absent, .refused: return []
            case .registered: return [isAvailable ? .unregister : .forget]
            case .registering: return [isAvailable ? .unregister : .forget, .settled]
            }
        }
        guard last == .absent else { return [] }
        lastCall += 1
        state = .registering(lastCall)
        return [.register(lastCall)]
    }
}
