internal import BluejayGLib

/// The right to be the one reader of a stream, until `release` or the release of the claim.
///
/// A second reader of an `AsyncThrowingStream` ends the process, and a second reader of an `AsyncStream` takes elements
/// from the first one.
final class StreamClaim: Swift.Sendable {
    private static let claimed = LockedValue<Set<StreamIdentity>>([])

    /// `nil` after `release`.
    private let identity: LockedValue<StreamIdentity?>
    /// Retained: another stream could have the identity of a released one.
    private let stream: UncheckedTransfer<Any>

    /// Fails if the stream has a claim.
    init?<Stream: AsyncSequence>(_ stream: Stream) {
        let identity = StreamIdentity(of: stream)
        guard Self.claimed.update({ $0.insert(identity).inserted }) else { return nil }
        self.identity = LockedValue(identity)
        self.stream = UncheckedTransfer(stream)
    }

    deinit {
        release()
    }

    func release() {
        let identity = identity.update { identity in
            defer { identity = nil }
            return identity
        }
        if let identity { Self.claimed.update { _ = $0.remove(identity) } }
    }
}
