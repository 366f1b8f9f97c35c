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
    package let continuation: Continuation

    package init(bufferingPolicy bound: Bound) {
        let (elements, base) = AsyncStream<Element>.makeStream(bufferingPolicy: bound)
        self.elements = elements
        continuation = Continuation(base)
    }

    /// The number of elements that were discarded because the buffer was full or the consumer had ended.
    package var droppedCount: Int { continuation.droppedCount }

    package struct Continuation: Swift.Sendable {
        private let base: AsyncStream<Element>.Continuation
        private let drops = DropCounter()

        fileprivate init(_ base: AsyncStream<Element>.Continuation) { self.base = base }

        package var droppedCount: Int { drops.count }

        /// Appends an element.
        ///
        /// - Parameter element: The next element.
        /// - Returns: `false` if an element was discarded: this one, or with `bufferingNewest` the oldest.
        @discardableResult
        package func yield(_ element: Element) -> Bool {
            if case .enqueued = base.yield(element) { return true }
            return drops.add()
        }

        /// Ends the stream after the elements it keeps; later elements are ignored and not counted.
        package func finish() {
            drops.finish()
            base.finish()
        }

        /// Calls a closure once, when the stream is finished, or its consumer is cancelled or released.
        package func onTermination(_ call: @escaping @Sendable () -> Void) {
            base.onTermination = { _ in call() }
        }
    }
}

/// A ``BoundedStream`` that may end with an error.
package final class BoundedThrowingStream<Element: Swift.Sendable>: Swift.Sendable {
    package typealias Bound =
        AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

    package let elements: AsyncThrowingStream<Element, any Error>
    package let continuation: Continuation

    package init(bufferingPolicy bound: Bound) {
        let (elements, base) = AsyncThrowingStream<Element, any Error>.makeStream(
            bufferingPolicy: bound
        )
        self.elements = elements
        continuation = Continuation(base)
    }

    package var droppedCount: Int { continuation.droppedCount }

    package struct Continuation: Swift.Sendable {
        private let base: AsyncThrowingStream<Element, any Error>.Continuation
        private let drops = DropCounter()

        fileprivate init(_ base: AsyncThrowingStream<Element, any Error>.Continuation) {
            self.base = base
        }

        package var droppedCount: Int { drops.count }

        @discardableResult
        package func yield(_ element: Element) -> Bool {
            if case .enqueued = base.yield(element) { return true }
            return drops.add()
        }

        package func finish(_ error: (any Error)? = nil) {
            drops.finish()
            base.finish(throwing: error)
        }

        package func onTermination(_ call: @escaping @Sendable () -> Void) {
            base.onTermination = { _ in call() }
        }
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
