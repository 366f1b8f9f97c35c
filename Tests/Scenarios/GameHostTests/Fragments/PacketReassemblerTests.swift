import Foundation
import GameHost
import TestSupport
import TestTraits
import Testing

@Suite("Reassembly of fragments")
struct PacketReassemblerTests {
    private static let three = [
        Data([0, 5, 0, 3, 1]), Data([0, 5, 1, 3, 2, 3]), Data([0, 5, 2, 3, 4]),
    ]

    @Test(
        "Three fragments in any order form their message",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    )
    func anyOrder(order: [Int]) {
        let reassembler = PacketReassembler()
        #expect(order.dropLast().allSatisfy { reassembler.addFragment(Self.three[$0]) == nil })
        #expect(reassembler.addFragment(Self.three[order[2]]) == Data([1, 2, 3, 4]))
        #expect(reassembler.statistics.completed == 1)
        #expect(reassembler.openMessageCount == 0)
    }

    @Test("A message may have a single fragment, with or without a payload")
    func single() {
        let reassembler = PacketReassembler()
        #expect(reassembler.addFragment(Data([0, 0, 0, 1, 7])) == Data([7]))
        #expect(reassembler.addFragment(Data([0, 1, 0, 1])) == Data())
    }

    @Test("A slice is accepted like a separate fragment")
    func slice() {
        let reassembler = PacketReassembler()
        let values = Data([9, 9, 9, 0, 5, 0, 1, 1, 2])
        #expect(reassembler.addFragment(values.dropFirst(3)) == Data([1, 2]))
    }

    @Test(
        "A malformed fragment is ignored and counted",
        arguments: [
            [], [1], [1, 2], [1, 2, 3], [0, 1, 0, 0], [0, 1, 0, 0, 5], [0, 1, 3, 3],
            [0, 1, 255, 1],
        ] as [[UInt8]]
    )
    func malformed(bytes: [UInt8]) {
        let reassembler = PacketReassembler()
        #expect(reassembler.addFragment(Data(bytes)) == nil)
        #expect(reassembler.statistics.malformed == 1)
        #expect(reassembler.openMessageCount == 0)
    }

