import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Channels and listeners whose loop stops", .timeLimit(.minutes(3)))
struct EndedLoopTests {
    private static func stop(_ lab: ChannelLab) async throws {
        lab.loop.stop()
        try await wait { lab.loop.context.hasEnded }
    }

    private static func freeze(_ lab: ChannelLab) async {
        await lab.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
    }

    /// Everything that begins after the end ends at once.
    private static func expectLater(_ lab: ChannelLab) async throws {
        let channel = L2CAPChannel(to: try lab.sensor, psm: 0x80, host: lab.host)
        let listener = L2CAPListener(host: lab.host)
        let calls = AwaitedCalls()
        calls.begin("open") { try await channel.open(timeout: .none) }
        calls.begin("send") { try await channel.send(Data([1])) }
        calls.begin("received") { for await _ in channel.received {} }
        let other = L2CAPChannel(to: try lab.sensor, psm: 0x80, host: lab.host)
        calls.begin("close") { await other.close() }
        calls.begin("start") { try await listener.start(timeout: .none) }
        calls.begin("channels") { for await _ in listener.channels {} }
        calls.begin("listener close") { await L2CAPListener(host: lab.host).close() }
        #expect(try await calls.hanging() == [])
        for name in ["open", "start"] {
            let error = calls.error(of: name) as? BluejayError
            #expect(error?.code == .stopped, "\(name): \(String(describing: error))")
        }
        #expect(!channel.isOpen && channel.maximumSDU == 0 && listener.psm == 0)
    }

    @Test("Stopping the loop closes channels and listeners and ends their sequences")
    func open() async throws {
        let lab = try await ChannelLab()
        await lab.addSensor { $0.serveChannels(on: 0x80, .sink) }
        let channel = try await lab.channel()
        let listener = L2CAPListener(host: lab.host)
        let psm = try await listener.start()
        let calls = AwaitedCalls()
        calls.begin("received") { for await _ in channel.received {} }
        calls.begin("channels") { for await _ in listener.channels {} }
        let unread = L2CAPListener(host: lab.host)
        let other = try await unread.start()
        #expect(await lab.withSensor { $0.openChannel(to: other, .sink) } == true)
        try await Self.stop(lab)
        #expect(try await calls.hanging() == [])
        #expect(!channel.isOpen && channel.closeReason == .closed)
        // Nobody listens any more.
        #expect(await lab.withSensor { $0.openChannel(to: psm, .sink) } == false)
        calls.begin("later received") { for await _ in channel.received {} }
        calls.begin("later send") { try await channel.send(Data([1])) }
        calls.begin("later channels") { for await _ in listener.channels {} }
        calls.begin("unread channels") { for await _ in unread.channels {} }
        calls.begin("later close") { await channel.close() }
        #expect(try await calls.hanging() == [])
        try await Self.expectLater(lab)
    }

    @Test("Stopping the loop ends opens that wait for Bluetooth")
    func waiting() async throws {
        let lab = try await ChannelLab()
        await Self.freeze(lab)
        let channel = L2CAPChannel(to: try lab.sensor, psm: 0x80, host: lab.host)
        let listener = L2CAPListener(host: lab.host)
        let calls = AwaitedCalls()
        calls.begin("open") { try await channel.open(timeout: .none) }
        calls.begin("received") { for await _ in channel.received {} }
        calls.begin("start") { try await listener.start(timeout: .none) }
        calls.begin("channels") { for await _ in listener.channels {} }
        try await Task.sleep(for: .milliseconds(100))
        try await Self.stop(lab)
        #expect(try await calls.hanging() == [])
        for name in ["open", "start"] {
            let error = calls.error(of: name) as? BluejayError
            #expect(error?.code == .stopped, "\(name): \(String(describing: error))")
        }
        try await Self.expectLater(lab)
    }

    @Test("Stopping the loop ends a close that waits for bluetoothd")
    func closing() async throws {
        let lab = try await ChannelLab()
        await lab.addSensor { $0.serveChannels(on: 0x80, .sink) }
        let channel = try await lab.channel()
        await Self.freeze(lab)
        let calls = AwaitedCalls()
        calls.begin("close") { await channel.close() }
        try await wait { !channel.isOpen }
        try await Self.stop(lab)
        #expect(try await calls.hanging() == [])
    }

    @Test("Channels and listeners created after the loop has stopped fail immediately")
    func late() async throws {
        let lab = try await ChannelLab()
        try await Self.stop(lab)
        try await Self.expectLater(lab)
    }
}
