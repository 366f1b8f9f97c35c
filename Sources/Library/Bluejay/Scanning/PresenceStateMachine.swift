/// A state machine that detects peripherals entering and leaving range.
///
/// `Key` identifies a peripheral. Instants are arguments. The cost of a report does not depend on the number
/// of peripherals.
struct PresenceStateMachine<Key: Hashable>: Equatable {
    private struct Presence: Equatable {
        var instant: Duration
        var isConnected: Bool
    }

    private struct Unwanted: Equatable {}

    /// The number of ignored peripherals to remember.
    static var unwantedCapacity: Int { 10_000 }

    /// The silence after which a peripheral is lost.
    let limit: Duration
    private var present = RecencyTable<Key, Presence>()
    private var unwanted = RecencyTable<Key, Unwanted>()

    init(limit: Duration) {
        self.limit = limit
    }

    /// The earliest instant at which a peripheral may be lost.
    ///
    /// It never moves to an earlier instant while a peripheral is present.
    var nextLoss: Duration? { present.oldest.map { $0.value.instant + limit } }

    /// Records a report, and returns whether its peripheral is new.
    ///
    /// Returns `nil` for ignored peripherals. A connected peripheral stays until `disconnected`.
    mutating func heard(_ key: Key, isConnected: Bool = false, now: Duration) -> Bool? {
        guard unwanted[key] == nil else {
            unwanted.touch(key, Unwanted())
            return nil
        }
        let isNew = present[key] == nil
        present.touch(key, Presence(instant: now, isConnected: isConnected))
        return isNew
    }

    /// Records the end of a connection, and returns whether the peripheral was present as a connected one.
    mutating func disconnected(_ key: Key, now: Duration) -> Bool {
        guard present[key]?.isConnected == true else { return false }
        present.touch(key, Presence(instant: now, isConnected: false))
        return true
    }

    /// Removes a peripheral that another source reports as gone, and returns whether it was present.
    mutating func lost(_ key: Key) -> Bool {
        present.remove(key) != nil
    }

    /// Removes peripherals that have been silent for too long, in the order of their last reports.
    mutating func expire(now: Duration) -> [Key] {
        var gone: [Key] = []
        while let nextLoss, nextLoss <= now, let oldest = present.oldest {
            guard !oldest.value.isConnected else {
                present.touch(oldest.key, Presence(instant: now, isConnected: true))
                continue
            }
            present.remove(oldest.key)
            gone.append(oldest.key)
        }
        return gone
    }

    /// Removes all peripherals, because no reports arrive.
    mutating func loseAll() -> [Key] {
        let all = present.map(\.key)
        present = RecencyTable()
        return all
    }

    /// Ignores a peripheral from now on.
    mutating func ignore(_ key: Key) {
        present.remove(key)
        unwanted.touch(key, Unwanted())
        if unwanted.count > Self.unwantedCapacity, let oldest = unwanted.oldest {
            unwanted.remove(oldest.key)
        }
    }
}
