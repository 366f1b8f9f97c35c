internal import Synchronization

/// What is kept of the elements of a stream until they are taken.
public enum BufferingPolicy: Hashable, Swift.Sendable {
    /// All of them, whatever their number.
    case unbounded
    /// So many of the newest: the oldest gives way.
    case bufferingNewest(Int)
    /// So many of the oldest: what comes when they are there is dropped.
    case bufferingOldest(Int)
}

/// What a call of `Bluejay` tells one after the other, with an error or none at its end.
///
/// It is for one iteration. What is not kept, because its ``BufferingPolicy`` says so, is counted.
public struct ValueStream<Element: Swift.Sendable>: AsyncSequence, Swift.Sendable {
    /// What a call fails with.
    public typealias Failure = any Error

    private let stream: AsyncThrowingStream<Element, any Error>
    private let drops = Drops()
    private let skips = Drops()

    init(_ policy: BufferingPolicy, _ build: (ValueContinuation<Element>) -> Void) {
        let kept: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy =
            switch policy {
            case .unbounded: .unbounded
            case .bufferingNewest(let count): .bufferingNewest(count)
            case .bufferingOldest(let count): .bufferingOldest(count)
            }
        let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: kept
        )
        self.stream = stream
        build(ValueContinuation(continuation, drops, skips))
    }

    /// How many elements were dropped so far, because they were not taken in time; any thread may ask.
    public var droppedCount: Int { drops.count }

    /// The number of values that ``UndecodableValuePolicy/skip`` has left out so far; any thread may ask.
    public var skippedCount: Int { skips.count }

    /// The iteration; elements that nobody takes are lost with it.
    public func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.AsyncIterator {
        stream.makeAsyncIterator()
    }
}

/// What observers are told, one after the other; it ends without an error.
///
/// It is for one iteration. What is not kept, because its ``BufferingPolicy`` says so, is counted.
public struct EventStream<Element: Swift.Sendable>: AsyncSequence, Swift.Sendable {
    /// It never fails.
    public typealias Failure = Never

    private let stream: AsyncStream<Element>
    private let drops = Drops()

    init(_ policy: BufferingPolicy, _ build: (EventContinuation<Element>) -> Void) {
        let kept: AsyncStream<Element>.Continuation.BufferingPolicy =
            switch policy {
            case .unbounded: .unbounded
            case .bufferingNewest(let count): .bufferingNewest(count)
            case .bufferingOldest(let count): .bufferingOldest(count)
            }
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: kept)
        self.stream = stream
        build(EventContinuation(continuation, drops))
    }

    /// How many elements were dropped so far, because they were not taken in time; any thread may ask.
    public var droppedCount: Int { drops.count }

    /// The iteration; elements that nobody takes are lost with it.
    public func makeAsyncIterator() -> AsyncStream<Element>.AsyncIterator {
        stream.makeAsyncIterator()
    }
}

/// Feeds a ``ValueStream``.
struct ValueContinuation<Element: Swift.Sendable>: Swift.Sendable {
    private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
    private let drops: Drops
    private let skips: Drops

    fileprivate init(
        _ continuation: AsyncThrowingStream<Element, any Error>.Continuation,
        _ drops: Drops,
        _ skips: Drops
    ) {
        self.continuation = continuation
        self.drops = drops
        self.skips = skips
    }

    func yield(_ element: Element) {
        if case .dropped = continuation.yield(element) { drops.add() }
    }

    func skip() {
        skips.add()
    }

    func finish(_ error: (any Error)? = nil) {
        continuation.finish(throwing: error)
    }

    /// Called once: the stream has ended, or nobody takes from it any more.
    func onTermination(_ call: @escaping @Sendable () -> Void) {
        continuation.onTermination = { _ in call() }
    }
}

/// Feeds an ``EventStream``.
struct EventContinuation<Element: Swift.Sendable>: Swift.Sendable {
    private let continuation: AsyncStream<Element>.Continuation
    private let drops: Drops

    fileprivate init(_ continuation: AsyncStream<Element>.Continuation, _ drops: Drops) {
        self.continuation = continuation
        self.drops = drops
    }

    func yield(_ element: Element) {
        if case .dropped = continuation.yield(element) { drops.add() }
    }

    func finish() {
        continuation.finish()
    }

    /// Called once: the stream has ended, or nobody takes from it any more.
    func onTermination(_ call: @escaping @Sendable () -> Void) {
        continuation.onTermination = { _ in call() }
    }
}

/// Counts on any thread.
private final class Drops: Swift.Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() {
        number.add(1, ordering: .relaxed)
    }
}
