import BluejayL2CAP
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `ChannelListener`.
@Suite("Channel listeners", .timeLimit(.minutes(15)))
struct ListenerTests {
    /// Opens a channel; it keeps the link up over which the device opens others.
    private static func connected(_ stage: ChannelStage) async throws -> L2CAPChannel {
        await stage.addSensor { $0.serveChannels(on: 0x80, .sink) }
        // bluetoothd may not have reported the simulator's change yet.
        var channel: L2CAPChannel?
        try await wait {
            do {
                channel = try await stage.channel()
                return true
            } catch BluejayError.bluetoothUnavailable {
                return false
            }
        }
        return try #require(channel)
    }

    @Test("PSM 0 selects a free PSM, which can be used once at a time")
    func numbers() async throws {
        let stage = try await ChannelStage()
        let first = L2CAPListener(host: stage.host)
        let psm = try await first.start()
        #expect((0x80...0xFF).contains(psm) && first.psm == psm)
        let second = L2CAPListener(psm: psm, host: stage.host)
        await #expect(throws: BluejayError.psmInUse(psm)) { try await second.start() }
        await #expect(throws: BluejayError.inUse("the listener")) { try await first.start() }
        await first.close()
        let third = L2CAPListener(psm: psm, host: stage.host)
        #expect(try await third.start() == psm)
        #expect(try await L2CAPListener(psm: psm, host: stage.host("hci1")).start() == psm)
    }

    @Test("A PSM above 0x00FF is invalid, and one below 0x0080 requires a privilege")
    func refused() async throws {
        let stage = try await ChannelStage()
        for psm: UInt16 in [0x100, 0x1001] {
            await #expect(throws: BluejayError.invalidPSM(psm)) {
                try await L2CAPListener(psm: psm, host: stage.host).start()
            }
        }
        await #expect(throws: BluejayError.psmNotPermitted(0x25)) {
            try await L2CAPListener(psm: 0x25, host: stage.host).start()
        }
    }

    // Each stage waits for its turn, so a test with a stage must not wait for another.
    @Test("With the privilege, a listener can use a PSM below 0x0080")
    func privileged() async throws {
        let stage = try await ChannelStage { $0.permitsReservedPSM = true }
        #expect(try await L2CAPListener(psm: 0x25, host: stage.host).start() == 0x25)
    }

    @Test("Each channel is delivered to one task, or to the callback if one is set")
    func incoming() async throws {
        let stage = try await ChannelStage()
        let link = try await Self.connected(stage)
        let listener = L2CAPListener(host: stage.host)
        let psm = try await listener.start()
        let packets = [[UInt8](pattern(2048)), [1, 2, 3]]
        #expect(await stage.withSensor { $0.openChannel(to: psm, .source(packets)) } == true)
        var channels = listener.channels.makeAsyncIterator()
        let first = try #require(await channels.next())
        #expect(first.peer == (try stage.sensor) && first.psm == psm && first.maximumSDU == 2048)
        #expect(await first.receiveAll(2051) == Data(packets.joined()))
        let (stream, feed) = AsyncStream<L2CAPChannel>.makeStream()
        await stage.onLoop { listener.onChannel = { feed.yield($0) } }
        #expect(await stage.withSensor { $0.openChannel(to: psm, .echo) } == true)
        var called = stream.makeAsyncIterator()
        let second = try #require(await called.next())
        try await second.send(pattern(100))
        #expect(await second.receiveAll(100) == pattern(100))
        await listener.close()
        #expect(await channels.next() == nil)
        try await wait { await stage.withSensor { $0.openChannel(to: psm, .echo) } == false }
        #expect(first.isOpen && second.isOpen && link.isOpen)
    }

    @Test("Idle channels beyond the backlog are refused, and all end with the link")
    func flood() async throws {
        let stage = try await ChannelStage()
        let link = try await Self.connected(stage)
        let listener = L2CAPListener(psm: 0x90, host: stage.host)
        let psm = try await listener.start()
        // The kernel queues as many channels as the listener.
        try await wait {
            await stage.withSensor { $0.openChannel(to: psm, .sink) } == false
        }
        let opened = await stage.withSensor {
            $0.channels.filter { $0.psm == psm && $0.isOpen }.count
        }
        #expect((16...34).contains(opened ?? 0))
        var channels = listener.channels.makeAsyncIterator()
        var taken: [L2CAPChannel] = []
        for _ in 0..<(opened ?? 0) { taken.append(try #require(await channels.next())) }
        #expect(taken.filter(\.isOpen).count == opened)
        #expect(await stage.withSensor { $0.openChannel(to: psm, .sink) } == true)
        await stage.withSensor { $0.dropLink() }
        for channel in taken { #expect(await channel.untilEnd() == .linkLost(.unknown)) }
        #expect(await link.untilEnd() == .linkLost(.unknown))
    }

    @Test("A listener keeps its PSM after bluetoothd restarts and after powering off and on")
    func returns() async throws {
        let stage = try await ChannelStage()
        let listener = L2CAPListener(host: stage.host)
        let psm = try await listener.start()
        for restart in [true, false] {
            if restart {
                await stage.system.killDaemon()
                try await stage.system.startDaemon()
            } else {
                await stage.setPowered(false)
                await stage.setPowered(true)
            }
            let link = try await Self.connected(stage)
            try await wait {
                await stage.withSensor { $0.openChannel(to: psm, .source([[7]])) } == true
            }
            var channels = listener.channels.makeAsyncIterator()
            let channel = try #require(await channels.next())
            #expect(await channel.receiveAll(1) == Data([7]))
            // A channel that the peer opened keeps our link in use, too.
            await link.close()
            #expect(await stage.withSensor { $0.isConnected } == true)
            await channel.close()
            try await wait { await stage.withSensor { $0.isConnected } == false }
        }
    }

    @Test("Without Bluetooth, a listener fails with the Bluetooth state")
    func off() async throws {
        let stage = try await ChannelStage { $0.isPowered = false }
        await #expect(throws: BluejayError.bluetoothUnavailable(.poweredOff)) {
            try await L2CAPListener(host: stage.host).start()
        }
    }
}

@Suite("The guide to channels", .timeLimit(.minutes(15)))
struct PageTests {
    @Test("The two sides of the guide's example exchange data")
    func example() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (numbers, feed) = AsyncStream<UInt16>.makeStream()
            let server = Task { try await serve(pair.far) { feed.yield($0) } }
            var iterator = numbers.makeAsyncIterator()
            let psm = try #require(await iterator.next())
            let text = pattern(10_000)
            #expect(try await ask(pair.peer, psm, text, pair.near) == text)
            try await server.value
        }
    }
}

