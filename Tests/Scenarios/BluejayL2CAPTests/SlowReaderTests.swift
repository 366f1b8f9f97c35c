import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

private actor Reader {
    nonisolated let executor = HeldExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }
    private(set) var received = Data()
    private(set) var packetCount = 0
    private(set) var end: L2CAPCloseReason?

    func read(_ channel: L2CAPChannel) {
        channel.onReceive = {
            self.received += $0
            self.packetCount += 1
        }
        channel.onEnd = { self.end = $0 }
    }
}

@Suite("Channels with a slow actor", .timeLimit(.minutes(15)))
struct SlowReaderTests {
    @Test("A slow actor slows down the peer and receives everything in order")
    func slowActor() async throws {
        let stage = try await ChannelStage()
        let packets = (0..<2000).map { [UInt8](pattern(2048, seed: UInt8($0 & 0xFF))) }
        await stage.addSensor { $0.serveChannels(on: 0x80, .source(packets)) }
        let channel = try await stage.channel()
        let reader = Reader()
        await reader.read(channel)
        reader.executor.hold()
        defer { withExtendedLifetime(channel) {} }
        var last = -1
        // The sender stalls long before everything is sent.
        try await wait {
            let sent = await stage.withSensor { $0.channels.first?.sent ?? 0 } ?? 0
            defer { last = sent }
            return sent > 0 && sent == last
        }
        #expect(last < 2_000_000)
        reader.executor.resume()
        try await wait { await reader.packetCount == 2000 }
        #expect(await reader.received == Data(packets.joined()))
    }

    @Test("A channel that ends while its actor is busy still delivers the received packets")
    func end() async throws {
        let stage = try await ChannelStage()
        let packets = (0..<200).map { [UInt8](pattern(1000, seed: UInt8($0 & 0xFF))) }
        await stage.addSensor { $0.serveChannels(on: 0x80, .source(packets)) }
        let channel = try await stage.channel()
        let reader = Reader()
        await reader.read(channel)
        reader.executor.hold()
        try await wait { await stage.withSensor { $0.channels.first?.sent ?? 0 } == 200_000 }
        await stage.withSensor { $0.dropLink() }
        try await wait { !channel.isOpen }
        reader.executor.resume()
        try await wait { await reader.end != nil }
        #expect(await reader.received == Data(packets.joined()))
    }
}
