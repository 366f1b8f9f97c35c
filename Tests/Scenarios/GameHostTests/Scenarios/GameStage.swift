import BluejayCore
import BluejayGLib
import BluejaySimulator
import Foundation
import GameHost
import Staging
import TestSupport
import Testing

/// A game that records its callbacks and sends what the test gives it.
@MainActor
final class Brain: BrainSDK {
    /// `start`, `stop`, `+ peer-… Player 1`, `- peer-…`, `peer-… [1, 2]`, `! …` for failed deliveries.
    private(set) var journal: [String] = []
    var name = "Tisch"
    /// Called for each message before it is recorded.
    var onMessage: ((String, Data) -> Void)?
    /// Called for each departed player, and at the end, before the journal records it.
    var onEnd: (() -> Void)?
    let outgoingPackets: AsyncStream<OutgoingPacket>
    private let packets: AsyncStream<OutgoingPacket>.Continuation

    init() {
        (outgoingPackets, packets) = AsyncStream.makeStream()
    }

    func say(_ packet: OutgoingPacket) { packets.yield(packet) }
    func note(_ line: String) { journal.append(line) }

    func startHostAdvertising() -> String {
        note("start")
        return name
    }
    func stopHostAdvertising() {
        onEnd?()
        note("stop")
    }
    func onPeerConnected(peerId: String, peerName: String) { note("+ \(peerId) \(peerName)") }
    func onPeerDisconnected(peerId: String) {
        onEnd?()
        note("- \(peerId)")
    }
    func onDataReceived(fromPeerId: String, data: Data) {
        onMessage?(fromPeerId, data)
        note("\(fromPeerId) \(Array(data.prefix(8)))")
    }
}

@MainActor
final class GameStage {
    let system: SimulatedSystem
    let brain = Brain()
    let manager: BLEHostManager
    let loop: MainLoop

    private init(_ system: SimulatedSystem, _ settings: BLEHostManager.Settings, _ loop: MainLoop) {
        self.system = system
        self.loop = loop
        manager = BLEHostManager(
            sdk: brain,
            settings: settings,
            host: BluetoothHost(mainLoop: loop, busAddress: system.busAddress)
        )
        manager.onDeliveryFailure = { [brain] packet, failure in
            brain.note("! \(packet.targetPeerId ?? "all") \(failure)")
        }
    }

    /// Plays with a host that has short time limits.
    static func play(
        _ kind: SimulatedBlueZVersion = .v5_86,
        _ change: (inout BLEHostManager.Settings, inout SimulatorOptions) -> Void = { _, _ in },
        starts: Bool = true,
        _ body: (GameStage) async throws -> Void
    ) async throws {
        var options = SimulatorOptions.accelerated(kind)
        var settings = BLEHostManager.Settings()
        settings.flushInterval = .milliseconds(5)
        change(&settings, &options)
        try await onSimulatedBlueZ(options) { system in
            let stage = GameStage(system, settings, MainLoop(threadName: "game host"))
            if starts {
                stage.manager.startAdvertising()
                try await TestSupport.wait { stage.manager.isAdvertising }
            }
            try await body(stage)
            stage.manager.stopAdvertising()
        }
    }

    func enter(_ number: Int, mtu: Int = 517) async throws -> TablePlayer {
        let player = TablePlayer(system, "C0:00:00:00:00:0\(number)")
        let address = player.address
        await system.perform { world in
            let central = SimulatedCentral(address: address)
            central.mtu = mtu
            world.add(central)
        }
        try await player.play([.connect])
        return player
    }

    /// Adds a player and waits until the host counts it.
    func join(_ number: Int, mtu: Int = 517) async throws -> TablePlayer {
        let count = manager.connectedPeerCount
        let player = try await enter(number, mtu: mtu)
        try await player.subscribe()
        // BlueZ before 5.70 reports only the first subscriber; the others become known by their requests.
        if manager.connectedPeerCount == count { _ = try await player.play([.read(notifying)]) }
        try await TestSupport.wait { self.manager.connectedPeerCount == count + 1 }
        player.id = manager.peerIds[count]
        return player
    }

    func wait(for line: String, count: Int = 1) async throws {
        try await TestSupport.wait {
            self.brain.journal.filter { $0.hasPrefix(line) }.count >= count
        }
    }
}

let writing = "12345678-1234-1234-1234-123456789ABD"
let notifying = "12345678-1234-1234-1234-123456789ABE"

@MainActor
final class TablePlayer {
    nonisolated let address: String
    /// The game's name for the player.
    var id = ""
    private let system: SimulatedSystem
    private var fragmenter = PacketFragmenter(mtu: 20)

    init(_ system: SimulatedSystem, _ address: String) {
        self.system = system
        self.address = address
    }

    /// Plays steps; throws the error of the first failed one.
    @discardableResult
    func play(_ steps: [CentralStep]) async throws -> CentralReport {
        let address = address
        let report = await withCheckedContinuation { continuation in
            Task {
                await system.perform { world in
                    world.central(address)?.play(steps) { continuation.resume(returning: $0) }
                }
            }
        }
        try report.check()
        return report
    }

    func subscribe() async throws { try await play([.subscribe(notifying)]) }

    /// Sends a message in fragments of 20 bytes.
    func send(_ message: [UInt8], _ way: CentralWrite = .withoutResponse) async throws {
        try await write(try fragmenter.fragment(Data(message)).map(Array.init), way)
    }

    /// Writes values without fragmenting them.
    func write(_ values: [[UInt8]], _ way: CentralWrite = .withoutResponse) async throws {
        try await play(values.map { .write(writing, $0, way) })
    }

    /// Waits for `count` messages and returns them reassembled.
    func messages(_ count: Int) async throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        try await TestSupport.wait {
            let reassembler = PacketReassembler()
            messages = await self.values().compactMap {
                reassembler.addFragment(Data($0)).map(Array.init)
            }
            return messages.count >= count
        }
        return messages
    }

    func values() async -> [[UInt8]] {
        let address = address
        return await system.read { $0.central(address)?.values(of: notifying) ?? [] } ?? []
    }

    func on(_ work: @escaping @Sendable (SimulatedCentral) -> Void) async {
        let address = address
        await system.perform { $0.central(address).map(work) }
    }
}
