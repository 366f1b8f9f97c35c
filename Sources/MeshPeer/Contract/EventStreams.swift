internal import BluejayGLib

/// The open event streams of a manager.
///
/// Confined to the loop of the host.
final class EventStreams {
    private var continuations: [Int: BoundedStream<MeshPeerEvent>.Continuation] = [:]
    private var lastNumber = 0
    private var lostBefore = 0

    /// The number of events that did not fit into a stream.
    var lostCount: Int { continuations.values.reduce(lostBefore) { $0 + $1.lostCount } }

    /// The number of unread events that a stream holds.
    static let limit = 4096

    /// Adds a stream that starts with `first`; `ended` is called on any thread, with its number.
    func add(
        _ stream: BoundedStream<MeshPeerEvent>.Continuation,
        first: MeshPeerEvent,
        ended: @escaping @Sendable (Int) -> Void
    ) {
        lastNumber += 1
        let number = lastNumber
        continuations[number] = stream
        stream.onTermination { ended(number) }
        stream.yield(first)
    }

    func remove(_ number: Int) {
        lostBefore += continuations.removeValue(forKey: number)?.lostCount ?? 0
    }

    func send(_ event: MeshPeerEvent) {
        for continuation in continuations.values { continuation.yield(event) }
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
        let stream = BoundedStream<MeshPeerEvent>(keeping: .bufferingOldest(EventStreams.limit))
        perform { [continuation = stream.continuation] source in
            source.streams.add(continuation, first: source.presentState) { [weak self] number in
                self?.perform { $0.streams.remove(number) }
            }
        }
        return stream.elements
    }
}
