import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Unsent data of a channel", .timeLimit(.minutes(15)))
struct UnsentDataTests {
    private static let data = pattern(50_000)

    /// A channel with accepted data that the peer does not read.
    private static func stuck(_ stage: ChannelStage) async throws -> L2CAPChannel {
        await stage.addSensor { $0.serveChannels(on: 0x80, .neverReads) }
        let channel = try await stage.channel()
        try await channel.sendAll(data)
        return channel
    }

    @Test("A close with a negative timeout returns the unsent bytes immediately")
    func neverReads() async throws {
        for seconds in [0.2, -1] {
            let stage = try await ChannelStage()
            let channel = try await Self.stuck(stage)
            #expect(channel.unsentByteCount == Self.data.count)
            #expect(await channel.close(timeout: .seconds(seconds)) == Self.data.count)
            #expect(channel.closeReason == .closed)
            #expect(await channel.close() == Self.data.count)
            await #expect(throws: BluejayError.channelClosed) { try await channel.flush() }
        }
    }

    @Test("When a close times out, queued packets count as unsent and fail")
    func queued() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .neverReads) }
        let channel = try await stage.channel()
        let results = LockedValue<[Bool]>([])
        await stage.onLoop {
            for _ in 0..<100 {
                channel.send(pattern(2048)) { result in
                    results.value.append((try? result.get()) != nil)
                }
            }
        }
        #expect(await channel.close(timeout: .seconds(0.2)) == 204_800)
        try await wait { results.value.count == 100 }
        #expect(results.value.contains(true) && results.value.last == false)
    }

    @Test("The earliest timeout of several closes applies, and each returns the same number")
    func severalCloses() async throws {
        let stage = try await ChannelStage()
        let channel = try await Self.stuck(stage)
        async let first = channel.close(timeout: .none)
        async let second = channel.close(timeout: .seconds(0.2))
        #expect(await first == Self.data.count)
        #expect(await second == Self.data.count)
    }

    @Test("A cancelled flush leaves the channel open, and a cancelled close discards the data")
    func cancelled() async throws {
        let stage = try await ChannelStage()
        let channel = try await Self.stuck(stage)
        let flush = Task { try await channel.flush(timeout: .none) }
        await stage.onLoop {}
        flush.cancel()
        await #expect(throws: CancellationError.self) { try await flush.value }
        #expect(channel.isOpen)
        let other = Task { try await channel.flush(timeout: .none) }
        let close = Task { await channel.close(timeout: .none) }
        try await wait { !channel.isOpen }
        close.cancel()
        #expect(await close.value == Self.data.count)
        await #expect(throws: BluejayError.channelClosed) { try await other.value }
    }

    @Test("A lost link ends a flush and a close, which returns the unsent bytes")
    func linkLost() async throws {
        let stage = try await ChannelStage()
        let channel = try await Self.stuck(stage)
        let flush = Task { try await channel.flush(timeout: .none) }
        let close = Task { await channel.close(timeout: .none) }
        try await wait { !channel.isOpen }
        await stage.withSensor { $0.dropLink() }
        #expect(await close.value == Self.data.count)
        await #expect(throws: BluejayError.linkLost(.unknown)) { try await flush.value }
        #expect(channel.closeReason == .linkLost(.unknown))
    }

    @Test("A peer that closes early leaves the rest unsent")
    func closedByPeer() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .closes(afterBytes: 1000)) }
        let channel = try await stage.channel()
        await stage.onLoop {
            for start in stride(from: 0, to: Self.data.count, by: 1000) {
                channel.send(Self.data[start..<start + 1000]) { _ in }
            }
        }
        #expect(await channel.untilEnd() == .closedByPeer)
        let received = await stage.withSensor { $0.channels.first?.received } ?? nil
        #expect(await channel.close() + (received ?? 0) >= Self.data.count)
        #expect(channel.unsentByteCount > 0)
    }

    @Test("Stopping the loop ends a flush and a close")
    func endOfLoop() async throws {
        let stage = try await ChannelStage()
        let channel = try await Self.stuck(stage)
        let (lines, feed) = AsyncStream<String>.makeStream()
        await stage.onLoop {
            channel.flush(timeout: .none) { feed.yield("flush \((try? $0.get()) != nil)") }
            channel.close(timeout: .none) { feed.yield("lost \($0)") }
        }
        stage.loop.stop()
        var record: Set<String> = []
        for await line in lines.prefix(2) { record.insert(line) }
        #expect(record == ["flush false", "lost 50000"])
    }

    @Test("A packet that arrived before a close is still delivered, and the callbacks end")
    func receivedBeforeClose() async throws {
        let stage = try await ChannelStage()
        let packets: [[UInt8]] = [[1], [2], [3]]
        await stage.addSensor { $0.serveChannels(on: 0x80, .source(packets)) }
        let channel = try await stage.channel()
        try await wait { await stage.withSensor { $0.channels.first?.sent } == 3 }
        var iterator = channel.received.makeAsyncIterator()
        #expect(await iterator.next() == Data([1]))
        await stage.onLoop {}
        await channel.close()
        #expect(await iterator.next() == Data([2]))
        #expect(await iterator.next() == Data([3]))
        #expect(await iterator.next() == nil)
        let other = try await stage.channel()
        let received = LockedValue(0)
        await stage.onLoop {
            other.onReceive = { _ in
                received.value += 1
                other.close {}
            }
        }
        #expect(await other.untilEnd() == .closed)
        #expect(received.value == 1)
    }

    @Test("A cancelled send drops the rest of its data")
    func cancelledSend() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .neverReads) }
        let channel = try await stage.channel()
        let sending = Task { try await channel.send(contentsOf: pattern(1 << 20)) }
        try await wait { channel.unsentByteCount > 90_000 }
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(await channel.close(timeout: .seconds(-1)) < 200_000)
        await #expect(throws: BluejayError.channelClosed) {
            try await channel.send(contentsOf: pattern(1))
        }
    }

    @Test("Callbacks report a flush, the progress of data, and the end of a close")
    func callbacks() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .sink, mtu: 1000) }
        let channel = try await stage.channel()
        let (lines, feed) = AsyncStream<String>.makeStream()
        await stage.onLoop {
            channel.send(contentsOf: pattern(2500)) {
                feed.yield("\($0)")
            } completion: { result in
                feed.yield("sent \((try? result.get()) != nil)")
                channel.flush { feed.yield("flushed \((try? $0.get()) != nil)") }
                channel.close(timeout: .seconds(5)) { feed.yield("lost \($0)") }
            }
        }
        var record: [String] = []
        for await line in lines {
            record.append(line)
            if record.count == 6 { break }
        }
        #expect(record == ["1000", "2000", "2500", "sent true", "flushed true", "lost 0"])
    }
}
