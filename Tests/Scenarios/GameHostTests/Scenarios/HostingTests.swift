import BluejaySimulator
import Foundation
import GameHost
import Staging
import TestSupport
import Testing

struct Machine: Sendable, CustomTestStringConvertible {
    let kind: SimulatedBlueZVersion
    let isExtended: Bool
    var testDescription: String { "BlueZ \(kind.rawValue), \(isExtended ? "extended" : "legacy")" }

    static let all = [SimulatedBlueZVersion.v5_66, .v5_76, .v5_86].flatMap { kind in
        [false, true].map { Machine(kind: kind, isExtended: $0) }
    }

    @MainActor
    func play(
        _ change: (inout BLEHostManager.Settings, inout SimulatorOptions) -> Void = { _, _ in },
        _ body: (GameStage) async throws -> Void
    ) async throws {
        try await GameStage.play(
            kind,
            { settings, options in
                options.controller = isExtended ? .extended : .legacy
                change(&settings, &options)
            },
            body
        )
    }
}

/// Tests `HostServer` and `PlayerRegistry`.
@Suite("A host and its players", .timeLimit(.minutes(15)))
@MainActor
struct HostingTests {
    @Test(
        "Players join an advertising host, send and receive messages, and leave",
        arguments: Machine.all
    )
    func game(machine: Machine) async throws {
        try await machine.play { stage in
            #expect(stage.manager.state == .advertising(name: "Tisch"))
            let first = try await stage.join(1)
            let second = try await stage.join(2)
            #expect(stage.manager.connectedPeerCount == 2)
            #expect(first.id != second.id)
            for (number, player) in [first, second].enumerated() {
                try await player.send(
                    [UInt8(number), 7],
                    number == 0 ? .withResponse : .withoutResponse
                )
                try await stage.wait(for: "\(player.id) [\(number), 7]")
            }
            for value in UInt8(1)...3 { stage.brain.say(.broadcast(Data([value]))) }
            #expect(try await first.messages(3) == [[1], [2], [3]])
            #expect(try await second.messages(3) == [[1], [2], [3]])
            try await first.play([.disconnect])
            try await stage.wait(for: "- \(first.id)")
            #expect(stage.manager.peerIds == [second.id])
            let third = try await stage.join(3)
            stage.brain.say(.broadcast(Data([4])))
            #expect(try await second.messages(4).last == [4])
            #expect(try await third.messages(1) == [[4]])
            #expect(
                stage.brain.journal.filter { $0.hasPrefix("+") } == [
                    "+ \(first.id) Player 1", "+ \(second.id) Player 2", "+ \(third.id) Player 3",
                ]
            )
        }
    }

    @Test(
        "The service has both characteristics with their properties, and its name is advertised"
    )
    func published() async throws {
        try await GameStage.play { stage in
            let player = try await stage.enter(1)
            #expect(try await player.play([.read(notifying)]).reads == [[]])
            await #expect(throws: CentralError.refused(0x02)) {
                try await player.play([.read(writing)])
            }
            await #expect(throws: CentralError.refused(0x03)) {
                try await player.play([.write(notifying, [1])])
            }
        }
    }

    @Test("A name of 200 characters is truncated between two characters")
    func longName() async throws {
        try await GameStage.play(starts: false) { stage in
            stage.brain.name = String(repeating: "ä", count: 200)
            stage.manager.startAdvertising()
            try await wait { stage.manager.isAdvertising }
            #expect(
                stage.manager.state == .advertising(name: String(repeating: "ä", count: 14))
            )
        }
    }

    @Test("A stop reports each player and the end once, and a new start begins another game")
    func again() async throws {
        try await GameStage.play { stage in
            let first = try await stage.join(1)
            stage.manager.stopAdvertising()
            #expect(!stage.manager.isAdvertising && stage.manager.state == .idle)
            stage.manager.stopAdvertising()
            #expect(
                stage.brain.journal == ["start", "+ \(first.id) Player 1", "- \(first.id)", "stop"]
            )
            stage.manager.startAdvertising()
            stage.manager.startAdvertising()
            try await wait { stage.manager.isAdvertising }
            try await first.play([.disconnect])
            try await first.play([.connect, .subscribe(notifying)])
            try await stage.wait(for: "+", count: 2)
            #expect(stage.brain.journal.filter { $0 == "start" }.count == 2)
            // The second session also receives the game's messages.
            stage.brain.say(.broadcast(Data([9])))
            #expect(try await first.messages(1) == [[9]])
        }
    }

    @Test("A message queued at the end of a game does not block the next game")
    func endsWithAMessage() async throws {
        try await GameStage.play { stage in
            let first = try await stage.join(1)
            stage.manager.sendData(Data([1]), to: nil)
            stage.manager.stopAdvertising()
            stage.manager.startAdvertising()
            try await wait { stage.manager.isAdvertising }
            try await first.play([.disconnect, .connect, .subscribe(notifying)])
            try await stage.wait(for: "+", count: 2)
            stage.manager.sendData(Data([2]), to: nil)
            #expect(try await first.messages(1) == [[2]])
        }
    }

    @Test("A stop and start inside a message callback begin a new game")
    func stopsInside() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            stage.brain.onMessage = { _, _ in
                stage.manager.stopAdvertising()
                stage.manager.startAdvertising()
            }
            try await player.send([1])
            try await stage.wait(for: "start", count: 2)
            try await wait { stage.manager.isAdvertising }
            #expect(stage.manager.connectedPeerCount == 0)
        }
    }

    @Test("Events of an ended session are not reported")
    func late() async throws {
        try await GameStage.play(starts: false) { stage in
            var states: [HostState] = []
            let changes = stage.manager.changes
            let reader = Task { @MainActor in for await state in changes { states.append(state) } }
            stage.manager.startAdvertising()
            stage.manager.stopAdvertising()
            stage.manager.startAdvertising()
            try await wait { states.last == .advertising(name: "Tisch") }
            #expect(states.filter { $0 == .idle }.count == 1)
            #expect(stage.brain.journal == ["start"])
            reader.cancel()
        }
    }

    @Test("A start inside the callbacks of the end begins one new session")
    func startsInside() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            stage.brain.onEnd = { stage.manager.startAdvertising() }
            stage.manager.stopAdvertising()
            #expect(stage.brain.journal.suffix(2) == ["- \(player.id)", "stop"])
            try await stage.wait(for: "start", count: 2)
            try await wait { stage.manager.isAdvertising }
            #expect(stage.brain.journal.filter { $0 == "stop" }.count == 1)
            stage.brain.onEnd = nil
        }
    }

    @Test("A name that cannot be advertised is reported as a failure")
    func badName() async throws {
        try await GameStage.play(starts: false) { stage in
            stage.brain.name = "a\u{0}b"
            stage.manager.startAdvertising()
            try await wait { if case .failed = stage.manager.state { true } else { false } }
            stage.manager.stopAdvertising()
            #expect(stage.brain.journal == ["start", "stop"])
        }
    }

    @Test("A host without a name is found by its service")
    func noName() async throws {
        try await GameStage.play(starts: false) { stage in
            stage.brain.name = ""
            stage.manager.startAdvertising()
            _ = try await stage.join(1)
            #expect(stage.manager.state == .advertising(name: ""))
        }
    }

    @Test("A player that returns within the window gets its id and name back")
    func window() async throws {
        try await GameStage.play { stage in
            let first = try await stage.join(1)
            _ = try await stage.join(2)
            try await first.play([.loseLink])
            try await stage.wait(for: "- \(first.id)")
            let third = try await stage.join(3)
            try await stage.wait(for: "+ \(third.id) Player 3")
            try await first.play([.connect, .subscribe(notifying)])
            try await stage.wait(for: "+ \(first.id) Player 1", count: 2)
        }
    }

    @Test("A player that returns after the window is a new one")
    func behindWindow() async throws {
        try await GameStage.play(.v5_86, { settings, _ in settings.reconnectionWindow = .zero }) {
            stage in
            let first = try await stage.join(1)
            _ = try await stage.join(2)
            try await first.play([.disconnect])
            try await stage.wait(for: "- \(first.id)")
            let third = try await stage.join(3)
            try await stage.wait(for: "+ \(third.id) Player 1")
            try await first.play([.connect, .subscribe(notifying)])
            try await stage.wait(for: "+ \(first.id) Player 3")
        }
    }

    @Test("A repeated subscription is not reported, and an unsubscribed player cannot receive")
    func mute() async throws {
        try await GameStage.play { stage in
            let first = try await stage.join(1)
            let second = try await stage.join(2)
            try await first.subscribe()
            try await first.play([.unsubscribe(notifying)])
            try await wait {
                stage.manager.sendData(Data([1]), to: first.id)
                return stage.brain.journal.contains { $0.hasPrefix("! \(first.id)") }
            }
            #expect(stage.manager.connectedPeerCount == 2)
            try await first.send([5])
            try await stage.wait(for: "\(first.id) [5]")
            try await first.subscribe()
            let heard = await first.values().count
            try await wait {
                stage.manager.sendData(Data([2]), to: first.id)
                return await first.values().count > heard
            }
            #expect(await second.values().isEmpty)
            #expect(stage.brain.journal.filter { $0.hasPrefix("+") }.count == 2)
        }
    }

    @Test(
        "All players leave when a BlueZ without individual reports signals the last unsubscription"
    )
    func lastSubscription() async throws {
        try await GameStage.play(.v5_66) { stage in
            let first = try await stage.join(1)
            let second = try await stage.join(2)
            try await first.play([.unsubscribe(notifying)])
            #expect(stage.manager.connectedPeerCount == 2)
            try await second.play([.unsubscribe(notifying)])
            try await stage.wait(for: "- ", count: 2)
        }
    }

    @Test("Before BlueZ 5.70 a write of a central is stray while no central is subscribed")
    func stray() async throws {
        try await GameStage.play(.v5_66) { stage in
            let player = try await stage.enter(1)
            try await player.send([1], .withResponse)
            try await wait { stage.manager.statistics.strayWriteCount == 1 }
            #expect(stage.brain.journal == ["start"])
        }
    }

    @Test(
        "From BlueZ 5.70 on a write of an unsubscribed central is acknowledged and counted as stray"
    )
    func strayBeside() async throws {
        try await GameStage.play { stage in
            _ = try await stage.join(1)
            let other = try await stage.enter(2)
            try await other.send([1], .withResponse)
            try await wait { stage.manager.statistics.strayWriteCount == 1 }
            #expect(stage.manager.connectedPeerCount == 1)
        }
    }

    @Test("A player above the limit waits until another one leaves")
    func places() async throws {
        try await GameStage.play(.v5_86, { settings, _ in settings.maximumPeers = 2 }) { stage in
            let first = try await stage.join(1)
            _ = try await stage.join(2)
            let third = try await stage.enter(3)
            try await third.subscribe()
            try await third.send([3], .withResponse)
            try await wait { stage.manager.statistics.strayWriteCount == 1 }
            try await first.play([.disconnect])
            try await stage.wait(for: "+", count: 3)
            try await third.send([4])
            try await wait { stage.brain.journal.last?.hasSuffix("[4]") ?? false }
        }
    }

    @Test("A player that the app considers lost leaves, and returns with its next subscription")
    func takenForLost() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            let central = try #require(stage.manager.central(of: player.id))
            #expect(central.maximumUpdateValueLength == 512)
            #expect(stage.manager.peerId(of: central) == player.id)
            stage.manager.handleConnectionLoss(for: central)
            try await stage.wait(for: "- \(player.id)")
            stage.manager.handleConnectionLoss(for: central)
            // Returns after the loss was handled; the packet has no recipient.
            await stage.manager.sendPacket(.broadcast(Data([1])))
            try await player.play([.unsubscribe(notifying), .subscribe(notifying)])
            try await stage.wait(for: "+ \(player.id)", count: 2)
            #expect(stage.brain.journal.filter { $0.hasPrefix("-") }.count == 1)
        }
    }

    @Test("The quality is the one that the app sets, and a latency cannot be requested")
    func quality() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            let central = try #require(stage.manager.central(of: player.id))
            #expect(stage.manager.connectionQuality(of: player.id) == nil)
            stage.manager.updateConnectionQuality(for: central, rssi: -60)
            #expect(stage.manager.connectionQuality(of: player.id) == .good)
            stage.manager.updateConnectionQuality(for: central, rssi: 127)
            #expect(stage.manager.connectionQuality(of: player.id) == .good)
            #expect(!stage.manager.setDesiredConnectionLatency(.low, for: central))
            try await player.play([.disconnect])
            try await stage.wait(for: "-")
            #expect(stage.manager.connectionQuality(of: player.id) == nil)
        }
    }

    @Test("The goodbye packet is delivered before the host stops", arguments: [true, false])
    func goodbye(isSaid: Bool) async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            if isSaid { stage.manager.setGoodbyePacket { .broadcast(Data([0xFF])) } }
            stage.manager.disconnectGracefully()
            stage.manager.disconnectGracefully()
            try await stage.wait(for: "stop")
            if isSaid { #expect(try await player.messages(1) == [[0xFF]]) }
            #expect(stage.manager.state == .idle)
            #expect(stage.brain.journal.suffix(2) == ["- \(player.id)", "stop"])
        }
    }

    @Test("The example of the page hosts a game, says goodbye and stops")
    func page() async throws {
        try await onSimulatedBlueZ { system in
            let brain = Brain()
            let player = TablePlayer(system, "C0:00:00:00:00:01")
            await system.perform { $0.add(SimulatedCentral(address: "C0:00:00:00:00:01")) }
            let place = BluetoothHost(
                mainLoop: MainLoop(threadName: "game host"),
                busAddress: system.busAddress
            )
            await host(
                brain,
                until: {
                    _ = try? await player.play([.connect, .subscribe(notifying)])
                    try? await wait { brain.journal.contains { $0.hasPrefix("+") } }
                },
                at: place
            )
            let heard = try await player.messages(1)
            #expect(heard == [Array("goodbye".utf8)])
            #expect(brain.journal.last == "stop")
        }
    }

    @Test("A released host stops advertising without an explicit stop")
    func letGo() async throws {
        try await onSimulatedBlueZ(SimulatorOptions()) { system in
            let brain = Brain()
            let loop = MainLoop(threadName: "game host")
            do {
                let host = BluetoothHost(mainLoop: loop, busAddress: system.busAddress)
                let manager = BLEHostManager(sdk: brain, host: host)
                manager.startAdvertising()
                try await wait { manager.isAdvertising }
            }
            let player = TablePlayer(system, "C0:00:00:00:00:01")
            await system.perform { $0.add(SimulatedCentral(address: "C0:00:00:00:00:01")) }
            try await wait {
                do {
                    try await player.play([.connectTo(adapter: nil, within: .milliseconds(50))])
                    try await player.play([.disconnect])
                    return false
                } catch { return true }
            }
        }
    }
}
