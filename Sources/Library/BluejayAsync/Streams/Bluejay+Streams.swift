public import Bluejay
public import FoundationEssentials

/// The calls of `Bluejay` that deliver more than one element, as streams.
///
/// A stream joins the queue at the call, not at its first iteration. It buffers elements without
/// limit unless `bufferingPolicy` sets one: with `.bufferingNewest(1)` a slow consumer receives the latest
/// element, and `droppedCount` counts the others.
///
/// The operation ends when the iterating task is cancelled, or when the last reference to the stream and its
/// iterators is released, as on every exit from `for try await value in bluejay.values(of: …)`. In a
/// cancelled task the stream ends without an error. A stream does not keep its `Bluejay` alive; when that is
/// released, the stream ends with `BluejayError.cancelled`.
extension Bluejay {
    /// Scans until the stream ends.
    ///
    /// Joins the queue. A running scan delays all later calls, except that a `connect` ends it.
    ///
    /// - Parameters:
    ///   - duration: In seconds from the scan's turn in the queue; 0 is without limit.
    ///   - allowDuplicates: Whether to report every advertisement instead of each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, the smallest change of signal strength to report, in dB; 0
    ///     reports every change.
    ///   - serviceIdentifiers: Limits the scan to peripherals that advertise one of these services; nil or
    ///     empty reports all peripherals that advertise.
    ///   - bufferingPolicy: Which unconsumed discoveries the stream keeps.
    /// - Returns: The discoveries, in order. The scan remembers as much as the callback form without a list.
    ///   The stream ends without an error after `duration`, on `stopScanning` and on a `connect`; otherwise
    ///   with the error that the callback form reports.
    public nonisolated func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]? = nil,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> DiscoveryStream {
        makeScanStream(bufferingPolicy) { bluejay, yield, stopped in
            bluejay.scan(
                duration: duration,
                allowDuplicates: allowDuplicates,
                throttleRSSIDelta: throttleRSSIDelta,
                serviceIdentifiers: serviceIdentifiers,
                discovery: yield,
                stopped: stopped
            )
        }
    }

    nonisolated func makeScanStream<Element: Swift.Sendable>(
        _ bufferingPolicy: BufferingPolicy,
        _ start:
            @escaping @Sendable (
                Bluejay, @escaping (Element) -> ScanAction, @escaping ((any Error)?) -> Void
            ) -> Void
    ) -> ValueStream<Element> {
        ValueStream(bufferingPolicy) { continuation in
            let scan = StreamedOperation()
            let finisher = StreamFinisher(continuation)
            continuation.onTermination { [weak self, mainLoop] in
                mainLoop.post { [weak self] in
                    scan.isAbandoned = true
                    if let id = scan.id { self?.cancelOperation(id) }
                }
            }
            mainLoop.post { [weak self] in
                guard let self else { return finisher.finish(BluejayError.cancelled) }
                scan.id = operation {
                    start(self) { element in
                        continuation.yield(element)
                        return .continue
                    } _: { error in
                        // A stream without consumers cancels its scan; that cancellation is not an error.
                        finisher.finish(scan.isAbandoned ? nil : error)
                    }
                }
            }
        }
    }
}

/// The discoveries of a scan, in order.
public typealias DiscoveryStream = ValueStream<ScanDiscovery>

/// The operation that feeds a stream; `id` is set once it is in the queue.
// Used on the main loop only: the invariant behind `@unchecked`.
final class StreamedOperation: @unchecked Swift.Sendable {
    var id: Int?
    /// Whether the stream has no consumer left.
    var isAbandoned = false
}

/// Finishes a stream when its producer is released, unless the stream has already ended.
final class StreamFinisher<Element: Swift.Sendable>: Swift.Sendable {
    private let continuation: ValueContinuation<Element>

    init(_ continuation: ValueContinuation<Element>) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    func finish(_ error: (any Error)?) {
        continuation.finish(error)
    }
}
