import BluejayCore
import Testing

@Suite("The address of a device")
struct DeviceAddressTests {
    @Test("An address is parsed in any case and printed in upper case")
    func textRoundTrip() throws {
        let address = try #require(DeviceAddress("c4:7C:8d:6A:1f:02", kind: .random))
        #expect(address.octets == [0xC4, 0x7C, 0x8D, 0x6A, 0x1F, 0x02])
        #expect(address.text == "C4:7C:8D:6A:1F:02")
        #expect(DeviceAddress(address.text, kind: .random) == address)
    }

    @Test("The lowest and the highest address are parsed and printed")
    func limits() {
        for text in ["00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF"] {
            #expect(DeviceAddress(text, kind: .public)?.text == text)
        }
    }

    @Test("An address with hyphens is the same address")
    func hyphens() {
        #expect(DeviceAddress("c4-7C-8d-6A-1f-02", kind: .random)?.text == "C4:7C:8D:6A:1F:02")
    }

    @Test("The address types have the names of BlueZ")
    func kinds() {
        #expect(DeviceAddress.Kind.allCases.map(\.rawValue) == ["public", "random"])
        #expect(DeviceAddress.Kind(rawValue: "Public") == nil)
    }

    @Test("The same octets with another type are another address")
    func kindCounts() {
        let text = "C4:7C:8D:6A:1F:02"
        #expect(DeviceAddress(text, kind: .public) != DeviceAddress(text, kind: .random))
    }

    @Test(
        "Malformed text is rejected",
        arguments: [
            "", ":", ":::::", "C4:7C:8D:6A:1F", "C4:7C:8D:6A:1F:02:", "C4:7C:8D:6A:1F:02:03",
            "C4-7C:8D-6A-1F-02", "C4:7C:8D:6A:1F-02", "C47C8D6A1F02", "C4:7C:8D:6A:1F:0",
            "C4:7C:8D:6A:1F:002",
            "C4:7C:8D:6A:1F:0G", "C4:7C:8D:6A:1F:+2", " C4:7C:8D:6A:1F:02", "C4:7C:8D:6A:1F:02\n",
            "C4:7C:8D:6A:1F:０２", "C4:7C:8D::6A:1F:02",
        ]
    )
    func malformed(text: String) {
        #expect(DeviceAddress(text, kind: .public) == nil)
    }

    @Test("Any number of octets other than six is rejected", arguments: [0, 1, 5, 7])
    func wrongCount(count: Int) {
        #expect(DeviceAddress(octets: Array(repeating: 1, count: count), kind: .public) == nil)
    }
}
