internal import FoundationEssentials

/// `AsyncStream` and `AsyncThrowingStream` as results of distributed methods.
protocol ElementStream {
    /// Creates the stream of a caller.
    ///
    /// The stream owns the channel. `AsyncStream` cannot throw: it ends if the channel fails or an element is not
    /// one of its type. `AsyncThrowingStream` throws the error, or ``BleuError/invalidData``.
    ///
    /// - Parameter channel: The JSON of the elements.
    /// - Returns: A stream for one consumer.
    static func receiving(_ channel: AsyncChannel) -> Self

    /// The elements of this stream, as JSON.
    func producer() -> ElementProducer
}

/// Returns the JSON of the next element of a stream, or `nil` at its end.
///
/// Await one element at a time. Releasing the producer, or cancelling the task that awaits, terminates the stream.
struct ElementProducer: Swift.Sendable {
    let next: @Sendable () async throws -> Data?
}
