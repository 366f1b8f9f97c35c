import BluejayGLib
import Foundation
import GameHost
import Staging
import TestSupport
import Testing

@Suite("A game with several players", .timeLimit(.minutes(15)))
@MainActor
struct GameCrowdScenarios {
    @Test(
        "Two players exchange thirty messages each way while players drop, return, leave and join"
    )
    nonisolated func game() async throws {
        try await withTestbed(on: .multiplePeers) { context in try await Self.play(context) }
    }

    @Test(
        "The game continues after a power cycle and after a killed bluetoothd",
        arguments: ["off", "killed"]
    )
    nonisolated func goes(way: String) async throws {
        try await withTestbed(variant: way, on: .multiplePeers) { context in
            try await Self.goOn(context, way)
        }
    }

    private static func play(_ context: ScenarioContext) async throws {
        let game = AirGame(context)
        try await game.open()
        // Only bumble's air has small values here; separate tests cover them in the simulated one.
        let first = try await game.join("First", mtu: isRealBlueZ ? 23 : 517)
        let second = try await game.join("Second", mtu: 517)
        let messages = (UInt8(0)..<30).map { number in [number] + [UInt8](repeating: 7, count: 60) }
        for message in messages { game.brain.say(.broadcast(Data(message))) }
        for player in [first, second] {
            for message in messages { try await player.send(message) }
        }
        for player in [first, second] { #expect(try await player.messages(30) == messages) }
        try await wait { game.received.values.map(\.count) == [30, 30] }
        #expect(game.received.values.allSatisfy { $0 == messages })
        // Before BlueZ 5.76, one of two players cannot be addressed individually.
        game.manager.sendData(Data([1]), to: first.id)
        try await wait { game.brain.journal.contains { $0.hasPrefix("! \(first.id)") } }
        try await second.drop()
        try await wait { game.brain.journal.last == "- \(second.id)" }
        // A single player can be.
        game.manager.sendData(Data([2]), to: first.id)
        #expect(try await first.messages(31).last == [2])
        try await second.enter(mtu: 517)
        try await wait { game.brain.journal.last == "+ \(second.id) Player 2" }
        try await first.central.disconnect()
        try await wait { game.brain.journal.last == "- \(first.id)" }
        let third = try await game.join("Third", mtu: 517)
        #expect(game.brain.journal.last == "+ \(third.id) Player 3")
        game.brain.say(.broadcast(Data([3])))
        #expect(try await second.messages(31).last == [3])
        #expect(try await third.messages(1) == [[3]])
        await game.close()
    }

    private static func goOn(_ context: ScenarioContext, _ way: String) async throws {
        let game = AirGame(context)
        try await game.open()
        let player = try await game.join("First", mtu: 517)
        if way == "off" {
            try await context.testbed.setPowered(false)
        } else {
            try await context.testbed.endDaemon(politely: false)
        }
        try await wait {
            game.brain.journal.last == "- \(player.id)" && !game.manager.isAdvertising
        }
        if way == "off" {
            try await context.testbed.setPowered(true)
        } else {
            try await context.testbed.startDaemon()
        }
        try await wait { game.manager.isAdvertising }
        #expect(game.brain.journal.filter { $0 == "start" }.count == 1)
        try await wait { try await !player.central.isConnected() }
        try await player.enter(mtu: 517)
        try await wait { game.brain.journal.last == "+ \(player.id) Player 1" }
        game.brain.say(.broadcast(Data([4])))
        #expect(try await player.messages(1).last == [4])
        await game.close()
    }
}

@MainActor
private final class AirGame {
    let brain = Brain()
    let manager: BLEHostManager
    private(set) var received: [String: [[UInt8]]] = [:]
    private let context: ScenarioContext

    init(_ context: ScenarioContext) {
        self.context = context
        let host = BluetoothHost(
            mainLoop: MainLoop(threadName: "game host"),
            adapter: "hci0",
            busAddress: context.testbed.busAddress
        )
        var settings = BLEHostManager.Settings()
        // On a busy machine more than 30 s may pass before the third player joins.
        settings.reconnectionWindow = .seconds(600)
        manager = BLEHostManager(sdk: brain, settings: settings, host: host)
        brain.onMessage = { [weak self] id, data in
            self?.received[id, default: []].append(Array(data))
        }
        manager.onDeliveryFailure = { [brain] packet, failure in
            brain.note("! \(packet.targetPeerId ?? "all") \(failure)")
        }
    }

    func open() async throws {
        manager.startAdvertising()
        try await wait { self.manager.isAdvertising }
    }

    func close() async {
        manager.stopAdvertising()
        // This returns after bluetoothd has released the service.
        await manager.sendPacket(.broadcast(Data()))
    }

    func join(_ name: String, mtu: Int) async throws -> AirPlayer {
        let player = AirPlayer(try await context.testbed.addCentral(named: name))
        let count = manager.connectedPeerCount
        try await player.enter(mtu: mtu)
        try await wait { self.manager.connectedPeerCount == count + 1 }
        player.id = manager.peerIds[count]
        return player
    }
}

@MainActor
private final class AirPlayer {
    nonisolated let central: any TestbedCentral
    var id = ""
    private var fragmenter = PacketFragmenter()

    init(_ central: any TestbedCentral) { self.central = central }

    /// Connects and joins.
    ///
    /// Where BlueZ reports only the first subscriber, the read reveals the others.
    func enter(mtu: Int) async throws {
        try await central.connect(mtu: mtu)
        try await central.discover(BLEConstants.serviceUUID.uuidString)
        try await central.subscribe(to: notifying)
        _ = try await central.read(notifying)
    }

    func send(_ message: [UInt8]) async throws {
        for fragment in try fragmenter.fragment(Data(message)) {
            try await central.write(Array(fragment), to: writing, isAnswered: true)
        }
    }

    /// Drops the link abruptly where the testbed can restore it, otherwise leaves properly.
    func drop() async throws {
        if isRealBlueZ { try await central.loseLink() } else { try await central.disconnect() }
    }

    /// Waits for `count` messages and returns them reassembled.
    func messages(_ count: Int) async throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var values = 0
        while messages.count < count {
            values = max(values + 1, count)
            let reassembler = PacketReassembler()
            let came = try await central.values(of: notifying, atLeast: values)
            values = came.count
            messages = came.compactMap { reassembler.addFragment(Data($0)).map(Array.init) }
        }
        return messages
    }
}
