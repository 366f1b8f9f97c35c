internal import BluejayGLib

/// Kept listens whose characteristic was removed, until it returns or its time limit expires.
///
/// A peripheral that registers its services again, for example after an update, removes them and adds them
/// shortly after, possibly under other handles. `Key` identifies a characteristic. Instants are arguments.
struct MovedListens<Key: Hashable>: Equatable {
    /// The time for which a characteristic may be missing.
    ///
    /// 20 ms have been observed; a peer with slow discovery that registers its services one by one takes a
    /// second.
    static var timeout: Duration { .seconds(2) }

    private struct Entry: Equatable {
        let key: Key
        let deadline: Duration
    }

    /// In the order of removal.
    private var entries: [Entry] = []

    /// The instant at which `removeExpired` has a result, or `nil` while no listen waits.
    var deadline: Duration? { entries.first?.deadline }

    mutating func characteristicRemoved(_ key: Key, now: Duration) {
        guard !entries.contains(where: { $0.key == key }) else { return }
        entries.append(Entry(key: key, deadline: now + Self.timeout))
    }

    /// Removes and returns the characteristics that exist again.
    mutating func removeReturned(where isThere: (Key) -> Bool) -> [Key] {
        let back = entries.filter { isThere($0.key) }.map(\.key)
        entries.removeAll { back.contains($0.key) }
        return back
    }

    /// Removes and returns the characteristics whose time limit has expired.
    mutating func removeExpired(now: Duration) -> [Key] {
        let late = entries.prefix { $0.deadline <= now }.map(\.key)
        entries.removeFirst(late.count)
        return late
    }
}
