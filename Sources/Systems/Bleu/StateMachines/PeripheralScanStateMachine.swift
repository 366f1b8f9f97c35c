internal import OrderedCollections

/// Decides when a discovery ends.
///
/// It ends at its time limit, or when no new peripheral was found for `quietInterval` after at least one.
struct PeripheralScanStateMachine<Peripheral: Hashable>: Equatable {
    private(set) var found: OrderedSet<Peripheral> = []
    /// The instant to end at.
    private(set) var end: Duration

    private let deadline: Duration
    private let quietInterval: Duration

    init(timeout: Duration, quietInterval: Duration = .seconds(2), now: Duration) {
        self.deadline = now + timeout
        self.quietInterval = quietInterval
        end = now + timeout
    }

    /// - Returns: Whether the end has changed.
    mutating func seen(_ peripheral: Peripheral, now: Duration) -> Bool {
        guard found.append(peripheral).inserted else { return false }
        end = min(deadline, now + quietInterval)
        return true
    }
}
