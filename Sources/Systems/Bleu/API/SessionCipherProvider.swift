public import FoundationEssentials

/// A key agreement with a cipher for each session, for ``BleuConfiguration/Encryption-swift.enum/aesGCM``.
///
/// A session is one link of a central to a peripheral. Each side creates a key agreement, sends its
/// public key and receives the key of the other side.
public protocol SessionCipherProvider: Swift.Sendable {
    /// Creates a key pair for one session.
    func makeKeyAgreement() -> any SessionKeyAgreement
}

/// The key pair of one side in one session.
public protocol SessionKeyAgreement: Swift.Sendable {
    /// The public key, at most 256 bytes.
    var publicKey: Data { get }

    /// Derives the cipher of the session.
    ///
    /// Must be called once: a second cipher with the same keys would repeat its counters, which breaks the
    /// encryption. Each session has a new key agreement, also on a link that starts a session again.
    ///
    /// - Parameters:
    ///   - peerKey: The public key of the other side, as received.
    ///   - isCentral: Whether this side is the central: the two directions have different keys.
    /// - Returns: The cipher of this side.
    /// - Throws: Any error if the key is invalid; the call then fails with ``BleuError/invalidData``.
    func makeCipher(peerKey: Data, isCentral: Bool) throws -> any SessionCipher
}

/// The cipher of one session, which counts messages in each direction.
public protocol SessionCipher: Swift.Sendable {
    /// Encrypts the next message to the other side.
    ///
    /// - Parameters:
    ///   - message: The plain text.
    ///   - header: Authenticated, not encrypted: the kind, session, call and flags of the message, and its characteristic.
    /// - Returns: The sealed message with its counter, at most 64 bytes longer.
    /// - Throws: Any error if the counter is exhausted.
    mutating func seal(_ message: Data, header: Data) throws -> Data

    /// Decrypts a message of the other side.
    ///
    /// - Parameters:
    ///   - sealed: The message as received.
    ///   - header: As on the other side.
    /// - Returns: The plain text.
    /// - Throws: Any error if the message is damaged, was opened before, or has another header. The cipher
    ///   then stays as it was. Messages that are interleaved on the air may arrive in another order than
    ///   they were sealed.
    mutating func open(_ sealed: Data, header: Data) throws -> Data
}
