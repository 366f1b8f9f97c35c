/// Decides which reports of a scan reach the user.
///
/// `Key` identifies a peripheral, `Content` is its advertised data. Instants are arguments. The cost of a
/// report does not depend on the number of peripherals. Specified by the documentation of `Bluejay.scan`.
struct ScanStateMachine<Key: Hashable, Content: Equatable>: Equatable {
    enum Verdict: Equatable {
        /// Do nothing; the list is unchanged.
        case ignore
        /// Update the list.
        case update
        /// Update the list and notify the user.
        case tell
    }

    private struct Seen: Equatable {
        /// The last reported strength.
        var rssi: Int?
        var isConnected: Bool
        /// The latest content, or `nil` if duplicates are not reported.
        var content: Content?
        var instant: Duration
    }

    private struct Unwanted: Equatable {}

    /// The silence after which a peripheral expires.
    static var expiryTime: Duration { .seconds(15) }

    let allowsDuplicates: Bool
    /// Changes of the signal strength below this value are not reported; in dB, 0 reports all.
    ///
    /// All other changes are reported.
    let throttle: Int
    /// The capacity for peripherals that do not expire and for blacklisted peripherals, or `nil` if
    /// unlimited.
    let capacity: Int?
    private var seen = RecencyTable<Key, Seen>()
    private var blacklist = RecencyTable<Key, Unwanted>()

    init(allowsDuplicates: Bool, throttle: Int, capacity: Int? = nil) {
        self.allowsDuplicates = allowsDuplicates
        self.throttle = throttle
        self.capacity = capacity
    }

    var count: Int { seen.count + blacklist.count }

    /// The earliest instant at which a peripheral may expire.
    ///
    /// It never moves to an earlier instant while a peripheral is present.
    var nextExpiry: Duration? {
        guard allowsDuplicates, let oldest = seen.oldest else { return nil }
        return oldest.value.instant + Self.expiryTime
    }

    /// Records an advertisement, or a report of a connected peripheral.
    ///
    /// `content` is all advertised data except the signal strength.
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
        // A throttled report also restarts the expiry, but the last reported strength stays, so that many
        // small changes add up.
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

    /// Records the end of a connection, without an advertisement.
    ///
    /// A peripheral that was reported as connected is reported again, and expires unless it advertises.
    mutating func disconnected(_ key: Key, now: Duration) -> Verdict {
        guard var value = seen[key], value.isConnected else { return .ignore }
        value.isConnected = false
        value.instant = now
        seen.touch(key, value)
        return allowsDuplicates ? .tell : .update
    }

    /// Ignores a peripheral for the rest of the scan.
    mutating func blacklisted(_ key: Key) {
        seen.remove(key)
        blacklist.touch(key, Unwanted())
        if let capacity, blacklist.count > capacity, let oldest = blacklist.oldest {
            blacklist.remove(oldest.key)
        }
    }

    /// Removes peripherals that have been silent for too long, in the order of expiry.
    ///
    /// Connected peripherals stay, because they need not advertise.
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
