#if Encryption
    internal import Bleu
    internal import Crypto
    internal import FoundationEssentials

    /// The cipher of one side in one session.
    ///
    /// A sealed message is the counter (8 bytes, little-endian), the encrypted bytes and the tag (16 bytes).
    /// The nonce is four zero bytes and the counter.
    struct AESGCMCipher: SessionCipher {
        /// The reason why a message is rejected before its decryption.
        enum Refusal: Error, Equatable {
            case tooShort
            /// The message was opened before, or 64 later messages were.
            case repeated
            case counterExhausted
        }

        private let sealingKey: SymmetricKey
        private let openingKey: SymmetricKey
        /// The counter of the next sent message.
        var nextCounter: UInt64 = 0
        private var received = ReplayWindow()

        /// Creates a cipher.
        ///
        /// - Parameters:
        ///   - sealingKey: The key of sent messages.
        ///   - openingKey: The key of received messages, which differs.
        init(sealingKey: SymmetricKey, openingKey: SymmetricKey) {
            self.sealingKey = sealingKey
            self.openingKey = openingKey
        }

        mutating func seal(_ message: Data, header: Data) throws -> Data {
            guard nextCounter < .max else { throw Refusal.counterExhausted }
            let counter = Self.bytes(of: nextCounter)
            nextCounter += 1
            let box = try AES.GCM.seal(
                message,
                using: sealingKey,
                nonce: AES.GCM.Nonce(data: Data(count: 4) + counter),
                authenticating: header
            )
            return counter + box.ciphertext + box.tag
        }

        mutating func open(_ sealed: Data, header: Data) throws -> Data {
            guard sealed.count >= 8 + 16 else { throw Refusal.tooShort }
            let bytes = sealed.prefix(8)
            let counter = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard received.accepts(counter) else { throw Refusal.repeated }
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: Data(count: 4) + bytes),
                ciphertext: sealed.dropFirst(8).dropLast(16),
                tag: sealed.suffix(16)
            )
            let message = try AES.GCM.open(box, using: openingKey, authenticating: header)
            // Only an authentic message moves the window.
            received.insert(counter)
            return message
        }

        private static func bytes(of counter: UInt64) -> Data {
            Data((0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) })
        }
    }

    /// The counters of the last 64 messages.
    ///
    /// Messages whose frames are interleaved on the air may be complete in another order than they were sealed.
    struct ReplayWindow: Equatable, Sendable {
        /// The number after the highest counter, or 0 at the start.
        private var end: UInt64 = 0
        /// Bit 0 stands for the counter before `end`.
        private var seen: UInt64 = 0

        /// Returns whether a counter is new and not too old to know.
        func accepts(_ counter: UInt64) -> Bool {
            guard counter < .max else { return false }
            guard counter < end else { return true }
            let age = end - 1 - counter
            return age < 64 && seen & (1 << age) == 0
        }

        mutating func insert(_ counter: UInt64) {
            if counter < end {
                seen |= 1 << (end - 1 - counter)
            } else {
                let shift = counter - end + 1
                seen = (shift < 64 ? seen << shift : 0) | 1
                end = counter + 1
            }
        }
    }
#endif
