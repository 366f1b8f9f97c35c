/// Decides which reports of a scan the user hears.
///
/// `Key` names a peripheral. Instants are arguments. Specified by the documentation of
/// `Bluejay.scan`.
struct ScanStateMachine<Key: Hashable>: Equatable {
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
        var rssi: Int?
        var expiry: Duration?
    }

    /// How long a silent peripheral counts as near.
    static var expiryTime: Duration { .seconds(15) }

    let allowsDuplicates: Bool
    /// Changes of the signal strength below it are not told; in dB, 0 tells all.
    let throttle: Int
    private var seen: [Key: Seen] = [:]
    private var blacklist: Set<Key> = []

    init(allowsDuplicates: Bool, throttle: Int) {
        self.allowsDuplicates = allowsDuplicates
        self.throttle = throttle
    }

    /// The earliest instant at which a peripheral expires.
    var nextExpiry: Duration? { seen.values.compactMap(\.expiry).min() }

    /// An advertisement came.
    mutating func reported(_ key: Key, rssi: Int?, now: Duration) -> Verdict {
        guard !blacklist.contains(key) else { return .ignore }
        let expiry = allowsDuplicates ? now + Self.expiryTime : nil
        guard let known = seen[key] else {
            seen[key] = Seen(rssi: rssi, expiry: expiry)
            return .tell
        }
        // A throttled report restarts the expiry all the same, and keeps the told strength: many small
        // steps add up to a big one.
        seen[key]?.expiry = expiry
        guard allowsDuplicates, isNews(known.rssi, rssi) else { return .update }
        seen[key]?.rssi = rssi
        return .tell
    }

    /// The user does not want to hear of a peripheral during this scan.
    mutating func blacklisted(_ key: Key) {
        blacklist.insert(key)
        seen[key] = nil
    }

    /// Removes what has been silent for too long; in the order of the expiries.
    mutating func expire(now: Duration) -> [Key] {
        let gone = seen.filter { $0.value.expiry.map { $0 <= now } ?? false }
            .sorted { ($0.value.expiry ?? .zero) < ($1.value.expiry ?? .zero) }
            .map(\.key)
        for key in gone { seen[key] = nil }
        return gone
    }

    private func isNews(_ old: Int?, _ new: Int?) -> Bool {
        guard throttle > 0 else { return true }
        guard let old, let new else { return (old == nil) != (new == nil) }
        return abs(old - new) >= throttle
    }
}
