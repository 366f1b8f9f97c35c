import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Channel calls from other threads", .timeLimit(.minutes(15)))
struct ChannelThreadTests {
    @Test("A call from another thread runs on the loop, as does its completion")
    func elsewhere() async throws {
        let host = BluetoothHost(
            mainLoop: MainLoop(threadName: "channel"),
            busAddress: "unix:path=/"
        )
        let peer = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
        let channel = L2CAPChannel(to: peer, psm: 0x80, host: host)
        let (ends, end) = AsyncStream<String>.makeStream()
        try await onOwnThread {
            let note: @Sendable (String) -> Void = { end.yield("\($0) \(host.mainLoop.isCurrent)") }
            channel.onReceive = { _ in }
            channel.onEnd = { _ in note("end") }
            #expect(channel.onReceive != nil && channel.onEnd != nil)
            channel.onReceive = nil
            #expect(channel.onReceive == nil)
            channel.send(Data([1])) { _ in note("send") }
            channel.open { _ in note("open") }
            channel.close { note("close") }
        }
        var iterator = ends.makeAsyncIterator()
        for name in ["send", "open", "close"] { #expect(await iterator.next() == "\(name) true") }
    }

    @Test("Ten threads can use channels and listeners at the same time")
    func tenThreads() async throws {
        let host = BluetoothHost(
            mainLoop: MainLoop(threadName: "channel"),
            busAddress: "unix:path=/"
        )
        let peer = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
        let channel = L2CAPChannel(to: peer, psm: 0x80, host: host)
        let listener = L2CAPListener(host: host)
        let (ends, end) = AsyncStream<Bool>.makeStream()
        try await onOwnThreads(10) { number in
            let note: @Sendable () -> Void = { end.yield(host.mainLoop.isCurrent) }
            channel.onReceive = { _ in }
            if number.isMultiple(of: 2) { channel.onEnd = nil } else { channel.onEnd = { _ in } }
            listener.onChannel = { _ in }
            listener.onEnd = { _ in }
            channel.open { _ in note() }
            channel.send(Data([1])) { _ in note() }
            listener.start { _ in note() }
            _ = (
                channel.isOpen, channel.maximumSDU, channel.closeReason, listener.psm, channel.onEnd
            )
            _ = (channel.onReceive, listener.onChannel, listener.onEnd, channel.peer, channel.psm)
            channel.close { note() }
            listener.close()
        }
        var count = 0
        for await isOnLoop in ends.prefix(40) {
            #expect(isOnLoop)
            count += 1
        }
        #expect(count == 40)
    }

    @Test(
        "Ten threads can send, flush and close a channel, which can be opened again immediately"
    )
    func unsentData() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .sink) }
        for _ in 0..<5 {
            let (ends, end) = AsyncStream<Bool>.makeStream()
            try await Self.closeOnThreads(stage) { end.yield(stage.loop.isCurrent) }
            for await isOnLoop in ends.prefix(40) { #expect(isOnLoop) }
        }
    }

    /// Calls `note` four times for each of ten threads, and releases the channel.
    private static func closeOnThreads(
        _ stage: ChannelStage,
        _ note: @escaping @Sendable () -> Void
    ) async throws {
        let channel = try await stage.channel()
        try await onOwnThreads(10) { _ in
            channel.send(Data([1])) { _ in note() }
            channel.send(contentsOf: pattern(5000)) { _ in note() }
            channel.flush { _ in note() }
            channel.close(timeout: .seconds(5)) { _ in note() }
        }
    }
}
