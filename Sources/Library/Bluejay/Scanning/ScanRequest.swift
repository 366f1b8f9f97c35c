internal import FoundationEssentials

/// What a scan was asked for.
struct ScanRequest {
    /// In seconds; 0 is without limit.
    var duration: TimeInterval
    var allowsDuplicates: Bool
    /// In dB.
    var throttle: Int
    var filter: ScanFilter
    /// Whether it runs beside the queue.
    var isBesideQueue = false
}