    @Test("An identical repeated fragment changes nothing")
    func duplicate() {
        let reassembler = PacketReassembler()
        for index in [0, 0, 1, 1, 0] { #expect(reassembler.addFragment(Self.three[index]) == nil) }
        #expect(reassembler.addFragment(Self.three[2]) == Data([1, 2, 3, 4]))
        #expect(reassembler.statistics.conflicting == 0)
    }

    @Test(
        "A repeated fragment with other bytes or another count discards its message, once",
        arguments: [[0, 5, 0, 3, 9], [0, 5, 1, 4, 2, 3], [0, 5, 0, 1, 1]] as [[UInt8]]
    )
    func conflict(bytes: [UInt8]) {
        let reassembler = PacketReassembler()
        #expect(reassembler.addFragment(Self.three[0]) == nil)
        #expect(reassembler.addFragment(Data(bytes)) == nil)
        #expect(reassembler.openMessageCount == 0)
        for fragment in Self.three.dropFirst() { #expect(reassembler.addFragment(fragment) == nil) }
        #expect(reassembler.statistics.conflicting == 1)
        #expect(reassembler.statistics.completed == 0)
    }

    @Test("Messages of two peers with the same number are not mixed")
    func peers() {
        let reassembler = PacketReassembler()
        func add(_ bytes: [UInt8], _ peer: String) -> Data? {
            reassembler.addFragment(Data(bytes), from: peer)
        }
        #expect(add([0, 5, 0, 2, 1], "a") == nil)
        #expect(add([0, 5, 0, 2, 8], "b") == nil)
        #expect(add([0, 5, 1, 2, 2], "a") == Data([1, 2]))
        #expect(add([0, 5, 1, 2, 9], "b") == Data([8, 9]))
    }

    @Test("Forgetting a peer discards its fragments")
    func forget() {
        let reassembler = PacketReassembler()
        _ = reassembler.addFragment(Self.three[0], from: "a")
        _ = reassembler.addFragment(Self.three[0], from: "b")
        reassembler.forget("a")
        #expect(reassembler.openMessageCount == 1)
        #expect(reassembler.addFragment(Self.three[1], from: "a") == nil)
        #expect(reassembler.addFragment(Self.three[2], from: "a") == nil)
    }

    @Test("At most eight open messages are stored for each peer; the ninth replaces the oldest")
    func messages() {
        let reassembler = PacketReassembler()
        for number in UInt8(0)...8 {
            #expect(reassembler.addFragment(Data([0, number, 0, 2, number])) == nil)
        }
        #expect(reassembler.openMessageCount == 8)
        #expect(reassembler.statistics.evicted == 1)
        #expect(reassembler.addFragment(Data([0, 1, 1, 2, 1])) == Data([1, 1]))
        #expect(reassembler.addFragment(Data([0, 0, 1, 2, 0])) == nil)
    }

    @Test("A message that exceeds the byte limit of its peer is discarded, and the others stay")
    func bytes() {
        var limits = PacketReassembler.Limits()
        limits.bytesPerPeer = 10
        let reassembler = PacketReassembler(limits: limits)
        #expect(reassembler.addFragment(Data([0, 0, 0, 2, 1, 1, 1, 1, 1, 1])) == nil)
        #expect(reassembler.addFragment(Data([0, 1, 0, 2, 2, 2, 2, 2, 2])) == nil)
        #expect(reassembler.openMessageCount == 1)
        #expect(reassembler.statistics.evicted == 1)
        #expect(reassembler.addFragment(Data([0, 0, 1, 2, 3])) == Data([1, 1, 1, 1, 1, 1, 3]))
        #expect(reassembler.openMessageCount == 0)
    }

    @Test("65,536 incomplete messages leave eight open ones", .computing)
    func endless() {
        let reassembler = PacketReassembler()
        for number in 0..<65_536 {
            let header = [UInt8(number >> 8), UInt8(number & 0xFF), 0, 2]
            #expect(reassembler.addFragment(Data(header + [1])) == nil)
        }
        #expect(reassembler.openMessageCount == 8)
        #expect(reassembler.statistics.evicted == 65_528)
    }

    @Test("A message expires 30 seconds after its first fragment")
    func lifetime() {
        let clock = Ticker()
        let reassembler = PacketReassembler(now: { clock.now })
        #expect(reassembler.addFragment(Self.three[0]) == nil)
        clock.now = .seconds(29)
        #expect(reassembler.addFragment(Self.three[1]) == nil)
        clock.now = .seconds(30)
        #expect(reassembler.addFragment(Self.three[2]) == nil)
        #expect(reassembler.statistics.expired == 1)
        #expect(reassembler.openMessageCount == 1)
    }

    @Test("Expired fragments of all peers are removed when another peer sends")
    func sweeps() {
        let clock = Ticker()
        let reassembler = PacketReassembler(now: { clock.now })
        for peer in 0..<100 {
            _ = reassembler.addFragment(Self.three[0], from: "\(peer)")
        }
        clock.now = .seconds(40)
        _ = reassembler.addFragment(Self.three[0], from: "last")
        #expect(reassembler.openMessageCount == 1)
        #expect(reassembler.statistics.expired == 100)
    }

    @Test(
        "100,000 messages with loss, duplication and reordering arrive intact or not at all",
        .computing
    )
    func random() throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var dice = SeededGenerator(seed: seed)
        let clock = Ticker()
        let reassembler = PacketReassembler(now: { clock.now })
        var fragmenter = PacketFragmenter(mtu: 12)
        var sent: [UInt32: Data] = [:]
        var air: [Data] = []
        var right = 0
        for number in UInt32(0)..<100_000 {
            clock.now += .milliseconds(1)
            let rest = (0..<UInt8.random(in: 0...40, using: &dice)).map {
                $0 ^ UInt8(number & 0xFF)
            }
            let message = numbered(number) + rest
            sent[number] = message
            for fragment in try fragmenter.fragment(message) {
                if dice.next() % 50 == 0 { continue }
                air.append(fragment)
                if dice.next() % 50 == 0 { air.append(fragment) }
            }
            // At most a few messages are in transit at once.
            while air.count > 12 {
                let index = Int.random(in: 0..<4, using: &dice)
                guard let whole = reassembler.addFragment(air.remove(at: index)) else { continue }
                #expect(sent[GameHostTests.number(of: whole)] == whole, "seed \(seed)")
                right += 1
            }
            sent[number &- 200] = nil
        }
        #expect(right > 60_000, "seed \(seed)")
        #expect(reassembler.openMessageCount <= 8)
    }
}

private final class Ticker {
    var now = Duration.zero
}
