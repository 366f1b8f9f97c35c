public import FoundationEssentials

/// The times and limits of a ``BLEActorSystem``.
public struct BleuConfiguration: Swift.Sendable {
    /// The protection of calls.
    public enum Encryption: Hashable, Swift.Sendable {
        /// None: every central in range may call every method.
        case plain
        /// Paired, encrypted links only.
        case link
        /// Messages are encrypted by ``BleuConfiguration/sessionCipher``, without pairing.
        case aesGCM
    }

    /// The longest time between the sending of a call and its reply, and between two frames of the reply, in
    /// seconds.
    public var callTimeout: TimeInterval = 10
    /// The longest time of a connection attempt, in seconds.
    public var connectionTimeout: TimeInterval = 10
    /// The pause before the first retry of a connection, in seconds, at least 5 ms; it doubles with each retry.
    public var initialRetryDelay: TimeInterval = 1
    /// The longest pause before a retry, in seconds.
    public var maximumRetryDelay: TimeInterval = 30
    /// The longest time from one frame of a message to the next, in seconds; if a frame between them is missing,
    /// two seconds.
    public var reassemblyTimeout: TimeInterval = 30
    /// The number of retries after the first attempt.
    public var maximumRetries = 5
    /// The number of links at the same time.
    public var maximumConnections = 7
    /// Messages with more bytes are compressed, if that makes them smaller.
    public var compressionThreshold = 1024
    /// The longest message, in bytes, before and after compression: 1,024 bytes to 32 MiB, 65,536 frames at most.
    ///
    /// A smaller or larger number has the effect of the nearest limit.
    public var maximumMessageSize = 1 << 20
    /// The number of calls of one central, or to one peripheral, that may wait.
    ///
    /// On the serving side, open streams count, too, and so do cancelled methods and producers until they end, over all
    /// links of the central. All centrals together may have four times as many of the latter.
    public var maximumQueuedCalls = 64
    /// The protection of calls, the same on both sides.
    public var encryption = Encryption.plain
    /// The cipher of ``Encryption-swift.enum/aesGCM``, which the product `BleuEncryption` has.
    public var sessionCipher: (any SessionCipherProvider)?
    /// Returns the passkey of a device, or `nil` to reject.
    ///
    /// Asked on both sides with ``Encryption-swift.enum/link``, and then required: a central whose keys were made without a
    /// passkey calls nothing, and a peripheral that pairs without one is not called. Without a provider, only
    /// pairing without a passkey succeeds.
    public var passkeyProvider: (@Sendable (UUID) async -> UInt32?)?
    /// The errors that leave this program with their fields and arrive as themselves, by type name without module.
    ///
    /// Name a type on both sides. Of any other error, a central receives the name of its type and the text of a
    /// `LocalizedError`, since every central in range may provoke it. The systems of a program share the types that
    /// leave it.
    public var errorTypes: [any (Error & Codable).Type] = []

    /// Creates the default configuration.
    public init() {}
}

extension BleuConfiguration {
    /// ``maximumMessageSize`` within its limits.
    var messageLength: Int { min(max(maximumMessageSize, 1 << 10), 1 << 25) }
}

extension Duration {
    /// A number of seconds from 0 to a million; 0 if it is not a number.
    static func bounded(_ seconds: TimeInterval) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 1_000_000))
    }
}
