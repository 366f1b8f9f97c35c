/// The scans outside the queue, which wait only for Bluetooth and delay no operation.
///
/// Invariant: every added scan is completed exactly once.
struct ConcurrentScans: Equatable {
    typealias ID = QueueStateMachine.ID
    typealias Action = QueueStateMachine.Action

    private enum State: Equatable {
        /// Not started, because the state of Bluetooth is unknown. Next: `running`.
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

    /// In the order of the calls.
    private var scans: [Scan] = []

    var isEmpty: Bool { scans.isEmpty }

    /// Adds a scan, which starts when Bluetooth is available.
    mutating func add(
        _ id: ID,
        _ kind: QueueStateMachine.Kind,
        isAvailable: Bool
    ) -> [Action] {
        let state: State = isAvailable ? .running : .waiting
        scans.append(Scan(id: id, isWatch: kind == .watch, state: state))
        return isAvailable ? [.start(id)] : []
    }

    /// Ends all scans without an error.
    mutating func stopAll() -> [Action] {
        let all = scans
        // Running scans report their end.
        scans.removeAll { $0.state != .running }
        return all.map { $0.state == .running ? .stopScan($0.id) : .complete($0.id, nil) }
    }

    /// Completes a scan that has ended; an unknown identifier has no effect.
    mutating func finished(_ id: ID, _ error: BluejayError?) -> [Action] {
        remove(id) == nil ? [] : [.complete(id, error)]
    }

    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        remove(id).map { end($0, error) } ?? []
    }

    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        let all = scans
        scans = []
        return all.flatMap { end($0, error) }
    }

    /// Starts all scans, because Bluetooth is available.
    mutating func becameAvailable() -> [Action] {
        let idle = scans.filter { $0.state != .running }.map(\.id)
        for index in scans.indices { scans[index].state = .running }
        return idle.map { .start($0) }
    }

    /// Interrupts started watches and fails the other scans, because Bluetooth is unavailable.
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
        guard let index = scans.firstIndex(where: { $0.id == id }) else { return nil }
        return scans.remove(at: index)
    }
}
