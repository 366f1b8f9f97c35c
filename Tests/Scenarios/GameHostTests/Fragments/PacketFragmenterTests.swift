import Foundation
import GameHost
import Testing

@Suite("Fragmentation of messages")
struct PacketFragmenterTests {
    @Test(
        "The header contains the big-endian message number, the index and the count of the fragments"
    )
    func header() throws {
        var fragmenter = PacketFragmenter(mtu: 6, firstPacketId: 0x1234)
        #expect(
            try fragmenter.fragment(Data([1, 2, 3])) == [
                Data([0x12, 0x34, 0, 2, 1, 2]), Data([0x12, 0x34, 1, 2, 3]),
            ]
        )
        #expect(try fragmenter.fragment(Data([9])) == [Data([0x12, 0x35, 0, 1, 9])])
    }

    @Test("A fragment has 20 bytes by default, with 16 bytes of the message")
    func byDefault() throws {
        var fragmenter = PacketFragmenter()
        let fragments = try fragmenter.fragment(Data(repeating: 7, count: 33))
        #expect(fragments.map(\.count) == [20, 20, 5])
        #expect(PacketFragmenter.maximumMessageLength(mtu: 20) == 255 * 16)
    }

    @Test("An empty message is one fragment without a payload")
    func empty() throws {
        var fragmenter = PacketFragmenter()
        #expect(try fragmenter.fragment(Data()) == [Data([0, 0, 0, 1])])
    }

    @Test("The message number wraps around after 65,535, and a rejected message uses none")
    func wraps() throws {
        var fragmenter = PacketFragmenter(mtu: 5, firstPacketId: 65_535)
        #expect(throws: FragmentError.messageTooLarge(size: 256, limit: 255)) {
            try fragmenter.fragment(Data(count: 256))
        }
        #expect(try fragmenter.fragment(Data())[0].prefix(2) == Data([0xFF, 0xFF]))
        #expect(try fragmenter.fragment(Data())[0].prefix(2) == Data([0, 0]))
    }

    @Test("A message has at most 255 fragments", arguments: [5, 20, 23, 512])
    func most(mtu: Int) throws {
        var fragmenter = PacketFragmenter(mtu: mtu)
        let limit = PacketFragmenter.maximumMessageLength(mtu: mtu)
        let fragments = try fragmenter.fragment(Data(count: limit))
        #expect(fragments.count == 255 && fragments.allSatisfy { $0.count == mtu })
        #expect(throws: FragmentError.messageTooLarge(size: limit + 1, limit: limit)) {
            try fragmenter.fragment(Data(count: limit + 1))
        }
    }

    @Test("An MTU without space after the header is rejected", arguments: [4, 3, 0, -1, Int.min])
    func tooSmall(mtu: Int) {
        var fragmenter = PacketFragmenter(mtu: mtu)
        #expect(throws: FragmentError.mtuTooSmall(mtu)) { try fragmenter.fragment(Data([1])) }
        #expect(PacketFragmenter.maximumMessageLength(mtu: mtu) == 0)
    }

    @Test(
        "A fragment is at most as long as a characteristic value",
        arguments: [513, 517, Int.max]
    )
    func tooLarge(mtu: Int) throws {
        var fragmenter = PacketFragmenter(mtu: mtu)
        #expect(try fragmenter.fragment(Data(count: 1_000)).map(\.count) == [512, 496])
    }

    @Test("A slice is fragmented like a separate message")
    func slice() throws {
        var fragmenter = PacketFragmenter(mtu: 6)
        let slice = Data([0, 0, 0, 1, 2, 3]).dropFirst(3)
        #expect(try fragmenter.fragment(slice).map { Array($0.dropFirst(4)) } == [[1, 2], [3]])
    }
}
