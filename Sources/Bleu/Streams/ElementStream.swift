internal import FoundationEssentials

/// `AsyncStream` and `AsyncThrowingStream` as results of distributed methods.
protocol ElementStream {
    /// Creates the stream of a caller.
    ///
    /// - Parameter channel: The JSON of the elements.
    /// - Returns: A stream for one consumer.
    static func receiving(_ channel: AsyncChannel) -> Self

    /// The elements of this stream, as JSON.
    func producer() -> ElementProducer
}

/// Returns the JSON of the next element of a stream, or `nil` at its end.
struct ElementProducer: Swift.Sendable {
    let next: @Sendable () async throws -> Data?
}

/// The elements of a stream on their way to its consumer, in order and bounded.
final class AsyncChannel: Swift.Sendable {
}
