/// Decides which reports of a scan the user hears.
///
/// `Key` names a peripheral, `Content` is what it advertises. Instants are arguments. A report takes the same work however many
/// peripherals there are. Specified by the documentation of `Bluejay.scan`.
struct ScanStateMachine<Key: Hashable, Content: Equatable>: Equatable {
    /// What to do with a report.
    enum Verdict: Equatable {
        /// Say nothing; the list is as before.
        case ignore
        /// Update the list and say nothing.
        case update
        /// Update the list and tell the user.
        case tell
    }

    private struct Seen: Equatable {
        /// The strength that was told.
        var rssi: Int?
        var isConnected: Bool
        /// The latest; nil where duplicates are not reported.
        var content: Content?
        var instant: Duration
    }

    private struct Unwanted: Equatable {}

    /// How long a silent peripheral counts as near.
    static var expiryTime: Duration { .seconds(15) }

    let allowsDuplicates: Bool
    /// Changes of the signal strength below it are not reported, in dB; 0 reports all.
    ///
    /// It does not hold back any other change.
    let throttle: Int
    /// How many are remembered of those that do not expire, and how many of those that are not
    /// wanted; nil is all.
    let capacity: Int?
    private var seen = RecencyTable<Key, Seen>()
    private var blacklist = RecencyTable<Key, Unwanted>()

    init(allowsDuplicates: Bool, throttle: Int, capacity: Int? = nil) {
        self.allowsDuplicates = allowsDuplicates
        self.throttle = throttle
        self.capacity = capacity
    }

    /// How many peripherals are remembered.
    var count: Int { seen.count + blacklist.count }

    /// The earliest instant at which a peripheral may expire.
    ///
    /// It never becomes earlier while there is one.
    var nextExpiry: Duration? {
        guard allowsDuplicates, let oldest = seen.oldest else { return nil }
        return oldest.value.instant + Self.expiryTime
    }

    /// An advertisement arrived, or a report of a connected peripheral.
    ///
    /// `content` is everything that the peripheral advertises, without the signal strength.
    mutating func reported(
        _ key: Key,
        rssi: Int?,
        isConnected: Bool = false,
        content: Content? = nil,
        now: Duration
    ) -> Verdict {
        guard blacklist[key] == nil else {
            blacklist.touch(key, Unwanted())
            return .ignore
        }
        let known = seen[key]
        let content = allowsDuplicates ? content : nil
        let report = Seen(rssi: rssi, isConnected: isConnected, content: content, instant: now)
        let isTold = known.map { allowsDuplicates && isNews($0, report) } ?? true
        // A throttled report restarts the expiry all the same, and keeps the told strength: many small
        // steps add up to a big one.
        let told = isTold ? rssi : known?.rssi
        seen.touch(
            key,
            Seen(rssi: told, isConnected: isConnected, content: content, instant: now)
        )
        if !allowsDuplicates, let capacity, seen.count > capacity, let oldest = seen.oldest {
            seen.remove(oldest.key)
        }
        return isTold ? .tell : .update
    }

    /// The connection of a peripheral ended, without an advertisement.
    ///
    /// One that was reported as connected is told, and expires unless it advertises.
    mutating func disconnected(_ key: Key, now: Duration) -> Verdict {
        guard var value = seen[key], value.isConnected else { return .ignore }
        value.isConnected = false
        value.instant = now
        seen.touch(key, value)
        return allowsDuplicates ? .tell : .update
    }

    /// The user does not want to hear of a peripheral during this scan.
    mutating func blacklisted(_ key: Key) {
        seen.remove(key)
        blacklist.touch(key, Unwanted())
        if let capacity, blacklist.count > capacity, let oldest = blacklist.oldest {
            blacklist.remove(oldest.key)
        }
    }

    /// Removes what has been silent for too long; in the order of the expiries.
    ///
    /// What is connected advertises nothing, and is no further away for that.
    mutating func expire(now: Duration) -> [Key] {
        var gone: [Key] = []
        while let nextExpiry, nextExpiry <= now, let oldest = seen.oldest {
            if oldest.value.isConnected {
                var value = oldest.value
                value.instant = now
                seen.touch(oldest.key, value)
            } else {
                seen.remove(oldest.key)
                gone.append(oldest.key)
            }
        }
        return gone
    }

    private func isNews(_ old: Seen, _ new: Seen) -> Bool {
        guard throttle > 0, old.isConnected == new.isConnected else { return true }
        guard let before = old.rssi, let after = new.rssi else {
            return (old.rssi == nil) != (new.rssi == nil) || old.content != new.content
        }
        return abs(before - after) >= throttle || old.content != new.content
    }
}
