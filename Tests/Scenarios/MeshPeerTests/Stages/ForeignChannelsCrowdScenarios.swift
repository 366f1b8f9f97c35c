import BluejayCore
import BluejayL2CAP
import Foundation
import MeshPeer
import Staging
import TestSupport
import Testing

@Suite(
    "Channels of a node with foreign nodes",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct ForeignChannelsCrowdScenarios {
    /// The bytes sent in each direction, and the CRC-32 of that much of the pattern.
    private static let count = 65_536
    private static let sum: UInt32 = 4_251_956_109

    @Test("64 KiB are sent each way on a channel to the PSM that the peer serves")
    func opened() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let other = try await context.meshNode(1, identity: [1])
            try await context.play { node in
                try await node.start()
                try await node.waitForPeers([other.uuid])
                await #expect(throws: BluejayError.channelRefused) {
                    _ = try await node.bridge.l2cap.openChannel(to: other.uuid)
                }
                try await other.publish(.counts)
                let channel = try await node.bridge.l2cap.openChannel(to: other.uuid)
                try await Self.exchange(node, channel, other, 1)
                node.bridge.l2cap.closeChannel(channel)
                #expect(try await other.channels.received(atLeast: .max, on: 1).isOpen == false)
                #expect(node.central.connectedPeers == [other.uuid])
            }
        }
    }

    @Test(
        "64 KiB are sent each way on two channels that the peer opens to the PSM that it has read"
    )
    func accepted() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let other = try await context.meshNode(2, identity: [2])
            try await context.play { node in
                try await node.start()
                try await node.waitForPeers([other.uuid])
                try await other.connect()
                #expect(try await other.readPSM() == 0)
                let psm = try await node.bridge.l2cap.publishChannel()
                #expect(try await other.readPSM() == psm)
                var incoming = node.bridge.l2cap.incomingChannels.makeAsyncIterator()
                let first = try await other.channels.open(psm, TestbedChannelOptions())
                let near = try #require(await incoming.next())
                let second = try await other.channels.open(psm, TestbedChannelOptions())
                let far = try #require(await incoming.next())
                try await Self.exchange(node, near, other, first)
                try await Self.exchange(node, far, other, second)
                node.bridge.l2cap.unpublishChannel(psm: psm)
                try await wait { try await other.readPSM() == 0 }
                try await other.disconnect()
                for await _ in near.received {}
                for await _ in far.received {}
                #expect(near.closeReason != nil && far.closeReason != nil)
            }
        }
    }

    /// Sends the pattern both ways and compares the received bytes.
    private static func exchange(
        _ node: StageNode,
        _ channel: L2CAPChannel,
        _ other: BumbleMeshNode,
        _ number: Int
    ) async throws {
        try await node.bridge.l2cap.sendData(Data(channelPattern(0, count)), on: channel)
        let received = try await other.channels.received(atLeast: count, on: number)
        #expect(received.bytes == count && received.sum == sum)
        async let sending: Void = other.channels.transmit(count, size: 1000, on: number)
        var all: [UInt8] = []
        for await packet in channel.received {
            all += packet
            if all.count >= count { break }
        }
        try await sending
        #expect(all == channelPattern(0, count))
    }
}
