internal import BluejayGLib
internal import FoundationEssentials

/// `AsyncStream` and `AsyncThrowingStream` as results of distributed methods.
protocol ElementStream: AsyncSequence {
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

extension ElementStream {
    /// Returns the elements of this stream as JSON, or `nil` while an earlier producer of this function has them.
    func exclusiveProducer() -> ElementProducer? {
        guard let claim = StreamClaim(self) else { return nil }
        return ElementProducer(next: producer().next) { claim.release() }
    }
}

/// Returns the JSON of the next element of a stream, or `nil` at its end.
///
/// Await one element at a time. Releasing the producer, or cancelling the task that awaits, terminates the stream.
struct ElementProducer: Swift.Sendable {
    let next: @Sendable () async throws -> Data?
    /// Called after the last element: another producer may then read the stream.
    let onEnd: @Sendable () -> Void

    init(
        next: @escaping @Sendable () async throws -> Data?,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.next = next
        self.onEnd = onEnd
    }
}

// A distributed method can only return Codable values. A stream is Codable for this purpose; its elements are
// sent one by one, and never by these functions.
extension AsyncStream: @retroactive Codable where Element: Codable {
    /// Always throws: only the result of a distributed method can be a stream.
    public init(from decoder: any Decoder) throws {
        throw MisplacedStream.decodingError(decoder)
    }

    /// Always throws: only the result of a distributed method can be a stream.
    public func encode(to encoder: any Encoder) throws {
        throw MisplacedStream.encodingError(self, encoder)
    }
}

extension AsyncThrowingStream: @retroactive Codable
where Element: Codable, Failure == any Error {
    /// Always throws: only the result of a distributed method can be a stream.
    public init(from decoder: any Decoder) throws {
        throw MisplacedStream.decodingError(decoder)
    }

    /// Always throws: only the result of a distributed method can be a stream.
    public func encode(to encoder: any Encoder) throws {
        throw MisplacedStream.encodingError(self, encoder)
    }
}

enum MisplacedStream {
    /// Whether an error is that of a stream in a value.
    static func isReason(of error: any Error) -> Bool {
        guard case EncodingError.invalidValue(_, let context) = error else { return false }
        return context.debugDescription == reason
    }

    static let reason =
        "a stream cannot be an argument or a part of a value; only the whole result of a distributed "
        + "method of a PeripheralActor can be a stream"

    fileprivate static func decodingError(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }

    fileprivate static func encodingError(_ value: Any, _ encoder: any Encoder) -> EncodingError {
        .invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
}

extension AsyncStream: ElementStream where Element: Codable {
    static func receiving(_ channel: AsyncChannel) -> AsyncStream {
        pulling(
            UncheckedTransfer {
                guard let json = try? await channel.next() else { return nil }
                return try? JSONValue.decode(Element.self, from: json)
            }
        )
    }

    func producer() -> ElementProducer {
        var iterator = makeAsyncIterator()
        return .pulling(
            UncheckedTransfer { try await iterator.next().map { try JSONValue.encode($0) } }
        )
    }
}

extension AsyncThrowingStream: ElementStream where Element: Codable, Failure == any Error {
    static func receiving(_ channel: AsyncChannel) -> AsyncThrowingStream {
        // The stream keeps its closure after an error, which must end the channel.
        var channel: AsyncChannel? = channel
        return pulling(
            UncheckedTransfer {
                guard let json = try await channel?.next() else { return nil }
                do {
                    return try JSONValue.decode(Element.self, from: json)
                } catch {
                    channel = nil
                    throw BleuError.invalidData
                }
            }
        )
    }

    func producer() -> ElementProducer {
        var iterator = makeAsyncIterator()
        return .pulling(
            UncheckedTransfer { try await iterator.next().map { try JSONValue.encode($0) } }
        )
    }
}

// A `@Sendable` closure must not capture the conformance of `Element` (SE-0470). The closures above are confined to
// the one consumer, and the functions below have no constraints that their closures could capture.
private func pulling<Element>(_ next: UncheckedTransfer<() async -> Element?>) -> AsyncStream<
    Element
> {
    AsyncStream { await next.value() }
}

private func pulling<Element>(
    _ next: UncheckedTransfer<() async throws -> Element?>
) -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream { try await next.value() }
}

extension ElementProducer {
    fileprivate static func pulling(_ next: UncheckedTransfer<() async throws -> Data?>)
        -> ElementProducer
    {
        ElementProducer { try await next.value() }
    }
}
