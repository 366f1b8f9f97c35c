/// The values that came to a central, by characteristic.
struct CentralInboxes {
    /// Whether the central takes values; those that come meanwhile wait at the end of its link.
    var takesValues = true
    /// By the UUID in full.
    private var inboxes: [String: CentralInbox] = [:]

    subscript(uuid: String) -> CentralInbox { inboxes[uuid] ?? CentralInbox() }

    /// The inbox of a characteristic as a step names it: `2A19`, or `180F/2A19`.
    func inbox(_ characteristic: String) -> CentralInbox {
        let uuid = characteristic.split(separator: "/").last.flatMap { UUIDText.long(String($0)) }
        return uuid.map { self[$0] } ?? CentralInbox()
    }

    mutating func append(_ value: [UInt8], _ uuid: String) {
        inboxes[uuid, default: CentralInbox()].append(value)
    }

    /// Takes the oldest so many values of a characteristic.
    mutating func take(_ count: Int, of uuid: String) -> [[UInt8]] {
        inboxes[uuid, default: CentralInbox()].take(count)
    }
}

/// The values of one characteristic that came to a central.
struct CentralInbox {
    private(set) var history = History<[UInt8]>()
    private var taken = 0

    /// How many have come that nobody took.
    var untaken: Int { history.count - taken }

    mutating func append(_ value: [UInt8]) {
        history.append(value)
    }

    /// Takes the oldest so many; what is no longer kept is passed over.
    mutating func take(_ count: Int) -> [[UInt8]] {
        let count = min(count, untaken)
        let kept = history.last.suffix(untaken)
        let gone = untaken - kept.count
        taken += count
        return Array(kept.prefix(max(0, count - gone)))
    }
}
