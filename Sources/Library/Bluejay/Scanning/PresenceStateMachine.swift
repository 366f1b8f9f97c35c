/// Decides who has come and who has gone, of those that are heard now and then.
///
/// `Key` names a peripheral. Instants are arguments. What is heard takes the same work however many
/// there are.
struct PresenceStateMachine<Key: Hashable>: Equatable {
    private struct Presence: Equatable {
        var instant: Duration
        var isConnected: Bool
    }

    private struct Unwanted: Equatable {}

    /// How many that are not wanted are remembered.
    static var unwantedCapacity: Int { 10_000 }

    /// How long a silent one counts as there.
    let limit: Duration
    private var present = RecencyTable<Key, Presence>()
    private var unwanted = RecencyTable<Key, Unwanted>()

    init(limit: Duration) {
        self.limit = limit
    }

    /// The earliest instant at which one may be lost.
    ///
    /// It never becomes earlier while there is one.
    var nextLoss: Duration? { present.oldest.map { $0.value.instant + limit } }

    /// Something was heard; whether its sender has come.
    ///
    /// Nil when nobody wants to know. A connected one stays until `disconnected`.
    mutating func heard(_ key: Key, isConnected: Bool = false, now: Duration) -> Bool? {
        guard unwanted[key] == nil else {
            unwanted.touch(key, Unwanted())
            return nil
        }
        let isNew = present[key] == nil
        present.touch(key, Presence(instant: now, isConnected: isConnected))
        return isNew
    }

    /// A connection ended; whether its peripheral was there as a connected one.
    mutating func disconnected(_ key: Key, now: Duration) -> Bool {
        guard present[key]?.isConnected == true else { return false }
        present.touch(key, Presence(instant: now, isConnected: false))
        return true
    }

    /// Somebody who knows better says that one has gone; whether it was there.
    mutating func lost(_ key: Key) -> Bool {
        present.remove(key) != nil
    }

    /// Removes who has been silent for too long, in the order in which they were heard.
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

    /// Nobody is heard any more.
    mutating func loseAll() -> [Key] {
        let all = present.map(\.key)
        present = RecencyTable()
        return all
    }

    /// The user does not want to hear of one.
    mutating func ignore(_ key: Key) {
        present.remove(key)
        unwanted.touch(key, Unwanted())
        if unwanted.count > Self.unwantedCapacity, let oldest = unwanted.oldest {
            unwanted.remove(oldest.key)
        }
    }
}
