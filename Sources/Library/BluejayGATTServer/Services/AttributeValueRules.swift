internal import BluejayCore
internal import FoundationEssentials

/// The rules for values and parts of values (Core Specification, Vol 3, Part F, 3.2.9).
enum AttributeValueRules {
    /// Refuses an overlong value.
    static func checked(_ value: Data) throws -> Data {
        guard value.count <= ATTLimits.longestValue else {
            throw BluejayError.valueTooLong(length: value.count, limit: ATTLimits.longestValue)
        }
        return value
    }

    /// The value from `offset` on; nil when the offset is behind its end.
    static func part(of value: Data, from offset: Int) -> Data? {
        guard offset >= 0, offset <= value.count else { return nil }
        return offset == 0 ? value : Data(value.dropFirst(offset))
    }

    /// The value after `bytes` were written at `offset`; what was behind them is gone.
    static func value(_ old: Data, writing bytes: Data, at offset: Int) -> WriteEffect {
        guard offset >= 0, offset <= old.count else { return .refused(.invalidOffset) }
        guard offset + bytes.count <= ATTLimits.longestValue else {
            return .refused(.invalidAttributeValueLength)
        }
        return .changed(offset == 0 ? bytes : Data(old.prefix(offset)) + bytes)
    }

    /// What a write does.
    enum WriteEffect: Equatable {
        case changed(Data)
        case refused(ATTError)
    }
}

/// Keeps the value of a read that needs several requests, so that its parts fit together.
///
/// Each central has its own; it is forgotten five seconds after its last use, or with the next read from
/// the beginning.
struct LongReads<Central: Hashable> {
    private struct Snapshot {
        var value: Data
        var lastUse: Duration
    }

    private static var lifetime: Duration { .seconds(5) }
    private var snapshots: [Central: Snapshot] = [:]

    /// The kept value for a read that goes on at `offset`.
    mutating func value(
        for device: Central,
        offset: Int,
        at now: @autoclosure () -> Duration
    ) -> Data? {
        // Nearly every read is of a value that fits.
        guard !snapshots.isEmpty else { return nil }
        let now = now()
        guard offset > 0, let snapshot = snapshots[device],
            now - snapshot.lastUse <= Self.lifetime
        else {
            snapshots[device] = nil
            return nil
        }
        snapshots[device]?.lastUse = now
        return snapshot.value
    }

    /// Keeps an answered value if the central will ask for more of it.
    mutating func keep(
        _ value: Data,
        for device: Central,
        mtu: Int?,
        at now: @autoclosure () -> Duration
    ) {
        // A response holds MTU − 1 bytes; one that is full makes the central ask on.
        let isLong = value.count >= (mtu ?? ATTLimits.leastMTU) - 1
        guard isLong || !snapshots.isEmpty else { return }
        snapshots[device] = isLong ? Snapshot(value: value, lastUse: now()) : nil
    }

    /// Forgets a central that has gone.
    mutating func forget(_ device: Central) {
        snapshots[device] = nil
    }
}
