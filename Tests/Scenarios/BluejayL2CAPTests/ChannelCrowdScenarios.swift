import Bluejay
import BluejayL2CAP
import Foundation
import Staging
import Testing

@Suite(
    "Channels with another Bluetooth stack",
    .timeLimit(.minutes(15)),
    .enabled(if: isRealBlueZ, "requires another Bluetooth stack")
)
struct ChannelCrowdScenarios {
    /// The bytes sent in each direction, and the CRC-32 of that much of the pattern.
    private static let count = 65_536
    private static let sum: UInt32 = 4_251_956_109

    /// A discovered bumble peripheral, and its channels.
    private func meet(
        _ context: ScenarioContext
    ) async throws -> (peer: PeripheralIdentifier, other: any TestbedChannels, host: BluetoothHost)
    {
        let found = try await context.found(.gadget([]))
        let host = BluetoothHost(
            mainLoop: found.central.loop,
            adapter: "hci0",
            busAddress: context.testbed.busAddress
        )
        return (found.identifier, try context.channels(of: found.peripheral), host)
    }

    @Test("64 KiB arrive intact in both directions on a channel that Bluejay opens")
    func opened() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let (peer, other, host) = try await meet(context)
            let psm = try await other.listen(nil, TestbedChannelOptions())
            let channel = L2CAPChannel(to: peer, psm: psm, host: host)
            try await channel.open(timeout: .seconds(20))
            #expect(channel.maximumSDU == 2048)
            try await send(on: channel)
            let got = try await other.received(atLeast: Self.count, on: 1)
            #expect(got.bytes == Self.count && got.sum == Self.sum)
            // Packet boundaries are preserved.
            #expect(got.sdus == Self.count / 2048)
            async let sending: Void = other.transmit(Self.count, size: 1000, on: 1)
            #expect(await receive(Self.count, from: channel) == channelPattern(0, Self.count))
            try await sending
            try await other.close(1)
            for await _ in channel.received {}
            #expect(channel.closeReason == .closedByPeer)
        }
    }

    @Test("64 KiB arrive intact in both directions on a channel that the peer opens")
    func accepted() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let (peer, other, host) = try await meet(context)
            // Our channel opens the link.
            let psm = try await other.listen(nil, TestbedChannelOptions())
            let first = L2CAPChannel(to: peer, psm: psm, host: host)
            try await first.open(timeout: .seconds(20))
            let listener = L2CAPListener(host: host)
            let own = try await listener.start()
            let number = try await other.open(own, TestbedChannelOptions())
            var channels = listener.channels.makeAsyncIterator()
            let channel = try #require(await channels.next())
            try await send(on: channel)
            let got = try await other.received(atLeast: Self.count, on: number)
            #expect(got.bytes == Self.count && got.sum == Self.sum)
            async let sending: Void = other.transmit(Self.count, size: 2000, on: number)
            #expect(await receive(Self.count, from: channel) == channelPattern(0, Self.count))
            try await sending
            await channel.close()
            #expect(try await other.received(atLeast: Self.count + 1, on: number).isOpen == false)
            await listener.close()
            await first.close()
        }
    }

    @Test(
        "A channel without a listener is refused, and an aborted channel ends"
    )
    func refusedAndTorn() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let (peer, other, host) = try await meet(context)
            let psm = try await other.listen(0x90, TestbedChannelOptions())
            let refused = L2CAPChannel(to: peer, psm: 0x91, host: host)
            await #expect(throws: BluejayError.channelRefused) {
                try await refused.open(timeout: .seconds(20))
            }
            let channel = L2CAPChannel(to: peer, psm: psm, host: host)
            try await channel.open(timeout: .seconds(20))
            try await other.transmit([1, 2, 3], on: 1)
            try await other.abort(1)
            var packets: [Data] = []
            for await packet in channel.received { packets.append(packet) }
            #expect(packets == [Data([1, 2, 3])])
            #expect(channel.closeReason == .closedByPeer)
        }
    }

    private func send(on channel: L2CAPChannel) async throws {
        for start in stride(from: 0, to: Self.count, by: 2048) {
            try await channel.send(Data(channelPattern(start, 2048)))
        }
    }

    private func receive(_ count: Int, from channel: L2CAPChannel) async -> [UInt8] {
        var all: [UInt8] = []
        for await packet in channel.received {
            all += packet
            if all.count >= count { break }
        }
        return all
    }
}
