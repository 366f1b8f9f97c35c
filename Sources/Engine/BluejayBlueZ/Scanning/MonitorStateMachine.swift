/// Decides how advertisements are watched: by monitors where the adapter has them, else by discovery.
///
/// bluetoothd may take the registration and refuse a monitor of it, now or later: all have to be active.
/// Instants are arguments.
package struct MonitorStateMachine: Equatable {
    /// Which of the two it is.
    package enum Mode: Equatable {
        /// The controller listens and sends nothing.
        case passive
        /// The controller asks who is there.
        case active
    }

    /// What to do.
    package enum Action: Equatable {
        /// Put the monitors on the bus and register them; reports `registered`.
        case register
        /// Take them off the bus and back from bluetoothd.
        case unregister
        case discover
        case endDiscovery
        case tell(Mode)
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `registering`, `discovering`, `ended`.
        case idle
        /// Some monitors are not active yet. Next: `monitoring`, `discovering`, `ended`.
        case registering(active: Int)
        /// Next: `discovering`, `ended`.
        case monitoring
        /// Next: `ended`.
        case discovering
        /// The last one.
        case ended
    }

    /// How long bluetoothd may take to activate the monitors.
    static let patience = Duration.seconds(5)

    private let monitors: Int
    private var state = State.idle

    /// - Parameter monitors: How many there are; none is discovery.
    package init(monitors: Int) {
        self.monitors = monitors
    }

    /// Begins; the adapter takes monitors, or does not.
    package mutating func begin(takesMonitors: Bool, now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        guard takesMonitors, monitors > 0 else {
            state = .discovering
            return [.discover, .tell(.active)]
        }
        state = .registering(active: 0)
        return [.setTimer(now + Self.patience), .register]
    }

    /// The registration was answered; the monitors say themselves whether they are active.
    package mutating func registered(succeeded: Bool) -> [Action] {
        guard case .registering = state, !succeeded else { return [] }
        return fallBack()
    }

    /// One more monitor is active.
    package mutating func activated() -> [Action] {
        guard case .registering(let active) = state else { return [] }
        guard active + 1 == monitors else {
            state = .registering(active: active + 1)
            return []
        }
        state = .monitoring
        return [.setTimer(nil), .tell(.passive)]
    }

    /// bluetoothd has refused a monitor, or let it go.
    package mutating func released() -> [Action] {
        switch state {
        case .registering, .monitoring: return fallBack()
        case .idle, .discovering, .ended: return []
        }
    }

    /// The timer fired.
    package mutating func timerFired() -> [Action] {
        guard case .registering = state else { return [] }
        return fallBack()
    }

    /// Nobody watches any more.
    package mutating func end() -> [Action] {
        let last = state
        state = .ended
        switch last {
        case .idle, .ended: return []
        case .registering, .monitoring: return [.setTimer(nil), .unregister]
        case .discovering: return [.endDiscovery]
        }
    }

    private mutating func fallBack() -> [Action] {
        state = .discovering
        return [.setTimer(nil), .unregister, .discover, .tell(.active)]
    }
}
