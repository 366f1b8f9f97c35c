internal import BluejayGLib

/// The right to be the one reader of a stream, from the creation of the claim to its release.
///
/// A second reader of an `AsyncThrowingStream` ends the process, and a second reader of an `AsyncStream` takes elements
/// from the first one.
final class StreamClaim: Swift.Sendable {
    private static let claimed = LockedValue<Set<StreamIdentity>>([])

    private let identity: StreamIdentity
    /// Retained: another stream could have the identity of a released one.
    private let stream: UncheckedTransfer<Any>

    /// Fails if the stream has a claim.
    init?<Stream: AsyncSequence>(_ stream: Stream) {
        let identity = StreamIdentity(of: stream)
        guard Self.claimed.update({ $0.insert(identity).inserted }) else { return nil }
        self.identity = identity
        self.stream = UncheckedTransfer(stream)
    }

    deinit {
        _ = Self.claimed.update { [identity] in $0.remove(identity) }
    }
}
