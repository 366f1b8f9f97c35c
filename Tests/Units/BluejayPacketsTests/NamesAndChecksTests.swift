import BluejayCompression
import BluejayPackets
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Names and checksums")
struct NamesAndChecksTests {
    @Test("A version 5 UUID matches RFC 9562, A.4")
    func version5() throws {
        let dns = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        let name = UUID(version5: "www.example.com", in: dns)
        #expect(name.uuidString == "2ED6657D-E927-568B-95E1-2665A8AEA6A2")
    }

    @Test(
        "CRC-32 returns the check values of its catalogue",
        arguments: [
            ("", UInt32(0)), ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ]
    )
    func checksums(text: String, checksum: UInt32) {
        #expect(CRC32.checksum(of: Data(text.utf8)) == checksum)
    }

    @Test("CRC-32 accepts a message in parts, including empty parts and slices")
    func parts() {
        let message = Data("The quick brown fox jumps over the lazy dog".utf8)
        for border in 0...message.count {
            let first = CRC32.checksum(of: message[..<border])
            #expect(CRC32.checksum(of: message[border...], after: first) == 0x414F_A339)
        }
        #expect(CRC32.checksum(of: Data(), after: 7) == 7)
    }
}

@Suite("Compression")
struct DeflateTests {
    @Test(
        "Compressed data expands to the original bytes",
        arguments: [0, 1, 20, 5_000, 100_000]
    )
    func roundTrip(length: Int) throws {
        var random = SeededGenerator(seed: UInt64(length))
        let noise = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
        let text = Data(String(repeating: "heart rate ", count: length / 11).utf8)
        for data in [noise, text] {
            let compressed = Deflate.compressed(data)
            #expect(compressed.count <= data.count + data.count / 1_000 + 32)
            #expect(try Deflate.expanded(compressed, limit: data.count) == data)
            // The indices of a slice do not begin at 0.
            #expect(try Deflate.expanded((Data([1]) + compressed)[1...], limit: length) == data)
        }
        #expect(length < 1_000 || Deflate.compressed(text).count < text.count / 10)
    }

    @Test("Expansion of a compression bomb stops at the limit", .computing)
    func bomb() {
        let bomb = Deflate.compressed(Data(repeating: 0, count: 50_000_000))
        #expect(bomb.count < 100_000)
        #expect(throws: Deflate.Failure.tooLong(limit: 1 << 20)) {
            try Deflate.expanded(bomb, limit: 1 << 20)
        }
    }

    @Test("Data of another deflater expands, up to exactly the limit")
    func foreign() throws {
        // "aaaaaaaaaa", with the fixed codes of RFC 1951.
        let stream = Data([0x4B, 0x4C, 0x84, 0x01, 0x00])
        #expect(try Deflate.expanded(stream, limit: 10) == Data("aaaaaaaaaa".utf8))
        #expect(throws: Deflate.Failure.tooLong(limit: 9)) {
            try Deflate.expanded(stream, limit: 9)
        }
        // "stored", in a block that is not compressed.
        let block = Data([0x01, 0x06, 0x00, 0xF9, 0xFF]) + Data("stored".utf8)
        #expect(try Deflate.expanded(block, limit: 6) == Data("stored".utf8))
    }

    @Test("Empty, truncated, repeated and random input is malformed")
    func malformed() {
        let stream = Deflate.compressed(Data(String(repeating: "abc", count: 100).utf8))
        let broken = [Data(), stream.dropLast(), stream + [0], Data([0xFF, 0xFF, 0xFF])]
        for data in broken {
            #expect(throws: Deflate.Failure.malformed) {
                try Deflate.expanded(data, limit: 10_000)
            }
        }
    }
}
