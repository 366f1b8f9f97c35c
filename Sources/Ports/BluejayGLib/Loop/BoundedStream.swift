internal import Synchronization

/// A stream that keeps a bounded number of elements, and counts those it discards.
///
/// Elements keep their order. The producer yields on the loop or any other thread; one consumer iterates in
/// any task. A producer holds the continuation only, so that a stream which its consumer releases ends.
package final class BoundedStream<Element: Swift.Sendable>: Swift.Sendable {
    package typealias Bound = AsyncStream<Element>.Continuation.BufferingPolicy

    /// The elements, for one iteration.
    package let elements: AsyncStream<Element>
    /// The producer's end.
    package let continuation: StreamContinuation<Element>

    package init(bufferingPolicy bound: Bound) {
        let (elements, base) = AsyncStream<Element>.makeStream(bufferingPolicy: bound)
        self.elements = elements
        continuation = StreamContinuation(base)
    }

    /// Creates a stream in which elements of one kind take no place from those of another.
    ///
    /// - Parameters:
    ///   - limit: The number of unread elements of each kind; newer ones are discarded.
    ///   - kind: Returns the kind of an element.
    package init(limitOfEachKind limit: Int, kind: @escaping @Sendable (Element) -> Int) {
        let (base, producer) = AsyncStream<Element>.makeStream(bufferingPolicy: .unbounded)
        let unread = UnreadCounts(limit: limit, kind: kind)
        elements = AsyncStream {
            // Iterators of one stream share its elements.
            var iterator = base.makeAsyncIterator()
            let element = await iterator.next()
            if let element { unread.remove(element) }
            return element
        }
        continuation = StreamContinuation(producer) { unread.add($0) }
    }

    /// The number of elements that were discarded because the buffer was full or the consumer had ended.
    package var droppedCount: Int { continuation.droppedCount }

    /// The numbers of unread elements by kind.
    private final class UnreadCounts: Swift.Sendable {
        private let counts = LockedValue<[Int: Int]>([:])
        private let limit: Int
        private let kind: @Sendable (Element) -> Int

        init(limit: Int, kind: @escaping @Sendable (Element) -> Int) {
            self.limit = limit
            self.kind = kind
        }

        /// Counts an element, if there is a place for its kind.
        func add(_ element: Element) -> Bool {
            let kind = kind(element)
            return counts.update { [limit] counts in
                guard counts[kind, default: 0] < limit else { return false }
                counts[kind, default: 0] += 1
                return true
            }
        }

        func remove(_ element: Element) {
            let kind = kind(element)
            counts.update { $0[kind, default: 0] -= 1 }
        }
    }
}

/// The producer's end of a stream that keeps a bounded number of elements; any thread may use it.
package struct StreamContinuation<Element: Swift.Sendable>: Swift.Sendable {
    private let enqueue: @Sendable (Element) -> Bool
    private let end: @Sendable ((any Error)?) -> Void
    private let setTermination: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let drops = DropCounter()

    fileprivate init(
        _ base: AsyncStream<Element>.Continuation,
        isAccepted: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) {
        enqueue = { element in
            guard isAccepted(element), case .enqueued = base.yield(element) else { return false }
            return true
        }
        end = { _ in base.finish() }
        setTermination = { call in base.onTermination = { _ in call() } }
    }

    private init(throwing base: AsyncThrowingStream<Element, any Error>.Continuation) {
        enqueue = { element in
            if case .enqueued = base.yield(element) { true } else { false }
        }
        end = { base.finish(throwing: $0) }
        setTermination = { call in base.onTermination = { _ in call() } }
    }

    /// Returns the elements of a stream that may end with an error, and its producer's end.
    package static func throwing(
        bufferingPolicy bound: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
    ) -> (elements: AsyncThrowingStream<Element, any Error>, continuation: StreamContinuation) {
        let (elements, base) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: bound
        )
        return (elements, StreamContinuation(throwing: base))
    }

    /// The number of elements that were discarded because the buffer was full or the consumer had ended.
    package var droppedCount: Int { drops.count }

    /// Appends an element.
    ///
    /// - Parameter element: The next element.
    /// - Returns: `false` if an element was discarded: this one, or with `bufferingNewest` the oldest.
    @discardableResult
    package func yield(_ element: Element) -> Bool {
        enqueue(element) || drops.add()
    }

    /// Ends the stream after the elements it keeps; later elements are ignored and not counted.
    ///
    /// Only a throwing stream reports the error.
    package func finish(_ error: (any Error)? = nil) {
        drops.finish()
        end(error)
    }

    /// Calls a closure once, when the stream is finished, or its consumer is cancelled or released.
    package func onTermination(_ call: @escaping @Sendable () -> Void) {
        setTermination(call)
    }
}

/// A count of discarded elements, for any thread.
package final class DropCounter: Swift.Sendable {
    private let storedCount = Atomic(0)
    private let isFinished = Atomic(false)

    package init() {}

    package var count: Int { storedCount.load(ordering: .relaxed) }

    /// Counts an element, unless the producer has finished.
    ///
    /// - Returns: Whether the producer has finished.
    @discardableResult
    package func add() -> Bool {
        guard !isFinished.load(ordering: .relaxed) else { return true }
        storedCount.add(1, ordering: .relaxed)
        return false
    }

    fileprivate func finish() {
        isFinished.store(true, ordering: .relaxed)
    }
}
