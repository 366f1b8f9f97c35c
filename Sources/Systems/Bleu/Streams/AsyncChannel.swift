internal import FoundationEssentials

/// The elements of a stream on their way to its consumer, in order and bounded.
///
/// The stream of the consumer owns the channel; the loop holds its ``input`` only, so that the release of the
/// stream ends the channel.
final class AsyncChannel: Swift.Sendable {
    /// The sending end, for any thread.
    struct Input: Swift.Sendable {
        fileprivate let continuation: AsyncStream<Result<Data, any Error>>.Continuation

        /// Appends an element.
        ///
        /// - Parameter element: The JSON of the next element.
        /// - Returns: `false` if the channel is full or has ended.
        func send(_ element: Data) -> Bool {
            if case .enqueued = continuation.yield(.success(element)) { true } else { false }
        }

        /// Ends the channel after the elements in it.
        ///
        /// - Parameter error: The error that the consumer receives at the end, if any.
        func finish(throwing error: (any Error)? = nil) {
            if let error { continuation.yield(.failure(error)) }
            continuation.finish()
        }
    }

    let input: Input
    private let elements: AsyncStream<Result<Data, any Error>>
    private let onConsumed: @Sendable () -> Void

    /// Creates an empty channel.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of elements that wait for the consumer.
    ///   - onConsumed: Called after each element that the consumer receives, on the consumer's thread.
    ///   - onTermination: Called once, on any thread, if the consumer is cancelled or releases the stream before
    ///     `finish`.
    init(
        capacity: Int,
        onConsumed: @escaping @Sendable () -> Void,
        onTermination: @escaping @Sendable () -> Void
    ) {
        // One more for the error at the end; `StreamReceiver` keeps to the capacity.
        let (elements, continuation) = AsyncStream<Result<Data, any Error>>.makeStream(
            bufferingPolicy: .bufferingOldest(capacity + 1)
        )
        continuation.onTermination = { if case .cancelled = $0 { onTermination() } }
        self.elements = elements
        self.onConsumed = onConsumed
        input = Input(continuation: continuation)
    }

    /// Waits for the next element.
    ///
    /// - Returns: The JSON of an element, or `nil` at the end and if the task is cancelled.
    /// - Throws: The error of `finish`, once.
    func next() async throws -> Data? {
        var iterator = elements.makeAsyncIterator()
        guard let element = try await iterator.next()?.get() else { return nil }
        onConsumed()
        return element
    }
}
