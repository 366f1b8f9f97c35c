import BluejayCore
import BluejayGLib
import BluejaySimulator
import Foundation
import GameHost
import Staging
import TestSupport
import Testing

@MainActor
private final class SessionBrain: BrainSDK {
    private(set) var journal: [String] = []
    private(set) var outgoingPackets = AsyncStream<OutgoingPacket> { $0.finish() }
    private var packets: AsyncStream<OutgoingPacket>.Continuation?

    func say(_ byte: UInt8) { packets?.yield(.broadcast(Data([byte]))) }

    func startHostAdvertising() -> String {
        journal.append("start")
        (outgoingPackets, packets) = AsyncStream.makeStream()
        return "Tisch"
    }
    func stopHostAdvertising() { journal.append("stop") }
    func onPeerConnected(peerId: String, peerName: String) { journal.append("+") }
    func onPeerDisconnected(peerId: String) { journal.append("-") }
    func onDataReceived(fromPeerId: String, data: Data) {}
}

@Suite("The sessions of a host", .timeLimit(.minutes(15)))
@MainActor
struct SessionStreamTests {
    @Test("A game that creates a stream for each session is received in each")
    func streams() async throws {
        try await onSimulatedBlueZ(.accelerated(.v5_86)) { system in
            let brain = SessionBrain()
            let manager = Self.manager(brain, system)
            let player = try await Self.player(system)
            for session in UInt8(1)...3 {
                manager.startAdvertising()
                try await TestSupport.wait { manager.isAdvertising }
                if session > 1 { try await player.play([.disconnect]) }
                try await player.play([.connect, .subscribe(notifying)])
                try await TestSupport.wait { manager.connectedPeerCount == 1 }
                brain.say(session)
                try await TestSupport.wait { await player.values().last?.last == session }
                manager.stopAdvertising()
            }
        }
    }

    @Test("A released host notifies its game of the end")
    func released() async throws {
        try await onSimulatedBlueZ(.accelerated(.v5_86)) { system in
            let brain = SessionBrain()
            var manager: BLEHostManager? = Self.manager(brain, system)
            manager?.startAdvertising()
            try await TestSupport.wait { manager?.isAdvertising == true }
            let player = try await Self.player(system)
            try await player.play([.connect, .subscribe(notifying)])
            try await TestSupport.wait { manager?.connectedPeerCount == 1 }
            let changes = try #require(manager?.changes)
            manager = nil
            #expect(brain.journal == ["start", "+", "-", "stop"])
            for await _ in changes {}
        }
    }

    @Test(
        "An invalid RSSI has poor quality",
        arguments: [(127, ConnectionQuality.poor), (21, .poor), (20, .excellent), (-128, .poor)]
    )
    func strengths(rssi: Int, quality: ConnectionQuality) {
        #expect(ConnectionQuality(rssi: rssi) == quality)
    }

    private static func manager(
        _ brain: SessionBrain,
        _ system: SimulatedSystem
    ) -> BLEHostManager {
        var settings = BLEHostManager.Settings()
        settings.flushInterval = .milliseconds(5)
        let loop = MainLoop(threadName: "game host")
        return BLEHostManager(
            sdk: brain,
            settings: settings,
            host: BluetoothHost(mainLoop: loop, busAddress: system.busAddress)
        )
    }

    private static func player(_ system: SimulatedSystem) async throws -> TablePlayer {
        let player = TablePlayer(system, "C0:00:00:00:00:01")
        await system.perform { $0.add(SimulatedCentral(address: "C0:00:00:00:00:01")) }
        return player
    }
}
