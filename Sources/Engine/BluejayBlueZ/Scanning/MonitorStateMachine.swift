/// Chooses how to watch advertisements: by monitors if the adapter supports them, else by discovery.
///
/// bluetoothd may accept a registration and refuse one of its monitors, immediately or later; all
/// monitors must be active. The caller passes the time.
package struct MonitorStateMachine: Equatable {
    /// The way in which advertisements are watched.
    package enum Mode: Equatable {
        /// The controller only listens.
        case passive
        /// The controller sends scan requests.
        case active
    }

    package enum Action: Equatable {
        /// Export the monitors and register them; report `registered`.
        case register
        /// Unregister the monitors and unexport them.
        case unregister
        case discover
        case endDiscovery
        case reportMode(Mode)
        /// Report `timerFired` at this time; `nil` disarms the timer.
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
        /// Final.
        case ended
    }

    /// The time for bluetoothd to activate the monitors.
    static let activationTimeout = Duration.seconds(5)

    private let monitorCount: Int
    private var state = State.idle

    /// - Parameter monitorCount: The number of monitors; 0 selects discovery.
    package init(monitorCount: Int) {
        self.monitorCount = monitorCount
    }

    /// Starts to watch; `supportsMonitors` is whether the adapter supports monitors.
    package mutating func start(supportsMonitors: Bool, now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        guard supportsMonitors, monitorCount > 0 else {
            state = .discovering
            return [.discover, .reportMode(.active)]
        }
        state = .registering(active: 0)
        return [.setTimer(now + Self.activationTimeout), .register]
    }

    /// bluetoothd replied to the registration; each monitor reports its activation separately.
    package mutating func registered(succeeded: Bool) -> [Action] {
        guard case .registering = state, !succeeded else { return [] }
        return fallBack()
    }

    package mutating func activated() -> [Action] {
        guard case .registering(let active) = state else { return [] }
        guard active + 1 == monitorCount else {
            state = .registering(active: active + 1)
            return []
        }
        state = .monitoring
        return [.setTimer(nil), .reportMode(.passive)]
    }

    /// bluetoothd refused or released a monitor.
    package mutating func released() -> [Action] {
        switch state {
        case .registering, .monitoring: return fallBack()
        case .idle, .discovering, .ended: return []
        }
    }

    package mutating func timerFired() -> [Action] {
        guard case .registering = state else { return [] }
        return fallBack()
    }

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
        return [.setTimer(nil), .unregister, .discover, .reportMode(.active)]
    }
}
