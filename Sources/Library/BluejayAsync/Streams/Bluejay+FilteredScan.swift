public import Bluejay
public import FoundationEssentials

extension Bluejay {
    /// Scans for peripherals that match a filter until the stream ends.
    ///
    /// Works like the form with `serviceIdentifiers`, for the advertisements that `filter` accepts. Outside
    /// the queue the scan starts at once and delays no other call; neither a `connect` nor the end of a
    /// connection stops it.
    ///
    /// - Parameters:
    ///   - filter: The advertisements to report.
    ///   - duration: In seconds from the start of the scan; 0 is without limit.
    ///   - allowDuplicates: Whether to report every advertisement instead of each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, the smallest change of signal strength to report, in dB; 0
    ///     reports every change.
    ///   - besideQueue: Whether the scan stays out of the queue.
    ///   - bufferingPolicy: Which unconsumed discoveries the stream keeps.
    /// - Returns: The discoveries, in order. The stream ends without an error after `duration`, on
    ///   `stopScanning` and, in the queue, on a `connect`; otherwise with the error that the callback form
    ///   reports.
    public nonisolated func scan(
        matching filter: ScanFilter,
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        besideQueue: Bool = false,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> DiscoveryStream {
        makeScanStream(bufferingPolicy) { bluejay, yield, stopped in
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
