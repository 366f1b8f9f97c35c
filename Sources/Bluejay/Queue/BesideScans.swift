/// The scans that run beside the queue: they wait for Bluetooth alone, and nothing waits for them.
///
/// Invariant: every scan that is added is completed exactly once.
struct BesideScans: Equatable {
    typealias ID = QueueStateMachine.ID
    typealias Action = QueueStateMachine.Action

    /// In the order in which they came, with whether they have begun.
    private var scans: [(id: ID, hasBegun: Bool)] = []

    var isEmpty: Bool { scans.isEmpty }

    /// Takes a scan in, which begins when Bluetooth is there.
    mutating func add(_ id: ID, isAvailable: Bool) -> [Action] {
        scans.append((id, isAvailable))
        return isAvailable ? [.start(id)] : []
    }

    /// Ends all without an error.
    mutating func stopAll() -> [Action] {
        let all = scans
        // Those that have begun report their end.
        scans.removeAll { !$0.hasBegun }
        return all.map { $0.hasBegun ? .stopScan($0.id) : .complete($0.id, nil) }
    }

    /// One ended by itself; nothing happens when it is not one of these.
    mutating func finished(_ id: ID, _ error: BluejayError?) -> [Action] {
        remove(id) == nil ? [] : [.complete(id, error)]
    }

    /// Fails one.
    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        remove(id).map { end(id, hasBegun: $0, error) } ?? []
    }

    /// Fails all.
    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        let all = scans
        scans = []
        return all.flatMap { end($0.id, hasBegun: $0.hasBegun, error) }
    }

    /// Bluetooth can be used.
    mutating func becameAvailable() -> [Action] {
        let waiting = scans.filter { !$0.hasBegun }.map(\.id)
        for place in scans.indices { scans[place].hasBegun = true }
        return waiting.map { .start($0) }
    }

    private func end(_ id: ID, hasBegun: Bool, _ error: BluejayError) -> [Action] {
        (hasBegun ? [.abort(id)] : []) + [.complete(id, error)]
    }

    /// Whether the one that is removed had begun; nil when it is not there.
    private mutating func remove(_ id: ID) -> Bool? {
        guard let place = scans.firstIndex(where: { $0.id == id }) else { return nil }
        return scans.remove(at: place).hasBegun
    }

    static func == (left: BesideScans, right: BesideScans) -> Bool {
        left.scans.elementsEqual(right.scans) { $0 == $1 }
    }
}
