internal import BluejayGLib

/// A limit on the unconsumed elements that a stream keeps.
public enum BufferingPolicy: Hashable, Swift.Sendable {
    /// Keeps all elements.
    case unbounded
    /// Keeps at most this many elements and drops the oldest to make room.
    case bufferingNewest(Int)
    /// Keeps at most this many elements and drops newer ones while the buffer is full.
    case bufferingOldest(Int)
}

/// A stream of the elements that a call of `Bluejay` delivers; it may end with an error.
///
/// It supports one iteration. Elements dropped by its ``BufferingPolicy`` are counted.
public struct ValueStream<Element: Swift.Sendable>: AsyncSequence, Swift.Sendable {
    /// The error that ends the stream.
    public typealias Failure = any Error

    private let elements: AsyncThrowingStream<Element, any Error>
    private let continuation: StreamContinuation<Element>
    private let skips = DropCounter()

    init(_ policy: BufferingPolicy, _ build: (ValueContinuation<Element>) -> Void) {
        let bound: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy =
            switch policy {
            case .unbounded: .unbounded
            case .bufferingNewest(let count): .bufferingNewest(count)
            case .bufferingOldest(let count): .bufferingOldest(count)
            }
        (elements, continuation) = StreamContinuation.throwing(bufferingPolicy: bound)
        build(ValueContinuation(continuation, skips))
    }

    /// The number of elements dropped so far because the buffer was full, on any thread.
    public var droppedCount: Int { continuation.droppedCount }

    /// The number of values that ``UndecodableValuePolicy/skip`` has skipped so far, on any thread.
    public var skippedCount: Int { skips.count }

    /// Returns the iterator; unconsumed elements are lost when it is released.
    public func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.AsyncIterator {
        elements.makeAsyncIterator()
    }
}

/// A stream of the events that observers receive; it ends without an error.
///
/// It supports one iteration. Events dropped by its ``BufferingPolicy`` are counted.
public struct EventStream<Element: Swift.Sendable>: AsyncSequence, Swift.Sendable {
    /// The stream never fails.
    public typealias Failure = Never

    private let stream: BoundedStream<Element>

    init(_ policy: BufferingPolicy, _ build: (EventContinuation<Element>) -> Void) {
        let bound: BoundedStream<Element>.Bound =
            switch policy {
            case .unbounded: .unbounded
            case .bufferingNewest(let count): .bufferingNewest(count)
            case .bufferingOldest(let count): .bufferingOldest(count)
            }
        stream = BoundedStream(bufferingPolicy: bound)
        build(stream.continuation)
    }

    /// The number of elements dropped so far because the buffer was full, on any thread.
    public var droppedCount: Int { stream.droppedCount }

    /// Returns the iterator; unconsumed elements are lost when it is released.
    public func makeAsyncIterator() -> AsyncStream<Element>.AsyncIterator {
        stream.elements.makeAsyncIterator()
    }
}

/// Feeds an ``EventStream``.
typealias EventContinuation<Element: Swift.Sendable> = StreamContinuation<Element>

/// Feeds a ``ValueStream``.
struct ValueContinuation<Element: Swift.Sendable>: Swift.Sendable {
    private let base: StreamContinuation<Element>
    private let skips: DropCounter

    fileprivate init(
        _ base: StreamContinuation<Element>,
        _ skips: DropCounter
    ) {
        self.base = base
        self.skips = skips
    }

    func yield(_ element: Element) {
        base.yield(element)
    }

    func skip() {
        skips.add()
    }

    func finish(_ error: (any Error)? = nil) {
        base.finish(error)
    }

    /// Sets a closure that is called once, when the stream ends or loses its last consumer.
    func onTermination(_ call: @escaping @Sendable () -> Void) {
        base.onTermination(call)
    }
}