/// Holds the listening side of the article.
// Used only on the loop, which justifies `@unchecked`.
private final class EchoHolder: @unchecked Sendable {
    var echo: Echo?
}

@Suite("The article about channels", .timeLimit(.minutes(15)))
struct ArticleTests {
    @Test("The two sides of the article's callback example exchange data")
    func callbacks() async throws {
        try await withTestbed(isRecorded: false) { context in
            let pair = try await AdapterPair(context)
            let (lines, feed) = AsyncStream<String>.makeStream()
            let holder = EchoHolder()
            pair.far.mainLoop.post {
                holder.echo = Echo(pair.far) { result in
                    guard case .success(let psm) = result else { return feed.finish() }
                    askEcho(of: pair.peer, psm, pair.near) { feed.yield("\($0)") }
                }
            }
            var iterator = lines.makeAsyncIterator()
            #expect(await iterator.next() == "received 3 bytes")
            await withCheckedContinuation { done in
                pair.far.mainLoop.post {
                    holder.echo = nil
                    done.resume()
                }
            }
        }
    }

    @Test("The first example opens a channel, sends, receives and closes")
    func firstPage() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .echo) }
        var lines: [String] = []
        try await showPackets(of: stage.sensor, stage.host) { lines.append("\($0)") }
        #expect(lines == ["3 bytes"])
        #expect(await stage.withSensor { $0.isConnected } == false)
    }

    @Test("The simulator's example: a device serves channels and opens one itself")
    func device() async throws {
        let stage = try await ChannelStage()
        let listener = L2CAPListener(psm: 0x90, host: stage.host)
        try await listener.start()
        await stage.addSensor { $0.serveChannels(on: 0x81, .sink) }
        let first = L2CAPChannel(to: try stage.sensor, psm: 0x81, host: stage.host)
        try await first.open()
        try await first.send(Data([1, 2, 3]))
        try await wait { await stage.withSensor { $0.channels.map(\.received) } == [3] }
        let received = await stage.withSensor { lock in
            lock.serveChannels(on: 0x80, .echo)  // or .sink, .source([[1, 2]]), .neverReads, …
            let packet = [UInt8](repeating: 7, count: 2048)
            lock.openChannel(to: 0x90, .source([packet]))  // to your listener, over its link
            let received = lock.channels.map(\.received)  // the bytes of each
            return received
        }
        #expect(received == [3, 0])
        var channels = listener.channels.makeAsyncIterator()
        let opened = try #require(await channels.next())
        var packets = opened.received.makeAsyncIterator()
        #expect(await packets.next() == Data(repeating: 7, count: 2048))
        let second = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        try await second.open()
        try await second.send(Data([9]))
        var echo = second.received.makeAsyncIterator()
        #expect(await echo.next() == Data([9]))
    }
}
