internal import BluejayCore
internal import FoundationEssentials

/// The values of reads that need several requests, so that their parts match.
///
/// Each central's value is discarded five seconds after its last use, or at its next read from offset 0.
struct LongReads<Central: Hashable> {
    private struct Snapshot {
        var value: Data
        var lastUse: Duration
    }

    private static var lifetime: Duration { .seconds(5) }
    private var snapshots: [Central: Snapshot] = [:]

    mutating func value(
        for device: Central,
        offset: Int,
        at now: @autoclosure () -> Duration
    ) -> Data? {
        // Nearly every value fits into one response.
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

    /// Keeps a returned value if the central will request more of it.
    mutating func store(
        _ value: Data,
        for device: Central,
        mtu: Int?,
        at now: @autoclosure () -> Duration
    ) {
        // A response holds MTU − 1 bytes; after a full one the central continues to read.
        let isLong = value.count >= (mtu ?? ATTLimits.minimumMTU) - 1
        guard isLong || !snapshots.isEmpty else { return }
        snapshots[device] = isLong ? Snapshot(value: value, lastUse: now()) : nil
    }

    mutating func forget(_ device: Central) {
        snapshots[device] = nil
    }
}
