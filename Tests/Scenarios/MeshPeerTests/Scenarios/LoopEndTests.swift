import BluejayGLib
import BluejaySimulator
import Foundation
import MeshPeer
import Testing

@Suite("The end of a node's loop", .timeLimit(.minutes(3)))
struct LoopEndTests {
    /// Returns a node on a loop with a separate thread.
    private static func bridge(_ loop: MainLoop, _ stage: MeshStage) -> (PlatformBridge, Inbox) {
        let inbox = Inbox()
        let bridge = PlatformBridge(
            repository: inbox,
            centralSettings: .init(),
            peripheralSettings: .init(),
            host: BluetoothHost(mainLoop: loop, adapter: "hci0", busAddress: stage.busAddress)
        )
        return (bridge, inbox)
    }

    private static func drain(_ bridge: PlatformBridge) async {
        for await _ in bridge.central.events() {}
        for await _ in bridge.peripheral.events() {}
        for await _ in bridge.l2cap.incomingChannels {}
    }

    private static func expectStopped(_ bridge: PlatformBridge) async {
        await #expect(throws: BluejayError.stopped) {
            try await bridge.l2cap.openChannel(to: nodeID(1))
        }
        await #expect(throws: BluejayError.stopped) {
            try await bridge.l2cap.openChannel(to: nodeID(1), psm: 0x80)
        }
        await #expect(throws: BluejayError.stopped) { try await bridge.l2cap.publishChannel() }
    }

    @Test("Streams, calls and published states end with the loop")
    func begunBefore() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let other = try Node(1, in: stage.world)
            other.start()
            let loop = MainLoop(threadName: "node")
            let (bridge, inbox) = Self.bridge(loop, stage)
            bridge.peripheral.startAdvertising()
            bridge.central.startScanning()
            try await stage.wait(for: "peers") {
                bridge.central.connectedPeers == [nodeID(1)]
                    && bridge.peripheral.isAdvertising
                    && bridge.peripheral.subscribedCentrals == [nodeID(1)]
            }
            async let drained: Void = Self.drain(bridge)
            async let opened = #expect(throws: BluejayError.stopped) {
                try await bridge.l2cap.openChannel(to: deviceID("C0:00:00:00:00:77"))
            }
            loop.stop()
            await drained
            _ = await opened
            await Self.expectStopped(bridge)
            #expect(bridge.central.connectedPeers == [])
            #expect(bridge.central.discoveredPeers == [])
            #expect(bridge.central.identity(of: nodeID(1)) == nil)
            #expect(!bridge.peripheral.isAdvertising)
            #expect(bridge.peripheral.subscribedCentrals == [])
            withExtendedLifetime(inbox) {}
        }
    }

    @Test("Streams and calls that begin after the end of the loop end at once")
    func begunAfter() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let loop = MainLoop(threadName: "node")
            let (bridge, inbox) = Self.bridge(loop, stage)
            bridge.central.startScanning()
            bridge.peripheral.startAdvertising()
            loop.stop()
            await Self.drain(bridge)
            bridge.central.startScanning()
            bridge.peripheral.startAdvertising()
            await Self.drain(bridge)
            await Self.expectStopped(bridge)
            // A node that is created after the end.
            let (late, lateInbox) = Self.bridge(loop, stage)
            late.central.startScanning()
            late.peripheral.startAdvertising()
            await Self.drain(late)
            await Self.expectStopped(late)
            #expect(!late.peripheral.isAdvertising)
            withExtendedLifetime((inbox, lateInbox)) {}
        }
    }

    @Test("The end of a loop on another thread ends the streams, even after run has returned")
    func runByThread() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let loop = MainLoop(MainContext())
            let (ended, end) = AsyncStream<Void>.makeStream()
            Thread.detachNewThread {
                loop.run(stoppingOn: [])
                end.finish()
            }
            let (bridge, inbox) = Self.bridge(loop, stage)
            async let drained: Void = Self.drain(bridge)
            try await stage.wait(for: "state") {
                bridge.central.droppedEventCount == 0 && loop.isCurrent == false
            }
            loop.stop()
            await drained
            for await _ in ended {}
            await Self.drain(bridge)
            await Self.expectStopped(bridge)
            withExtendedLifetime(inbox) {}
        }
    }
}
