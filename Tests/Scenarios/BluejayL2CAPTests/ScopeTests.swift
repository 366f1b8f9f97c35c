import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Channel scopes", .timeLimit(.minutes(15)))
struct ScopeTests {
    private struct Thrown: Error {}

    @Test("The closure's packets are sent, and the link is down at the end")
    func sent() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        let echo = try await L2CAPChannel.withChannel(
            to: stage.sensor,
            psm: 0x80,
            host: stage.host
        ) { channel in
            try await channel.send(pattern(100))
            var packets = channel.received.makeAsyncIterator()
            return await packets.next()
        }
        #expect(echo == pattern(100))
        #expect(await stage.withSensor { $0.isConnected } == false)
    }

    @Test("A scope throws if the peer does not accept the closure's packets")
    func unsent() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .neverReads) }
        await #expect(throws: BluejayError.operationTimedOut) {
            try await L2CAPChannel.withChannel(
                to: stage.sensor,
                psm: 0x80,
                timeout: .seconds(1),
                host: stage.host
            ) { channel in
                try await channel.sendAll(pattern(50_000))
            }
        }
        #expect(await stage.withSensor { $0.isConnected } == false)
    }

    @Test("A closure that throws closes the channel immediately")
    func thrown() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .neverReads) }
        await #expect(throws: Thrown.self) {
            try await L2CAPChannel.withChannel(to: stage.sensor, psm: 0x80, host: stage.host) {
                try await $0.sendAll(pattern(50_000))
                throw Thrown()
            }
        }
        #expect(await stage.withSensor { $0.isConnected } == false)
    }
}
