/// A state machine that detects peripherals entering and leaving range.
///
/// `Key` identifies a peripheral. Instants are arguments. The cost of a report does not depend on the number
/// of peripherals.
struct PresenceStateMachine<Key: Hashable>: Equatable {
    private struct Presence: Equatable {
        var instant: Duration
        var isConnected: Bool
    }

    private struct Ignored: Equatable {}

    /// The number of ignored peripherals to remember.
    static var ignoredCapacity: Int { 10_000 }

    /// The silence after which a peripheral is lost.
    let timeout: Duration
    private var present = RecencyTable<Key, Presence>()
    private var ignored = RecencyTable<Key, Ignored>()

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// The earliest instant at which a peripheral may be lost.
    ///
    /// It never moves to an earlier instant while a peripheral is present.
    var nextExpiry: Duration? { present.oldest.map { $0.value.instant + timeout } }

    /// Records a report, and returns whether its peripheral is new.
    ///
    /// Returns `nil` for ignored peripherals. A connected peripheral stays until `disconnected`.
    mutating func sighted(_ key: Key, isConnected: Bool = false, now: Duration) -> Bool? {
        guard ignored[key] == nil else {
            ignored.touch(key, Ignored())
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

    /// Removes a peripheral that another source reports as lost, and returns whether it was present.
    mutating func expired(_ key: Key) -> Bool {
        present.remove(key) != nil
    }

    /// Removes peripherals that have been silent for too long, in the order of their last reports.
    mutating func expire(now: Duration) -> [Key] {
        var removed: [Key] = []
        while let nextExpiry, nextExpiry <= now, let oldest = present.oldest {
            guard !oldest.value.isConnected else {
                present.touch(oldest.key, Presence(instant: now, isConnected: true))
                continue
            }
            present.remove(oldest.key)
            removed.append(oldest.key)
        }
        return removed
    }

    /// Removes all peripherals, because no reports arrive.
    mutating func removeAll() -> [Key] {
        let all = present.map(\.key)
        present = RecencyTable()
        return all
    }

    /// Ignores a peripheral from now on.
    mutating func ignore(_ key: Key) {
        present.remove(key)
        ignored.touch(key, Ignored())
        if ignored.count > Self.ignoredCapacity, let oldest = ignored.oldest {
            ignored.remove(oldest.key)
        }
    }
}
