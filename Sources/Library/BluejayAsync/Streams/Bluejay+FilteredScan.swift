public import Bluejay
public import FoundationEssentials

extension Bluejay {
    /// Scans for what fits a filter until the stream ends.
    ///
    /// As the form with `serviceIdentifiers`, but for what is told. Beside the queue it begins at once and
    /// holds nothing up, and neither a `connect` nor the end of a connection ends it.
    ///
    /// - Parameters:
    ///   - filter: What is to be told.
    ///   - duration: In seconds, from the scan's begin; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - besideQueue: Whether it stays out of the queue.
    ///   - bufferingPolicy: What is kept of the discoveries that were not taken yet.
    /// - Returns: Every discovery that is kept, in order. It ends without an error after `duration`, by
    ///   `stopScanning` and, in the queue, by a `connect`; else with the error that `stopped` of the call
    ///   with the same name gets.
    public nonisolated func scan(
        matching filter: ScanFilter,
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        besideQueue: Bool = false,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> DiscoveryStream {
        scanned(bufferingPolicy) { bluejay, yield, stopped in
            bluejay.scan(
                matching: filter,
                duration: duration,
                allowDuplicates: allowDuplicates,
                throttleRSSIDelta: throttleRSSIDelta,
                besideQueue: besideQueue,
                discovery: yield,
                stopped: stopped
            )
        }
    }
}
