/// The open event streams of a manager.
///
/// Confined to the loop of the host.
final class EventStreams {
    private var continuations: [Int: AsyncStream<MeshPeerEvent>.Continuation] = [:]
    private var lastNumber = 0

    /// The number of events that did not fit into a stream.
    private(set) var lostCount = 0

    /// The number of unread events that a stream holds.
    static let limit = 4096

    /// Adds a stream.
    ///
    /// - Parameters:
    ///   - continuation: Of the stream.
    ///   - first: The first event of the stream.
    ///   - ended: Called on any thread, with the number of the stream.
    func add(
        _ continuation: AsyncStream<MeshPeerEvent>.Continuation,
        first: MeshPeerEvent,
        ended: @escaping @Sendable (Int) -> Void
    ) {
        lastNumber += 1
        let number = lastNumber
        continuations[number] = continuation
        continuation.onTermination = { _ in ended(number) }
        continuation.yield(first)
    }

    func remove(_ number: Int) {
        continuations[number] = nil
    }

    func send(_ event: MeshPeerEvent) {
        for continuation in continuations.values {
            if case .dropped = continuation.yield(event) { lostCount += 1 }
        }
    }

    func finish() {
        for continuation in continuations.values { continuation.finish() }
        continuations = [:]
    }
}

/// The part of a manager that has its events.
protocol EventSource: AnyObject, SendableMetatype {
    var streams: EventStreams { get }
    /// The first event of a new stream.
    var presentState: MeshPeerEvent { get }
}

extension LoopConfined where Object: EventSource {
    /// Returns a new stream.
    func events() -> AsyncStream<MeshPeerEvent> {
        let (stream, continuation) = AsyncStream<MeshPeerEvent>.makeStream(
            bufferingPolicy: .bufferingOldest(EventStreams.limit)
        )
        perform { source in
            source.streams.add(continuation, first: source.presentState) { [weak self] number in
                self?.perform { $0.streams.remove(number) }
            }
        }
        return stream
    }
}
