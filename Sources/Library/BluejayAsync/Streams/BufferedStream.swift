internal import BluejayGLib

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

    private let stream: BoundedThrowingStream<Element>
    private let skips = LossCounter()

    init(_ policy: BufferingPolicy, _ build: (ValueContinuation<Element>) -> Void) {
        let bound: BoundedThrowingStream<Element>.Bound =
            switch policy {
            case .unbounded: .unbounded
            case .bufferingNewest(let count): .bufferingNewest(count)
            case .bufferingOldest(let count): .bufferingOldest(count)
            }
        stream = BoundedThrowingStream(keeping: bound)
        build(ValueContinuation(stream.continuation, skips))
    }

    /// How many elements were dropped so far, because they were not taken in time; any thread may ask.
    public var droppedCount: Int { stream.lostCount }

    /// The number of values that ``UndecodableValuePolicy/skip`` has left out so far; any thread may ask.
    public var skippedCount: Int { skips.count }

    /// The iteration; elements that nobody takes are lost with it.
    public func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.AsyncIterator {
        stream.elements.makeAsyncIterator()
    }
}

/// What observers are told, one after the other; it ends without an error.
///
/// It is for one iteration. What is not kept, because its ``BufferingPolicy`` says so, is counted.
public struct EventStream<Element: Swift.Sendable>: AsyncSequence, Swift.Sendable {
    /// It never fails.
    public typealias Failure = Never

    private let stream: BoundedStream<Element>

    init(_ policy: BufferingPolicy, _ build: (EventContinuation<Element>) -> Void) {
        let bound: BoundedStream<Element>.Bound =
            switch policy {
            case .unbounded: .unbounded
            case .bufferingNewest(let count): .bufferingNewest(count)
            case .bufferingOldest(let count): .bufferingOldest(count)
            }
        stream = BoundedStream(keeping: bound)
        build(stream.continuation)
    }

    /// How many elements were dropped so far, because they were not taken in time; any thread may ask.
    public var droppedCount: Int { stream.lostCount }

    /// The iteration; elements that nobody takes are lost with it.
    public func makeAsyncIterator() -> AsyncStream<Element>.AsyncIterator {
        stream.elements.makeAsyncIterator()
    }
}

/// Feeds an ``EventStream``.
typealias EventContinuation<Element: Swift.Sendable> = BoundedStream<Element>.Continuation

/// Feeds a ``ValueStream``.
struct ValueContinuation<Element: Swift.Sendable>: Swift.Sendable {
    private let base: BoundedThrowingStream<Element>.Continuation
    private let skips: LossCounter

    fileprivate init(
        _ base: BoundedThrowingStream<Element>.Continuation,
        _ skips: LossCounter
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

    /// Called once: the stream has ended, or nobody takes from it any more.
    func onTermination(_ call: @escaping @Sendable () -> Void) {
        base.onTermination(call)
    }
}
