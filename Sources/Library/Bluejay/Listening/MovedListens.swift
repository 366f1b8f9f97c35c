internal import BluejayGLib

/// Kept listens whose characteristic has gone, until it returns or its time is over.
///
/// A peripheral that registers its services anew, as after an update, removes them and adds them a moment
/// later, perhaps under other handles. `Key` names a characteristic. Instants are arguments.
struct MovedListens<Key: Hashable>: Equatable {
    /// How long a characteristic may be gone.
    ///
    /// 20 ms were seen; a peer that registers its services one by one, and whose discovery is slow, takes a
    /// second.
    static var limit: Duration { .seconds(2) }

    private struct Entry: Equatable {
        let key: Key
        let deadline: Duration
    }

    /// In the order in which they went.
    private var entries: [Entry] = []

    /// When `expired` has something to give; nil while nothing is awaited.
    var deadline: Duration? { entries.first?.deadline }

    /// A characteristic has gone.
    mutating func left(_ key: Key, now: Duration) {
        guard !entries.contains(where: { $0.key == key }) else { return }
        entries.append(Entry(key: key, deadline: now + Self.limit))
    }

    /// Takes out those that are there again.
    mutating func returned(where isThere: (Key) -> Bool) -> [Key] {
        let back = entries.filter { isThere($0.key) }.map(\.key)
        entries.removeAll { back.contains($0.key) }
        return back
    }

    /// Takes out those whose time is over.
    mutating func expired(now: Duration) -> [Key] {
        let late = entries.prefix { $0.deadline <= now }.map(\.key)
        entries.removeFirst(late.count)
        return late
    }
}
