/// The values that a central has received, by characteristic.
struct CentralInboxes {
    /// Whether the central accepts values; otherwise they wait at the end of its link.
    var acceptsValues = true
    private var inboxes: [String: CentralReceivedValues] = [:]

    subscript(uuid: String) -> CentralReceivedValues { inboxes[uuid] ?? CentralReceivedValues() }

    /// The inbox of a characteristic, named as in a step: `2A19`, or `180F/2A19`.
    func inbox(_ characteristic: String) -> CentralReceivedValues {
        let uuid = characteristic.split(separator: "/").last.flatMap { UUIDText.long(String($0)) }
        return uuid.map { self[$0] } ?? CentralReceivedValues()
    }

    mutating func append(_ value: [UInt8], _ uuid: String) {
        inboxes[uuid, default: CentralReceivedValues()].append(value)
    }

    /// Removes and returns the oldest values of a characteristic, at most `count`.
    mutating func removeOldest(_ count: Int, of uuid: String) -> [[UInt8]] {
        inboxes[uuid, default: CentralReceivedValues()].removeOldest(count)
    }
}

/// The values of one characteristic that a central has received.
struct CentralReceivedValues {
    private(set) var history = BoundedHistory<[UInt8]>()
    private var removedCount = 0

    /// The number of received values that no step has consumed.
    var pendingCount: Int { history.count - removedCount }

    mutating func append(_ value: [UInt8]) {
        history.append(value)
    }

    /// Removes and returns the oldest values, at most `count`; values that are no longer retained are skipped.
    mutating func removeOldest(_ count: Int) -> [[UInt8]] {
        let count = min(count, pendingCount)
        let retained = history.last.suffix(pendingCount)
        let discardedCount = pendingCount - retained.count
        removedCount += count
        return Array(retained.prefix(max(0, count - discardedCount)))
    }
}
