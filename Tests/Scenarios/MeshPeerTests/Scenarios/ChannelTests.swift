import BluejaySimulator
import Foundation
import MeshPeer
import Testing

/// Tests `BLEL2CAPManager`.
@Suite("Channels", .timeLimit(.minutes(15)))
struct ChannelTests {
    /// Two nodes; node 0 publishes, and node 1 is its peer.
    private static func play(
        _ kind: MeshStageKind = .newest,
        _ body: @escaping @Sendable (MeshStage, [Node]) async throws -> Void
    ) async throws {
        try await MeshStage.play(kind, adapters: 2) { stage in
            try await body(stage, try await stage.connectedNodes(2))
        }
    }

    private static func read(_ count: Int, from channel: L2CAPChannel) async -> Data {
        var data = Data()
        for await part in channel.received {
            data.append(part)
            if data.count >= count { break }
        }
        return data
    }

    private static let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    @Test(
        "A channel without a number opens at the one that the peer serves",
        arguments: MeshStageKind.all
    )
    func bulk(kind: MeshStageKind) async throws {
        try await Self.play(kind) { stage, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            let psm = try await one.publishChannel()
            #expect((0x80...0xFF).contains(psm))
            let channel = try await other.openChannel(to: nodeID(0))
            #expect(channel.psm == psm)
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            async let there = Self.read(100_000, from: opened)
            try await other.sendData(Self.bytes, on: channel)
            #expect(await there == Self.bytes)
            async let back = Self.read(100_000, from: channel)
            try await one.sendData(Self.bytes, on: opened)
            #expect(await back == Self.bytes)
            other.closeChannel(channel)
            try await stage.wait(for: "end") { !opened.isOpen }
        }
    }

    @Test("A cancelled reader leaves later channels to the next reader")
    func cancelledReader() async throws {
        try await Self.play { stage, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            let psm = try await one.publishChannel()
            let reader = Task {
                var count = 0
                for await _ in one.incomingChannels { count += 1 }
                return count
            }
            try await stage.wait(.seconds(1))
            reader.cancel()
            #expect(await reader.value == 0)
            let channel = try await other.openChannel(to: nodeID(0), psm: psm)
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            try await other.sendData(Data([1, 2, 3]), on: channel)
            #expect(await Self.read(3, from: opened) == Data([1, 2, 3]))
        }
    }

    @Test("Numbers that no LE stack can use are refused before any socket")
    func numbers() async throws {
        try await Self.play { _, nodes in
            let manager = nodes[1].bridge.l2cap
            for psm in [0, 0x100, MeshBLEConstants.l2capPSM, .max] {
                await #expect(throws: BluejayError.invalidPSM(psm)) {
                    try await manager.openChannel(to: nodeID(0), psm: psm)
                }
            }
            for psm in [0x100, MeshBLEConstants.l2capPSM] {
                await #expect(throws: BluejayError.invalidPSM(psm)) {
                    try await manager.publishChannel(psm: psm)
                }
            }
        }
    }

    @Test(
        "Without a published channel the peer refuses; otherwise it serves the last published number"
    )
    func published() async throws {
        try await Self.play { stage, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            await #expect(throws: BluejayError.channelRefused) {
                try await other.openChannel(to: nodeID(0))
            }
            #expect(nodes[1].central.connectedPeers == [nodeID(0)])
            let first = try await one.publishChannel(psm: 0x90)
            let second = try await one.publishChannel(psm: 0x91)
            #expect((first, second) == (0x90, 0x91))
            #expect(try await other.openChannel(to: nodeID(0)).psm == 0x91)
            one.unpublishChannel(psm: 0x91)
            #expect(try await other.openChannel(to: nodeID(0)).psm == 0x90)
            one.unpublishChannel(psm: 0x90)
            await #expect(throws: BluejayError.channelRefused) {
                try await other.openChannel(to: nodeID(0))
            }
            await #expect(throws: BluejayError.channelRefused) {
                try await other.openChannel(to: nodeID(0), psm: 0x90)
            }
        }
    }

    @Test("Messages of several tasks on one channel are not interleaved")
    func messages() async throws {
        try await Self.play { _, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            _ = try await one.publishChannel()
            let channel = try await other.openChannel(to: nodeID(0))
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            async let there = Self.read(4 * 30_000, from: opened)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for value: UInt8 in 1...4 {
                    group.addTask {
                        try await other.sendData(Data(repeating: value, count: 30_000), on: channel)
                    }
                }
                try await group.waitForAll()
            }
            let parts = await there.chunked(by: 30_000)
            #expect(Set(parts.map { Set($0) }) == Set([1, 2, 3, 4].map { [$0] }))
        }
    }

    @Test("8 MiB of unread data suspend the sender, and a cancelled send ends")
    func heldBack() async throws {
        try await Self.play { stage, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            _ = try await one.publishChannel()
            let channel = try await other.openChannel(to: nodeID(0))
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            let sending = Task { try await other.sendData(Data(count: 8 << 20), on: channel) }
            try await stage.wait(.seconds(60))
            #expect(channel.isOpen && opened.isOpen)
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
            withExtendedLifetime(opened) {}
        }
    }

    @Test("Data accepted before a close arrives completely")
    func closed() async throws {
        try await Self.play { _, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            _ = try await one.publishChannel()
            let channel = try await other.openChannel(to: nodeID(0))
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            // More than the receiver buffers.
            let data = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            for start in stride(from: 0, to: data.count, by: 2000) {
                try await channel.send(data[start..<start + 2000])
            }
            other.closeChannel(channel)
            #expect(await Self.read(data.count, from: opened) == data)
            #expect(await channel.close() == 0)
        }
    }

    @Test("A send returns when the peer has taken the data, and reports its progress")
    func progress() async throws {
        try await Self.play { _, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            _ = try await one.publishChannel()
            let channel = try await other.openChannel(to: nodeID(0))
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            let (counts, feed) = AsyncStream<Int>.makeStream()
            async let all = Self.read(400_000, from: opened)
            try await other.sendData(Data(count: 400_000), on: channel) { feed.yield($0) }
            #expect(channel.unsentByteCount == 0)
            feed.finish()
            var last = 0
            for await count in counts { last = count }
            #expect(last == 400_000)
            #expect(await all.count == 400_000)
        }
    }

    @Test("A lost link ends the channel and the send that waits")
    func endOfLink() async throws {
        try await Self.play { stage, nodes in
            let (one, other) = (nodes[0].bridge.l2cap, nodes[1].bridge.l2cap)
            _ = try await one.publishChannel()
            let channel = try await other.openChannel(to: nodeID(0))
            var incoming = one.incomingChannels.makeAsyncIterator()
            let opened = try #require(await incoming.next())
            let sending = Task { try await other.sendData(Data(count: 8 << 20), on: channel) }
            try await stage.wait(.seconds(5))
            try stage.setPowered(false, 0)
            await #expect(throws: BluejayError.self) { try await sending.value }
            try await stage.wait(for: "end") { !channel.isOpen && !opened.isOpen }
            let error = await #expect(throws: BluejayError.self) {
                try await other.sendData(Data([1]), on: channel)
            }
            // The reason depends on which end notices first.
            let codes: [BluejayError.Code] = [.channelClosed, .linkLost, .bluetoothUnavailable]
            #expect(error.map { codes.contains($0.code) } == true)
        }
    }
}

extension Data {
    fileprivate func chunked(by size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
