package import BluejayCore
package import BluejayDBus

/// A user's choice of adapter.
package enum AdapterChoice: Hashable {
    /// The powered adapter with the lowest number; if none is powered, the one with the lowest number.
    case any
    /// The adapter with this name (`hci1`) or address (`00:AA:01:01:00:01`); the address survives
    /// replugging.
    case named(String)
}

/// Chooses the adapter of a client or a server, and reports the Bluetooth state to its user.
///
/// An adapter in use (by a scan, a link, a registration) is pinned: the selector leaves it only if it is
/// off or removed and another adapter is on.
package struct AdapterSelector: Equatable {
    package enum Action: Equatable {
        /// The usable adapter was switched off or removed.
        ///
        /// Everything in use on the adapter ends for this reason, which is never `poweredOn`.
        case release(ObjectPath, BluetoothState)
        /// New work starts on this adapter, which is on.
        case use(ObjectPath)
        /// Notify the user of the Bluetooth state; never the same state twice in a row.
        ///
        /// If the user loses its adapter, it is notified even when another adapter replaces it at once.
        case report(BluetoothState)
    }

    package private(set) var choice: AdapterChoice
    /// The chosen adapter, on or off; nil if the machine has no such adapter.
    package private(set) var adapter: ObjectPath?
    /// The state that the user was last notified of.
    package private(set) var state: BluetoothState = .unknown
    package private(set) var isPinned = false

    private var daemon: BlueZClient.State = .connecting
    private var known: [KnownAdapter] = []

    package init(_ choice: AdapterChoice) {
        self.choice = choice
    }

    /// The chosen adapter, if it is usable.
    package var usableAdapter: ObjectPath? { state == .poweredOn ? adapter : nil }

    /// Whether Bluetooth is known to be usable or unusable; requests made before that wait.
    package var isAvailabilityKnown: Bool { state != .unknown && state != .resetting }

    /// bluetoothd appeared or disappeared, or one of its adapters changed.
    ///
    /// - Parameters:
    ///   - daemon: The state of the connection to bluetoothd.
    ///   - adapters: All adapters, in the order of their numbers.
    /// - Returns: The actions, in order.
    package mutating func changed(
        _ daemon: BlueZClient.State,
        _ adapters: [KnownAdapter]
    ) -> [Action] {
        self.daemon = daemon
        known = daemon == .running ? adapters : []
        return choose()
    }

    /// Changes the choice; only while the adapter is not in use, so no `release` results.
    ///
    /// - Parameters:
    ///   - choice: The requested adapter.
    ///   - daemon: The state of the connection to bluetoothd.
    ///   - adapters: All adapters, in the order of their numbers.
    /// - Returns: The actions, in order.
    package mutating func select(
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

    /// Pins the adapter when its first use starts; unpins it when the last use ends.
    ///
    /// A repeated value has no effect, so the caller may pass it after every event.
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
        func report(_ new: BluetoothState) {
            guard new != state else { return }
            state = new
            actions.append(.report(new))
        }
        if let used, !isOn(used) {
            let reason = next == .poweredOn ? Self.state(of: find(used), named: used.name) : next
            actions.append(.release(used, reason))
            if isPinned { report(reason) }
        }
        if next == .poweredOn, let adapter, adapter != used { actions.append(.use(adapter)) }
        report(next)
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

    /// The adapter among `known` that a choice selects.
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
            return known.first { $0.matches(name) }?.path
        }
    }
}

extension AdapterSelector {
    package mutating func changed(_ client: BlueZClient) -> [Action] {
        changed(client.state, client.objects.knownAdapters)
    }

    package mutating func select(_ choice: AdapterChoice, _ client: BlueZClient) -> [Action] {
        select(choice, client.state, client.objects.knownAdapters)
    }
}
