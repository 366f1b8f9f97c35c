public import Bluejay
public import FoundationEssentials

extension Bluejay {
    /// Reports peripherals that enter and leave range until the stream ends.
    ///
    /// Like the callback form, it stays out of the queue and continues when Bluetooth returns after an
    /// interruption.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to report.
    ///   - lostAfter: In seconds, at least 1: how long a silent peripheral counts as present.
    ///   - bufferingPolicy: Which unconsumed events the stream keeps.
    /// - Returns: The events, in order. The stream ends without an error on `stopScanning`, otherwise with
    ///   the error that the callback form reports.
    public nonisolated func watch(
        for filter: ScanFilter,
        lostAfter: TimeInterval = 15,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> WatchStream {
        makeScanStream(bufferingPolicy) { bluejay, yield, stopped in
            bluejay.watch(for: filter, lostAfter: lostAfter, event: yield, stopped: stopped)
        }
    }
}

/// The events of peripherals that enter and leave range, in order.
public typealias WatchStream = ValueStream<WatchEvent>
