import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Empty packets of a channel", .timeLimit(.minutes(15)))
struct EmptyPacketTests {
    @Test("An empty packet is received, and the channel stays open")
    func emptyPacket() async throws {
        let stage = try await ChannelStage()
        let packets: [[UInt8]] = [[1], [], [2, 3]]
        await stage.addSensor { $0.serveChannels(on: 0x80, .source(packets)) }
        let channel = try await stage.channel()
        var received: [[UInt8]] = []
        for await packet in channel.received {
            received.append([UInt8](packet))
            if received.count == 3 { break }
        }
        #expect(received == packets)
        #expect(channel.isOpen && channel.closeReason == nil)
        await channel.close()
    }
}
