package import BluejayCore
package import BluejayDBus

/// Decides which adapter a client or a server uses, and what its user is told of Bluetooth.
///
/// While something is in use (a scan, a link, a registration) the adapter is pinned: it is left only
/// when it was switched off or has gone, and another one is on. A plain value: events in, orders out.
package struct AdapterSelector: Equatable {
    /// What is to be done, in this order.
    package enum Action: Equatable {
        /// The adapter that could be used was switched off or has gone.
        ///
        /// What is in use on it ends for this reason, which is never `poweredOn`.
        case release(ObjectPath, BluetoothState)
        /// What begins from now on begins at this adapter, which is on.
        case use(ObjectPath)
        /// Tells the user the state of Bluetooth; never the same one twice in a row.
        ///
        /// One who used an adapter that went is told so, also when another one takes its place at once.
        case tell(BluetoothState)
    }

    package private(set) var choice: AdapterChoice
    /// The adapter that the choice means, on or not; nil when there is none.
    package private(set) var adapter: ObjectPath?
    /// What the user was told last.
    package private(set) var state: BluetoothState = .unknown
    /// Whether something is in use.
    package private(set) var isPinned = false

    private var daemon: BlueZClient.State = .connecting
    private var known: [KnownAdapter] = []

    package init(_ choice: AdapterChoice) {
        self.choice = choice
    }

    /// The adapter when it can be used.
    package var usableAdapter: ObjectPath? { state == .poweredOn ? adapter : nil }

    /// Whether it is known that Bluetooth can or cannot be used; what asks before that waits.
    package var isKnown: Bool { state != .unknown && state != .resetting }

    /// bluetoothd came or went, or one of its adapters changed.
    ///
    /// - Parameters:
    ///   - daemon: How far the way to bluetoothd leads.
    ///   - adapters: All of them, in the order of their numbers.
    /// - Returns: What is to be done.
    package mutating func changed(
        _ daemon: BlueZClient.State,
        _ adapters: [KnownAdapter]
    ) -> [Action] {
        self.daemon = daemon
        known = daemon == .running ? adapters : []
        return choose()
    }

    /// Another adapter is wanted from now on; only while nothing is in use.
    ///
    /// - Parameters:
    ///   - choice: What is wanted.
    ///   - daemon: As for `changed`.
    ///   - adapters: As for `changed`.
    /// - Returns: What is to be done; no `release`, for nobody has anything on the adapter before.
    package mutating func wants(
        _ choice: AdapterChoice,
        _ daemon: BlueZClient.State,
        _ adapters: [KnownAdapter]
    ) -> [Action] {
        self.choice = choice
        isPinned = false
        return changed(daemon, adapters).filter {
            if case .release = $0 { false } else { true }
        }
    }

    /// The first use of an adapter has begun (true), or the last one has ended (false).
    ///
    /// The same answer again changes nothing, so it can be told after every event.
    package mutating func setPinned(_ isPinned: Bool) -> [Action] {
        guard isPinned != self.isPinned else { return [] }
        self.isPinned = isPinned
        return choose()
    }

    private mutating func choose() -> [Action] {
        let used = usableAdapter
        adapter = Self.adapter(choice, among: known, keeping: isPinned ? adapter : nil)
        let next = bluetoothState
        var actions: [Action] = []
        func tell(_ new: BluetoothState) {
            guard new != state else { return }
            state = new
            actions.append(.tell(new))
        }
        if let used, !isOn(used) {
            let reason = next == .poweredOn ? Self.state(of: find(used), named: used.name) : next
            actions.append(.release(used, reason))
            if isPinned { tell(reason) }
        }
        if next == .poweredOn, let adapter, adapter != used { actions.append(.use(adapter)) }
        tell(next)
        return actions
    }

    private var bluetoothState: BluetoothState {
        switch daemon {
        case .connecting: return state == .unknown ? .unknown : .resetting
        case .busUnavailable(let text): return .busUnavailable(text)
        case .accessDenied(let text): return .unauthorized(text)
        case .serviceNotRunning: return .serviceNotRunning
        case .serviceNotResponding: return .serviceNotResponding
        case .running: break
        }
        if case .named(let name) = choice {
            return Self.state(of: adapter.flatMap(find), named: name)
        }
        guard let adapter else { return .noAdapter }
        return Self.state(of: find(adapter), named: adapter.name)
    }

    private func find(_ path: ObjectPath) -> KnownAdapter? { known.first { $0.path == path } }

    private func isOn(_ path: ObjectPath) -> Bool { find(path)?.state == .on }

    private static func state(of adapter: KnownAdapter?, named name: String) -> BluetoothState {
        switch adapter?.state {
        case .on: .poweredOn
        case .off: .poweredOff
        case .blocked: .blocked
        case .absent, nil: .adapterNotFound(name)
        }
    }

    /// The adapter that a choice means among those there are.
    static func adapter(
        _ choice: AdapterChoice,
        among known: [KnownAdapter],
        keeping pinned: ObjectPath? = nil
    ) -> ObjectPath? {
        switch choice {
        case .any:
            let kept = known.first { $0.path == pinned }
            if kept?.state == .on { return pinned }
            return (known.first { $0.state == .on } ?? kept ?? known.first)?.path
        case .named(let name):
            return known.first { $0.isCalled(name) }?.path
        }
    }
}
