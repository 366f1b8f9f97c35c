import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Channels and listeners whose loop stops", .timeLimit(.minutes(3)))
struct EndedLoopTests {
    private static func stop(_ stage: ChannelStage) async throws {
        stage.loop.stop()
        try await wait { stage.loop.context.hasEnded }
    }

    private static func freeze(_ stage: ChannelStage) async {
        await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
    }

    /// Everything that begins after the end ends at once.
    private static func expectLater(_ stage: ChannelStage) async throws {
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        let listener = L2CAPListener(host: stage.host)
        let calls = AwaitedCalls()
        calls.begin("open") { try await channel.open(timeout: .none) }
        calls.begin("send") { try await channel.send(Data([1])) }
        calls.begin("received") { for await _ in channel.received {} }
        let other = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        calls.begin("close") { await other.close() }
        calls.begin("start") { try await listener.start(timeout: .none) }
        calls.begin("channels") { for await _ in listener.channels {} }
        calls.begin("listener close") { await L2CAPListener(host: stage.host).close() }
        #expect(try await calls.hanging() == [])
        for name in ["open", "start"] {
            let error = calls.error(of: name) as? BluejayError
            #expect(error?.code == .stopped, "\(name): \(String(describing: error))")
        }
        #expect(!channel.isOpen && channel.maximumSDU == 0 && listener.psm == 0)
    }

    @Test("Stopping the loop closes channels and listeners and ends their sequences")
    func open() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .sink) }
        let channel = try await stage.channel()
        let listener = L2CAPListener(host: stage.host)
        let psm = try await listener.start()
        let calls = AwaitedCalls()
        calls.begin("received") { for await _ in channel.received {} }
        calls.begin("channels") { for await _ in listener.channels {} }
        let unread = L2CAPListener(host: stage.host)
        let other = try await unread.start()
        #expect(await stage.withSensor { $0.openChannel(to: other, .sink) } == true)
        try await Self.stop(stage)
        #expect(try await calls.hanging() == [])
        #expect(!channel.isOpen && channel.closeReason == .closed)
        // Nobody listens any more.
        #expect(await stage.withSensor { $0.openChannel(to: psm, .sink) } == false)
        calls.begin("later received") { for await _ in channel.received {} }
        calls.begin("later send") { try await channel.send(Data([1])) }
        calls.begin("later channels") { for await _ in listener.channels {} }
        calls.begin("unread channels") { for await _ in unread.channels {} }
        calls.begin("later close") { await channel.close() }
        #expect(try await calls.hanging() == [])
        try await Self.expectLater(stage)
    }

    @Test("Stopping the loop ends opens that wait for Bluetooth")
    func waiting() async throws {
        let stage = try await ChannelStage()
        await Self.freeze(stage)
        let channel = L2CAPChannel(to: try stage.sensor, psm: 0x80, host: stage.host)
        let listener = L2CAPListener(host: stage.host)
        let calls = AwaitedCalls()
        calls.begin("open") { try await channel.open(timeout: .none) }
        calls.begin("received") { for await _ in channel.received {} }
        calls.begin("start") { try await listener.start(timeout: .none) }
        calls.begin("channels") { for await _ in listener.channels {} }
        try await Task.sleep(for: .milliseconds(100))
        try await Self.stop(stage)
        #expect(try await calls.hanging() == [])
        for name in ["open", "start"] {
            let error = calls.error(of: name) as? BluejayError
            #expect(error?.code == .stopped, "\(name): \(String(describing: error))")
        }
        try await Self.expectLater(stage)
    }

    @Test("Stopping the loop ends a close that waits for bluetoothd")
    func closing() async throws {
        let stage = try await ChannelStage()
        await stage.addSensor { $0.serveChannels(on: 0x80, .sink) }
        let channel = try await stage.channel()
        await Self.freeze(stage)
        let calls = AwaitedCalls()
        calls.begin("close") { await channel.close() }
        try await wait { !channel.isOpen }
        try await Self.stop(stage)
        #expect(try await calls.hanging() == [])
    }

    @Test("Channels and listeners created after the loop has stopped fail immediately")
    func late() async throws {
        let stage = try await ChannelStage()
        try await Self.stop(stage)
        try await Self.expectLater(stage)
    }
}
