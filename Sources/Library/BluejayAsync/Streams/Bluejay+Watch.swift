public import Bluejay
public import FoundationEssentials

extension Bluejay {
    /// Tells who comes and who goes, until the stream ends.
    ///
    /// As the call with the same name: it stays out of the queue, and goes on when Bluetooth has been away.
    ///
    /// - Parameters:
    ///   - filter: Who is to be told.
    ///   - lostAfter: In seconds, at least 1: how long a silent peripheral counts as there.
    ///   - bufferingPolicy: What is kept of the events that were not taken yet.
    /// - Returns: Every event that is kept, in order. It ends without an error by `stopScanning`, else with
    ///   the error that `stopped` of the call with the same name gets.
    public nonisolated func watch(
        for filter: ScanFilter,
        lostAfter: TimeInterval = 15,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> WatchStream {
        scanned(bufferingPolicy) { bluejay, yield, stopped in
            bluejay.watch(for: filter, lostAfter: lostAfter, event: yield, stopped: stopped)
        }
    }
}

/// Who comes and who goes, in order.
public typealias WatchStream = ValueStream<WatchEvent>
