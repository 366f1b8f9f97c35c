internal import FoundationEssentials

struct ScanRequest {
    /// In seconds; 0 means no limit.
    var duration: TimeInterval
    var allowsDuplicates: Bool
    /// In dB.
    var throttle: Int
    var filter: ScanFilter
    /// Whether the scan stays outside the queue.
    var runsOutsideQueue = false
}
