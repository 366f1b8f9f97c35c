import Foundation
import TestTraits
import Testing

@testable import BluejayDBus

@Suite("Sockets that preserve packet boundaries")
struct SequencedPacketSocketTests {
    private func pair() throws -> (SequencedPacketSocket, SequencedPacketSocket) {
        let pair = try #require(SequencedPacketSocket.pair())
        return (pair.own, SequencedPacketSocket(pair.other))
    }

    @Test(
        "An empty packet is delivered; the end follows the last packet",
        .pitfall(.emptyNotification)
    )
    func emptyPackets() throws {
        let other: SequencedPacketSocket
        do {
            let own: SequencedPacketSocket
            (own, other) = try pair()
            for packet in [[], [1], []] as [[UInt8]] { #expect(own.send(packet) == .sent) }
            for packet in [[], [1], []] as [[UInt8]] {
                #expect(other.receive(atMost: 512) == .packet(packet))
            }
            #expect(other.receive(atMost: 512) == .wouldBlock)
            for packet in [[], [], [], [2]] as [[UInt8]] { #expect(own.send(packet) == .sent) }
        }
        for _ in 1...3 { #expect(other.receive(atMost: 512) == .packet([])) }
        #expect(other.receive(atMost: 512) == .packet([2]))
        #expect(other.receive(atMost: 512) == .closed)
        #expect(other.receive(atMost: 512) == .closed)
        #expect(other.send([1]) == .closed)
    }

    @Test("The end is reported while a child process still has a copy of the descriptor")
    func copiedDescriptor() throws {
        var (own, other): (SequencedPacketSocket?, SequencedPacketSocket) = try pair()
        let copy = dup(try #require(own).descriptor.number)
        defer { close(copy) }
        own?.send([1])
        own = nil
        #expect(other.receive(atMost: 512) == .packet([1]))
        #expect(other.receive(atMost: 512) == .closed)
    }

    @Test("A packet longer than requested is truncated, and the next one is complete")
    func cut() throws {
        let (own, other) = try pair()
        own.send([1, 2, 3])
        own.send([4])
        #expect(other.receive(atMost: 2) == .packet([1, 2]))
        #expect(other.receive(atMost: 2) == .packet([4]))
    }

    @Test("A received packet occupies only as much memory as its length")
    func memory() throws {
        let (own, other) = try pair()
        own.send([1, 2, 3])
        guard case .packet(let packet) = other.receive(atMost: 65_535) else {
            Issue.record("no packet was received")
            return
        }
        #expect(packet == [1, 2, 3])
        #expect(packet.capacity < 64)
    }

    @Test("A full queue, a closed peer and other errors are distinguished")
    func failures() throws {
        let (own, other) = try pair()
        var sent = 0
        while own.send([UInt8](repeating: 0, count: 512)) == .sent, sent < 100_000 { sent += 1 }
        #expect(own.send([UInt8](repeating: 0, count: 512)) == .wouldBlock)
        for _ in 0..<sent {
            guard case .packet(let packet) = other.receive(atMost: 512) else { break }
            #expect(packet.count == 512)
        }
        #expect(other.receive(atMost: 512) == .wouldBlock)
        #expect(own.send([UInt8](repeating: 0, count: 1 << 24)) == .failed(EMSGSIZE))
        let file = SequencedPacketSocket(
            BusFileDescriptor(owning: unsafe open("/dev/null", O_RDWR))
        )
        #expect(file.receive(atMost: 512) == .failed(ENOTSOCK))
        #expect(file.send([1]) == .failed(ENOTSOCK))
    }
}
