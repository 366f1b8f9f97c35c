/// The scans that run beside the queue: they wait for Bluetooth alone, and nothing waits for them.
///
/// Invariant: every scan that is added is completed exactly once.
struct ConcurrentScans: Equatable {
    typealias ID = QueueStateMachine.ID
    typealias Action = QueueStateMachine.Action

    private enum State: Equatable {
        /// It has not begun: Bluetooth is not known yet. Next: `running`.
        case waiting
        /// Next: `interrupted`.
        case running
        /// A watch, until Bluetooth returns. Next: `running`.
        case interrupted
    }

    private struct Scan: Equatable {
        let id: ID
        let isWatch: Bool
        var state: State
    }

    /// In the order in which they came.
    private var scans: [Scan] = []

    var isEmpty: Bool { scans.isEmpty }

    /// Takes a scan in, which begins when Bluetooth is there.
    mutating func add(
        _ id: ID,
        _ kind: QueueStateMachine.Kind,
        isAvailable: Bool
    ) -> [Action] {
        let state: State = isAvailable ? .running : .waiting
        scans.append(Scan(id: id, isWatch: kind == .watch, state: state))
        return isAvailable ? [.start(id)] : []
    }

    /// Ends all without an error.
    mutating func stopAll() -> [Action] {
        let all = scans
        // Those that run report their end.
        scans.removeAll { $0.state != .running }
        return all.map { $0.state == .running ? .stopScan($0.id) : .complete($0.id, nil) }
    }

    /// One ended by itself; nothing happens when it is not one of these.
    mutating func finished(_ id: ID, _ error: BluejayError?) -> [Action] {
        remove(id) == nil ? [] : [.complete(id, error)]
    }

    /// Fails one.
    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        remove(id).map { end($0, error) } ?? []
    }

    /// Fails all.
    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        let all = scans
        scans = []
        return all.flatMap { end($0, error) }
    }

    /// Bluetooth can be used.
    mutating func becameAvailable() -> [Action] {
        let idle = scans.filter { $0.state != .running }.map(\.id)
        for place in scans.indices { scans[place].state = .running }
        return idle.map { .start($0) }
    }

    /// Bluetooth cannot be used: a watch that has begun waits for its return, everything else fails.
    mutating func becameUnavailable(_ error: BluejayError) -> [Action] {
        var actions: [Action] = []
        let all = scans
        scans = []
        for var scan in all {
            guard scan.isWatch, scan.state != .waiting else {
                actions += end(scan, error)
                continue
            }
            if scan.state == .running { actions.append(.interrupt(scan.id)) }
            scan.state = .interrupted
            scans.append(scan)
        }
        return actions
    }

    private func end(_ scan: Scan, _ error: BluejayError) -> [Action] {
        (scan.state == .running ? [.abort(scan.id)] : []) + [.complete(scan.id, error)]
    }

    private mutating func remove(_ id: ID) -> Scan? {
        guard let place = scans.firstIndex(where: { $0.id == id }) else { return nil }
        return scans.remove(at: place)
    }
}
