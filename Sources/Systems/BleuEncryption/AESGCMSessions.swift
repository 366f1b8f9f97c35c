#if Encryption
    public import Bleu
    internal import Crypto
    internal import FoundationEssentials

    /// Encrypts the messages of each session with new keys.
    ///
    /// Both sides agree on keys with X25519 and derive one key for each direction with HKDF-SHA256. Messages
    /// are sealed with AES-256-GCM; their header and their characteristic, which is the method, are
    /// authenticated. A message is accepted once. The private keys
    /// exist in memory only, so that a recorded session cannot be decrypted after both sides have ended it.
    ///
    /// - Important: The public keys are not authenticated. Without pairing, a device between the two sides can
    ///   agree on keys with each of them, and read and change all messages. Any central in range may still
    ///   call all methods.
    public struct AESGCMSessions: SessionCipherProvider {
        /// Creates a provider, which can serve any number of systems.
        public init() {}

        /// Creates a key pair for one session.
        public func makeKeyAgreement() -> any SessionKeyAgreement { X25519KeyAgreement() }
    }

    /// The key pair of one side in one session.
    struct X25519KeyAgreement: SessionKeyAgreement {
        /// The reason why a key of the other side is rejected.
        struct InvalidKey: Error {}

        private let privateKey = Curve25519.KeyAgreement.PrivateKey()

        var publicKey: Data { privateKey.publicKey.rawRepresentation }

        func makeCipher(peerKey: Data, isCentral: Bool) throws -> any SessionCipher {
            // A reflected key would make both sides the same one.
            guard peerKey != publicKey else { throw InvalidKey() }
            let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: peerKey)
            let secret = try privateKey.sharedSecretFromKeyAgreement(with: key)
            // With a point of low order, the secret is zero for every private key (RFC 7748, 6.1).
            guard !(secret == Data(count: 32)) else { throw InvalidKey() }
            let publicKeys = isCentral ? publicKey + peerKey : peerKey + publicKey
            func derivedKey(_ direction: String) -> SymmetricKey {
                secret.hkdfDerivedSymmetricKey(
                    using: SHA256.self,
                    salt: publicKeys,
                    sharedInfo: Data("Bleu AES-GCM 1 \(direction)".utf8),
                    outputByteCount: 32
                )
            }
            let toPeripheral = derivedKey("central to peripheral")
            let toCentral = derivedKey("peripheral to central")
            return AESGCMCipher(
                sealingKey: isCentral ? toPeripheral : toCentral,
                openingKey: isCentral ? toCentral : toPeripheral
            )
        }
    }
#else
    public import Bleu

    /// Encrypts the messages of each session, in a package with the trait `Encryption`.
    @available(
        *,
        unavailable,
        message: "add traits: [\"Encryption\"] to the package dependency of Bluejay"
    )
    public struct AESGCMSessions: SessionCipherProvider {
        /// Creates a provider.
        public init() {}

        /// Creates a key pair for one session.
        public func makeKeyAgreement() -> any SessionKeyAgreement {
            // No program compiles that calls an unavailable type.
            fatalError("BleuEncryption needs the trait Encryption")
        }
    }
#endif
