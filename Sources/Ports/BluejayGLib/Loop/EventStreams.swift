/// The open event streams of an object, each for one reader.
///
/// Confined to one loop. A full stream discards events, which `droppedCount` counts.
package final class EventStreams<Event: Swift.Sendable> {
    private var continuations: [Int: StreamContinuation<Event>] = [:]
    private var lastID = 0
    private let drops: DropCounter
    private let isClosed: LockedValue<Bool>

    /// - Parameters:
    ///   - drops: Counts the discarded events, for any thread.
    ///   - isClosed: Whether new streams end at once, for any thread.
    package init(
        drops: DropCounter = DropCounter(),
        isClosed: LockedValue<Bool> = LockedValue(false)
    ) {
        self.drops = drops
        self.isClosed = isClosed
    }

    package var droppedCount: Int { drops.count }

    package var isEmpty: Bool { continuations.isEmpty }

    /// Adds a stream that starts with `first`; `onTermination` is called on any thread, with the stream's ID.
    package func add(
        _ stream: StreamContinuation<Event>,
        first: Event,
        onTermination: @escaping @Sendable (Int) -> Void
    ) {
        guard !isClosed.value else {
            stream.yield(first)
            return stream.finish()
        }
        lastID += 1
        let id = lastID
        continuations[id] = stream
        stream.onTermination { onTermination(id) }
        stream.yield(first)
    }

    package func remove(_ id: Int) {
        continuations[id] = nil
    }

    package func send(_ event: Event) {
        for continuation in continuations.values where !continuation.yield(event) { drops.add() }
    }

    package func finish() {
        for continuation in continuations.values { continuation.finish() }
        for id in Array(continuations.keys) { remove(id) }
    }
}

extension EventStreams {
    /// Ends all streams, and each new one after its first event, until `reopen`.
    package func close() {
        isClosed.value = true
        finish()
    }

    package func reopen() { isClosed.value = false }
}

/// An object on a loop that has event streams.
package protocol EventPublisher: AnyObject, SendableMetatype {
    associatedtype Event: Swift.Sendable

    var streams: EventStreams<Event> { get }
    /// The first event of a new stream.
    var presentState: Event { get }
}

extension LoopConfined where Object: EventPublisher {
    /// Adds a stream of events.
    ///
    /// - Parameters:
    ///   - limit: The number of unread events of each kind.
    ///   - kind: Returns the kind of an event: frequent events take no place from rare ones.
    /// - Returns: A stream that begins with the present state.
    package func events(
        limitOfEachKind limit: Int,
        kind: @escaping @Sendable (Object.Event) -> Int
    ) -> AsyncStream<Object.Event> {
        let stream = BoundedStream<Object.Event>(limitOfEachKind: limit, kind: kind)
        perform { [continuation = stream.continuation] source in
            source.streams.add(continuation, first: source.presentState) { [weak self] id in
                self?.perform { $0.streams.remove(id) }
            }
        }
        return stream.elements
    }
}
