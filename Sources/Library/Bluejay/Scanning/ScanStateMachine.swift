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
        case report
    }

    private struct Sighting: Equatable {
        /// The last reported strength.
        var rssi: Int?
        var isConnected: Bool
        /// The latest content, or `nil` if duplicates are not reported.
        var content: Content?
        var instant: Duration

        func isSignificantChange(of old: Sighting, throttle: Int) -> Bool {
            guard throttle > 0, old.isConnected == isConnected else { return true }
            guard let before = old.rssi, let after = rssi else {
                return (old.rssi == nil) != (rssi == nil) || old.content != content
            }
            return abs(before - after) >= throttle || old.content != content
        }
    }

    private struct Ignored: Equatable {}

    /// The silence after which a peripheral expires.
    static var expiryTimeout: Duration { .seconds(15) }

    let allowsDuplicates: Bool
    /// Changes of the signal strength below this value are not reported; in dB, 0 reports all.
    ///
    /// All other changes are reported.
    let throttle: Int
    /// The capacity for peripherals that do not expire and for blacklisted peripherals, or `nil` if
    /// unlimited.
    let capacity: Int?
    private var sightings = RecencyTable<Key, Sighting>()
    private var blacklist = RecencyTable<Key, Ignored>()

    init(allowsDuplicates: Bool, throttle: Int, capacity: Int? = nil) {
        self.allowsDuplicates = allowsDuplicates
        self.throttle = throttle
        self.capacity = capacity
    }

    var count: Int { sightings.count + blacklist.count }

    /// The earliest instant at which a peripheral may expire.
    ///
    /// It never moves to an earlier instant while a peripheral is present.
    var nextExpiry: Duration? {
        guard allowsDuplicates, let oldest = sightings.oldest else { return nil }
        return oldest.value.instant + Self.expiryTimeout
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
        guard blacklist.isEmpty || blacklist[key] == nil else {
            blacklist.touch(key, Ignored())
            return .ignore
        }
        let content = allowsDuplicates ? content : nil
        var report = Sighting(rssi: rssi, isConnected: isConnected, content: content, instant: now)
        var isReported = true
        sightings.touch(key) { [allowsDuplicates, throttle] known in
            if let known {
                isReported =
                    allowsDuplicates && report.isSignificantChange(of: known, throttle: throttle)
                // A throttled report also restarts the expiry, but the last reported strength stays, so that
                // many small changes add up.
                if !isReported { report.rssi = known.rssi }
            }
            known = report
        }
        if !allowsDuplicates, let capacity, sightings.count > capacity,
            let oldest = sightings.oldest
        {
            sightings.remove(oldest.key)
        }
        return isReported ? .report : .update
    }

    /// Records the end of a connection, without an advertisement.
    ///
    /// A peripheral that was reported as connected is reported again, and expires unless it advertises.
    mutating func disconnected(_ key: Key, now: Duration) -> Verdict {
        guard var value = sightings[key], value.isConnected else { return .ignore }
        value.isConnected = false
        value.instant = now
        sightings.touch(key, value)
        return allowsDuplicates ? .report : .update
    }

    /// Ignores a peripheral for the rest of the scan.
    mutating func blacklisted(_ key: Key) {
        sightings.remove(key)
        blacklist.touch(key, Ignored())
        if let capacity, blacklist.count > capacity, let oldest = blacklist.oldest {
            blacklist.remove(oldest.key)
        }
    }

    /// Removes peripherals that have been silent for too long, in the order of expiry.
    ///
    /// Connected peripherals stay, because they need not advertise.
    mutating func expire(now: Duration) -> [Key] {
        var removed: [Key] = []
        while let nextExpiry, nextExpiry <= now, let oldest = sightings.oldest {
            if oldest.value.isConnected {
                var value = oldest.value
                value.instant = now
                sightings.touch(oldest.key, value)
            } else {
                sightings.remove(oldest.key)
                removed.append(oldest.key)
            }
        }
        return removed
    }
}
