#if Encryption
    import Bleu
    import Foundation
    import Testing

    @testable import BleuEncryption

    @Suite("Encrypted sessions")
    struct AESGCMSessionsTests {
        private let header = Data([0x11, 9, 0, 1, 0, 2])
        private let text = Data("[21.5]".utf8)

        private func session() throws -> (central: any SessionCipher, peripheral: any SessionCipher)
        {
            let central = AESGCMSessions().makeKeyAgreement()
            let peripheral = AESGCMSessions().makeKeyAgreement()
            return (
                try central.makeCipher(peerKey: peripheral.publicKey, isCentral: true),
                try peripheral.makeCipher(peerKey: central.publicKey, isCentral: false)
            )
        }

        @Test("Both sides agree on keys, and messages arrive in both directions")
        func agreement() throws {
            var (central, peripheral) = try session()
            for length in [0, 1, 15, 16, 17, 1_000, 100_000] {
                let message = Data.noise(length)
                let call = try central.seal(message, header: header)
                #expect(call.count == length + 24)
                #expect(try peripheral.open(call, header: header) == message)
                let answer = try peripheral.seal(message, header: header)
                #expect(try central.open(answer, header: header) == message)
                #expect(length < 15 || call.range(of: message) == nil)
                // The directions have different keys.
                #expect(call != answer)
            }
        }

        @Test("A slice is opened like a separate buffer")
        func slice() throws {
            var (central, peripheral) = try session()
            let sealed = Data([1, 2, 3]) + (try central.seal(text, header: header))
            #expect(try peripheral.open(sealed.dropFirst(3), header: header) == text)
        }

        @Test("A message is opened once")
        func replay() throws {
            var (central, peripheral) = try session()
            let first = try central.seal(text, header: header)
            let second = try central.seal(text, header: header)
            #expect(first != second)
            _ = try peripheral.open(first, header: header)
            _ = try peripheral.open(second, header: header)
            for sealed in [first, second] {
                #expect(throws: AESGCMCipher.Refusal.repeated) {
                    try peripheral.open(sealed, header: header)
                }
            }
        }

        @Test("Lost and reordered messages are accepted within 64 messages")
        func order() throws {
            var (central, peripheral) = try session()
            let sealed = try (0..<200).map { _ in try central.seal(text, header: header) }
            for index in [0, 2, 1, 100, 37, 99, 199, 136] {
                #expect(try peripheral.open(sealed[index], header: header) == text, "\(index)")
            }
            for index in [0, 1, 37, 135, 136, 199] {
                #expect(throws: AESGCMCipher.Refusal.repeated, "\(index)") {
                    try peripheral.open(sealed[index], header: header)
                }
            }
            #expect(try peripheral.open(sealed[137], header: header) == text)
        }

        @Test("A message is rejected in the direction from which it came")
        func direction() throws {
            var (central, peripheral) = try session()
            let call = try central.seal(text, header: header)
            #expect(throws: (any Error).self) { try central.open(call, header: header) }
            #expect(try peripheral.open(call, header: header) == text)
        }

        @Test("A message of one session is rejected in another")
        func otherSession() throws {
            var (central, _) = try session()
            var (_, peripheral) = try session()
            let call = try central.seal(text, header: header)
            #expect(throws: (any Error).self) { try peripheral.open(call, header: header) }
        }

        @Test("A message with a flipped bit is rejected, and the original still opens")
        func flippedBits() throws {
            var (central, peripheral) = try session()
            let sealed = try central.seal(text, header: header)
            for bit in 0..<sealed.count * 8 {
                var damaged = sealed
                damaged[bit / 8] ^= 1 << (bit % 8)
                #expect(throws: (any Error).self) { try peripheral.open(damaged, header: header) }
            }
            #expect(try peripheral.open(sealed, header: header) == text)
        }

        @Test("A short message is rejected", arguments: 0..<24)
        func short(length: Int) throws {
            var (_, peripheral) = try session()
            #expect(throws: AESGCMCipher.Refusal.tooShort) {
                try peripheral.open(Data(count: length), header: header)
            }
        }

        @Test("Another header is rejected")
        func otherHeader() throws {
            var (central, peripheral) = try session()
            let sealed = try central.seal(text, header: header)
            for bit in 0..<header.count * 8 {
                var other = header
                other[bit / 8] ^= 1 << (bit % 8)
                #expect(throws: (any Error).self) { try peripheral.open(sealed, header: other) }
            }
            #expect(throws: (any Error).self) { try peripheral.open(sealed, header: Data()) }
        }

        @Test(
            "A key of another length or of low order is rejected",
            arguments: [
                Data(), Data(count: 31), Data(count: 33), Data(count: 256), Data(count: 32),
                Data([1] + [UInt8](repeating: 0, count: 31)),
                Data(hex: "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
                Data(hex: "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
                Data(hex: "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
            ]
        )
        func invalidKeys(key: Data) {
            let agreement = AESGCMSessions().makeKeyAgreement()
            for isCentral in [true, false] {
                #expect(throws: (any Error).self) {
                    try agreement.makeCipher(peerKey: key, isCentral: isCentral)
                }
            }
        }

        @Test("A reflected key is rejected")
        func reflectedKey() {
            let agreement = AESGCMSessions().makeKeyAgreement()
            #expect(throws: X25519KeyAgreement.InvalidKey.self) {
                try agreement.makeCipher(peerKey: agreement.publicKey, isCentral: true)
            }
        }

        @Test("Each session has its own key pair, of 32 bytes")
        func keyPairs() {
            let keys = (0..<50).map { _ in AESGCMSessions().makeKeyAgreement().publicKey }
            #expect(Set(keys).count == 50)
            #expect(keys.allSatisfy { $0.count == 32 })
        }

        @Test("The last counter value is never used")
        func exhausted() throws {
            let session = try session()
            var receiver = session.peripheral
            var sender = try #require(session.central as? AESGCMCipher)
            sender.nextCounter = .max - 1
            let last = try sender.seal(text, header: header)
            #expect(try receiver.open(last, header: header) == text)
            #expect(throws: AESGCMCipher.Refusal.counterExhausted) {
                try sender.seal(text, header: header)
            }
            #expect(throws: AESGCMCipher.Refusal.repeated) {
                try receiver.open(last, header: header)
            }
            var forged = last
            forged.replaceSubrange(0..<8, with: [UInt8](repeating: 0xFF, count: 8))
            #expect(throws: AESGCMCipher.Refusal.repeated) {
                try receiver.open(forged, header: header)
            }
        }
    }
#endif
