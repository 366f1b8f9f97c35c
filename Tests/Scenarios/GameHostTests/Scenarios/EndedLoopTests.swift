import BluejayCore
import BluejayGLib
import BluejaySimulator
import Foundation
import GameHost
import TestSupport
import Testing

@Suite("A host whose loop stops", .timeLimit(.minutes(3)))
@MainActor
struct EndedLoopTests {
    private func expectNothingUp(
        _ manager: BLEHostManager,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!manager.isAdvertising, sourceLocation: sourceLocation)
        #expect(manager.connectedPeerCount == 0, sourceLocation: sourceLocation)
        #expect(manager.peerIds == [], sourceLocation: sourceLocation)
        #expect(manager.bluetoothState == .unknown, sourceLocation: sourceLocation)
    }

    /// Everything that begins after the end ends at once.
    private func expectLater(_ manager: BLEHostManager) async throws {
        let calls = AwaitedCalls()
        manager.startAdvertising()
        calls.begin("changes") { for await _ in await manager.changes {} }
        calls.begin("sendPacket") { await manager.sendPacket(.broadcast(Data([1]))) }
        manager.sendData(Data([1]), to: nil)
        manager.disconnectGracefully()
        #expect(try await calls.hanging() == [])
        expectNothingUp(manager)
        guard case .failed(let reason) = manager.state else {
            Issue.record("\(manager.state)")
            return
        }
        #expect(reason.contains("loop"))
        manager.stopAdvertising()
    }

    @Test("The end of the loop disconnects the players, notifies the game and ends all streams")
    func playing() async throws {
        try await GameStage.play { stage in
            let manager = stage.manager
            let player = try await stage.join(1)
            let calls = AwaitedCalls()
            calls.begin("changes") { for await _ in await manager.changes {} }
            stage.loop.stop()
            try await wait { stage.loop.context.hasEnded }
            #expect(try await calls.hanging() == [])
            expectNothingUp(manager)
            #expect(
                stage.brain.journal == [
                    "start", "+ \(player.id) Player 1", "- \(player.id)", "stop",
                ]
            )
            try await expectLater(manager)
        }
    }

    @Test("A host that waits for bluetoothd ends with its loop")
    func frozen() async throws {
        try await GameStage.play(starts: false) { stage in
            await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
            let calls = AwaitedCalls()
            stage.manager.startAdvertising()
            calls.begin("changes") { [manager = stage.manager] in
                for await _ in await manager.changes {}
            }
            try await wait { stage.manager.state != .idle }
            stage.loop.stop()
            #expect(try await calls.hanging() == [])
            expectNothingUp(stage.manager)
            try await expectLater(stage.manager)
        }
    }

    @Test("Starting a host after the end of its loop fails with the reason")
    func late() async throws {
        try await GameStage.play(starts: false) { stage in
            stage.loop.stop()
            try await wait { stage.loop.context.hasEnded }
            try await expectLater(stage.manager)
            let brain = Brain()
            let late = BLEHostManager(
                sdk: brain,
                host: BluetoothHost(mainLoop: stage.loop, busAddress: stage.system.busAddress)
            )
            try await expectLater(late)
            #expect(brain.journal == [])
        }
    }
}
