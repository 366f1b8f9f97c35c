internal import OrderedCollections

/// Decides when a discovery ends.
///
/// It ends at its time limit, or when no new peripheral was found for `quietTime` after at least one.
struct DiscoveryStateMachine<Peripheral: Hashable>: Equatable {
    private(set) var found: OrderedSet<Peripheral> = []
    /// The instant to end at.
    private(set) var end: Duration

    private let limit: Duration
    private let quietTime: Duration

    init(limit: Duration, quietTime: Duration = .seconds(2), now: Duration) {
        self.limit = now + limit
        self.quietTime = quietTime
        end = now + limit
    }

    /// - Returns: Whether the end has changed.
    mutating func seen(_ peripheral: Peripheral, now: Duration) -> Bool {
        guard found.append(peripheral).inserted else { return false }
        end = min(limit, now + quietTime)
        return true
    }
}
