import BluejayL2CAP
import Foundation
import Staging
import TestSupport
import Testing

extension ChannelScenarios {
    /// More than a receiver buffers: 256 KiB in its channel, and less than 213,000 bytes in its kernel.
    fileprivate static let data = pattern(500_000)

    /// Sends the data to a receiver that does not read, so that a part waits at the sender.
    ///
    /// The channel of the receiver takes the first half, and the one of the sender has room for the second.
    private func sendUnread(on channel: L2CAPChannel) async throws {
        let half = Self.data.count / 2
        try await channel.sendAll(Self.data.prefix(half))
        channel.host.mainLoop.post {
            for start in stride(from: half, to: Self.data.count, by: 2000) {
                channel.send(Self.data[start..<start + 2000]) { _ in }
            }
        }
    }

    @Test("A close waits until a slow peer has received everything", arguments: [true, false])
    func slowPeer(isConnectingSide: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            let (sender, receiver) = isConnectingSide ? (near, far) : (far, near)
            try await sendUnread(on: sender)
            async let dropped = sender.close(timeout: .seconds(60))
            try await wait { !sender.isOpen }
            await #expect(throws: BluejayError.channelClosed) { try await sender.send(pattern(1)) }
            #expect(await receiver.receiveAll(Self.data.count) == Self.data)
            #expect(await dropped == 0)
            #expect(sender.closeReason == .closed && sender.unsentByteCount == 0)
            #expect(await receiver.untilEnd() != nil)
        }
    }

    @Test("A close that times out returns the number of bytes that the peer has not received")
    func limit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            try await sendUnread(on: near)
            let dropped = await near.close(timeout: .seconds(0.5))
            let received = await far.receiveAll(Self.data.count)
            #expect(dropped > 0 && near.unsentByteCount == dropped && near.closeReason == .closed)
            #expect(received == Self.data.prefix(received.count))
            if isRealBlueZ {
                // Packets that the kernel gave the controller after the limit arrive as well.
                #expect(received.count + dropped >= Self.data.count)
            } else {
                #expect(received.count + dropped == Self.data.count)
            }
        }
    }

    @Test("A flush fails when it times out, and succeeds when the peer has received the data")
    func flush() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            try await near.flush()
            try await sendUnread(on: near)
            await #expect(throws: BluejayError.operationTimedOut) {
                try await near.flush(timeout: .seconds(0.5))
            }
            #expect(near.isOpen && near.unsentByteCount > 0)
            async let flushed: Void = near.flush()
            #expect(await far.receiveAll(Self.data.count) == Self.data)
            try await flushed
            #expect(near.unsentByteCount == 0)
            await far.close()
            #expect(await near.untilEnd() == .closedByPeer)
            #expect(await near.close() == 0)
            try await near.flush()
        }
    }

    @Test("A close during a flush completes both when the data is sent")
    func closeDuringFlush() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            try await sendUnread(on: near)
            async let first: Void = near.flush()
            async let second: Void = near.flush()
            async let dropped = near.close(timeout: .none)
            #expect(await far.receiveAll(Self.data.count) == Self.data)
            _ = try await (first, second)
            #expect(await dropped == 0)
        }
    }

    @Test("A close by the peer ends the flush of a program that does not receive")
    func unread() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            try await sendUnread(on: far)
            try await sendUnread(on: near)
            let flush = Task { try await near.flush(timeout: .none) }
            let dropped = await far.close(timeout: .seconds(-1))
            #expect(dropped > 0)
            await #expect(throws: BluejayError.channelClosed) { try await flush.value }
            #expect(near.isOpen && near.unsentByteCount > 0)
            #expect(await near.untilEnd() == .closedByPeer)
        }
    }

    @Test("A released channel sends its data first")
    func released() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let far = try await sendAndRelease(pair)
            #expect(await far.receiveAll(Self.data.count) == Self.data)
            #expect(await far.untilEnd() != nil)
        }
    }

    private func sendAndRelease(_ pair: AdapterPair) async throws -> L2CAPChannel {
        let (near, far) = try await pair.open()
        try await sendUnread(on: near)
        return far
    }

    @Test("Data of any length is sent in order, with its progress")
    func contents() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (near, far) = try await pair.open()
            let (counts, feed) = AsyncStream<Int>.makeStream()
            let (first, second) = (pattern(300_001), pattern(5000, seed: 1))
            async let all = far.receiveAll(first.count + second.count)
            async let sending: Void = near.send(contentsOf: first) { feed.yield($0) }
            var iterator = counts.makeAsyncIterator()
            #expect(await iterator.next() == 2048)
            try await near.send(contentsOf: second)
            try await sending
            #expect(await all == first + second)
            feed.finish()
            var last = 2048
            while let count = await iterator.next() {
                #expect(count > last)
                last = count
            }
            #expect(last == first.count)
            try await near.send(contentsOf: Data())
        }
    }
}
