public import Bluejay
public import FoundationEssentials

/// The calls of `Bluejay` that tell more than one thing, as streams.
///
/// A stream begins at the call, not at its first iteration: what is called afterwards is behind it in
/// the queue. It keeps everything until it is taken, without limit, unless `bufferingPolicy` says
/// otherwise: with `.bufferingNewest(1)` who is slow gets the latest, and `droppedCount` says how
/// many were not kept. It ends its part in the queue when
/// the task that iterates is cancelled, and when nobody holds the stream or an iterator of it any more:
/// `for try await value in bluejay.values(of: …)` does so on every way out of the loop. For a task that
/// is cancelled the stream is over, without an error. It does not keep its `Bluejay` alive; when that is
/// released the stream ends with `BluejayError.cancelled`.
extension Bluejay {
    /// Scans until the stream ends.
    ///
    /// Joins the queue. A running scan keeps everything behind it waiting, but a `connect` ends it.
    ///
    /// - Parameters:
    ///   - duration: In seconds, from the scan's turn in the queue; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - serviceIdentifiers: Peripherals that advertise one of them; nil or empty is all that
    ///     advertise.
    ///   - bufferingPolicy: What is kept of the discoveries that were not taken yet.
    /// - Returns: Every discovery that is kept, in order. It remembers as much as the form of `scan`
    ///   without a list. It ends without an error after `duration`, by
    ///   `stopScanning` and by a `connect`; else with the error that `stopped` of the call with the same
    ///   name gets.
    public nonisolated func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]? = nil,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> DiscoveryStream {
        scanned(bufferingPolicy) { bluejay, yield, stopped in
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

    /// What a scan gives that `start` begins on the main loop.
    nonisolated func scanned<Element: Swift.Sendable>(
        _ bufferingPolicy: BufferingPolicy,
        _ start:
            @escaping @Sendable (
                Bluejay, @escaping (Element) -> ScanAction, @escaping ((any Error)?) -> Void
            ) -> Void
    ) -> ValueStream<Element> {
        ValueStream(bufferingPolicy) { continuation in
            let scan = StreamedOperation()
            let end = StreamFinisher(continuation)
            continuation.onTermination { [weak self, mainLoop] in
                mainLoop.post { [weak self] in
                    scan.isLeft = true
                    if let id = scan.id { self?.cancelOperation(id) }
                }
            }
            mainLoop.post { [weak self] in
                guard let self else { return end.finish(BluejayError.cancelled) }
                scan.id = operation {
                    start(self) { element in
                        continuation.yield(element)
                        return .continue
                    } _: { error in
                        // A stream tells of its end before it has ended: nothing is thrown for that.
                        end.finish(scan.isLeft ? nil : error)
                    }
                }
            }
        }
    }
}

/// The discoveries of a scan, in order.
public typealias DiscoveryStream = ValueStream<ScanDiscovery>

/// The operation of a stream, once it is in the queue.
// Used on the main loop only: the invariant behind `@unchecked`.
final class StreamedOperation: @unchecked Swift.Sendable {
    var id: Int?
    /// Whether nobody takes any more what the stream gives.
    var isLeft = false
}

/// Ends a stream when those who fed it have let go of it, if nothing has ended it before.
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
