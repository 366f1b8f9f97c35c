import BluejayGLib
import Foundation
import Testing

@Suite("SHA-1")
struct SHA1Tests {
    @Test(
        "The digests match FIPS 180 and RFC 3174",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
            (
                String(repeating: "01234567", count: 80),
                "dea356a2cddd90c7a7ecedc5ebb563934f460452"
            ),
        ]
    )
    func digests(text: String, digest: String) {
        let hexadecimal = SHA1.digest(of: Data(text.utf8)).map { String(format: "%02x", $0) }
        #expect(hexadecimal.joined() == digest)
    }

    @Test("Each length around a block has a distinct digest of 20 bytes")
    func padding() {
        let digests = (50...130).map { SHA1.digest(of: Data(repeating: 7, count: $0)) }
        #expect(Set(digests).count == digests.count)
        #expect(digests.allSatisfy { $0.count == 20 })
    }
}
