import BluejaySimulator
import Foundation
import GameHost
import TestSupport
import Testing

/// Tests `MessageSender`.
@Suite("Messages of a game", .timeLimit(.minutes(15)))
@MainActor
struct PacketTests {
    @Test(
        "Thirty messages of several fragments arrive each way, with small and large MTUs",
        arguments: Machine.all
    )
    func longMessages(machine: Machine) async throws {
        try await machine.play { stage in
            let small = try await stage.join(1, mtu: 23)
            let large = try await stage.join(2)
            var received: [String: [[UInt8]]] = [:]
            stage.brain.onMessage = { received[$0, default: []].append(Array($1)) }
            let messages = (0..<30).map { number in
                (0..<(40 + number * 3)).map { UInt8(truncatingIfNeeded: $0 ^ number) }
            }
            for message in messages { stage.brain.say(.broadcast(Data(message))) }
            for player in [small, large] {
                for message in messages { try await player.send(message) }
            }
            #expect(try await small.messages(30) == messages)
            #expect(try await large.messages(30) == messages)
            try await wait { received.values.allSatisfy { $0.count == 30 } && received.count == 2 }
            #expect(received.values.allSatisfy { $0 == messages })
            // With individual delivery, the pieces fill the MTU of each player.
            let pieces = await large.values().count
            #expect(machine.kind == .v5_66 ? pieces > 90 : pieces == 30)
        }
    }

    @Test(
        "A single player can be addressed from BlueZ 5.76 on, or if it is the only one",
        arguments: Machine.all
    )
    func unicast(machine: Machine) async throws {
        try await machine.play { stage in
            let first = try await stage.join(1)
            stage.manager.sendData(Data([1]), to: first.id)
            #expect(try await first.messages(1) == [[1]])
            let second = try await stage.join(2)
            stage.manager.sendData(Data([2]), to: second.id)
            if machine.kind == .v5_66 {
                try await stage.wait(for: "! \(second.id)")
            } else {
                #expect(try await second.messages(1) == [[2]])
            }
            stage.brain.say(.broadcast(Data([3])))
            #expect(try await first.messages(2) == [[1], [3]])
            try await second.play([.disconnect])
            try await stage.wait(for: "- \(second.id)")
            await stage.manager.sendPacket(.unicast(first.id, Data([4])))
            if machine.kind != .v5_66 {
                // bluetoothd closes the first socket, regardless of its owner (BlueZ issue 1452), after a
                // moment.
                try await wait {
                    await stage.manager.sendPacket(.unicast(first.id, Data([4])))
                    return try await first.messages(0).contains([4])
                }
            }
            #expect(try await first.messages(3).prefix(3) == [[1], [3], [4]])
        }
    }

    @Test(
        "After a player leaves, the first one receives each broadcast once",
        arguments: [SimulatedBlueZVersion.v5_72, .v5_76, .v5_86]
    )
    func leavingPlayer(kind: SimulatedBlueZVersion) async throws {
        try await GameStage.play(kind) { stage in
            let first = try await stage.join(1)
            let second = try await stage.join(2)
            let third = try await stage.join(3)
            try await third.play([.disconnect])
            try await stage.wait(for: "- \(third.id)")
            // The socket closes after a moment.
            try await wait {
                await stage.manager.sendPacket(.unicast(first.id, Data([0])))
                return stage.brain.journal.contains {
                    $0.hasPrefix("! \(first.id) BlueZ cannot send the message to")
                }
            }
            for number: UInt8 in 1...20 {
                stage.brain.say(.broadcast(Data(repeating: number, count: 600)))
            }
            let all = (1...20).map { [UInt8](repeating: $0, count: 600) }
            try await wait { try await first.messages(0).filter { $0 != [0] }.count >= 20 }
            #expect(try await first.messages(0).filter { $0 != [0] } == all)
            #expect(try await second.messages(20) == all)
            if kind == .v5_86 {
                await stage.manager.sendPacket(.unicast(second.id, Data([21])))
                #expect(try await second.messages(21).last == [21])
            }
            try await second.play([.disconnect])
            try await stage.wait(for: "- \(second.id)")
            await stage.manager.sendPacket(.unicast(first.id, Data([22])))
            try await wait { try await first.messages(0).last == [22] }
        }
    }

    @Test("A message to an unknown player reaches no player")
    func unknown() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            stage.manager.sendData(Data([1]), to: "peer-00000000")
            try await stage.wait(for: "! peer-00000000")
            stage.brain.say(.broadcast(Data([2])))
            #expect(try await player.messages(1) == [[2]])
        }
    }

    @Test("A message that exceeds 255 fragments fails, and the next one is sent")
    func tooLarge() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1, mtu: 23)
            stage.manager.sendData(Data(count: 255 * 16 + 1), to: nil)
            try await stage.wait(
                for: "! \(player.id) the message has 4081 bytes, the limit is 4080"
            )
            stage.manager.sendData(Data(count: 255 * 16), to: nil)
            #expect(try await player.messages(1).first?.count == 4_080)
            #expect(await player.values().count == 255)
        }
    }

    @Test("Raw messages are sent and received as single values")
    func raw() async throws {
        try await GameStage.play(.v5_86, { settings, _ in settings.framing = .raw }) { stage in
            let player = try await stage.join(1, mtu: 23)
            stage.brain.say(.broadcast(Data([1, 2])))
            stage.brain.say(.broadcast(Data(count: 21)))
            stage.brain.say(.broadcast(Data([3])))
            try await stage.wait(for: "! \(player.id) the message has 21 bytes, the limit is 20")
            try await wait { await player.values() == [[1, 2], [3]] }
            try await player.write([[0], []])
            try await stage.wait(for: "\(player.id) []")
            try await stage.wait(for: "\(player.id) [0]")
        }
    }

    @Test("Empty messages are delivered in both directions")
    func empty() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            stage.brain.say(.broadcast(Data()))
            #expect(try await player.messages(1) == [[]])
            try await player.send([])
            try await stage.wait(for: "\(player.id) []")
        }
    }

    @Test("Malformed fragments are acknowledged and counted, and the game receives nothing")
    func malformed() async throws {
        try await GameStage.play { stage in
            let player = try await stage.join(1)
            try await player.write(
                [[], [1], [1, 2], [1, 2, 3], [0, 1, 0, 0], [0, 1, 9, 3, 7]],
                .withResponse
            )
            try await wait { stage.manager.statistics.fragments.malformed == 6 }
            #expect(stage.brain.journal.count == 2)
        }
    }

    @Test(
        "Messages with equal numbers from two players are not mixed, and end with their player"
    )
    func halves() async throws {
        try await GameStage.play { stage in
            let first = try await stage.join(1)
            let second = try await stage.join(2)
            try await first.write([[0, 9, 0, 2, 1]], .withResponse)
            try await second.write([[0, 9, 0, 2, 8], [0, 9, 1, 2, 9]], .withResponse)
            try await stage.wait(for: "\(second.id) [8, 9]")
            try await first.play([.disconnect])
            try await stage.wait(for: "- \(first.id)")
            try await first.play([.connect, .subscribe(notifying)])
            try await stage.wait(for: "+ \(first.id)", count: 2)
            try await first.write([[0, 9, 1, 2, 2]], .withResponse)
            try await first.write([[0, 10, 0, 1, 5]], .withResponse)
            try await stage.wait(for: "\(first.id) [5]")
            #expect(!stage.brain.journal.contains("\(first.id) [1, 2]"))
        }
    }

    @Test(
        "A player that does not read does not block the others",
        arguments: Machine.all
    )
    func neverReads(machine: Machine) async throws {
        try await machine.play { stage in
            let deaf = try await stage.join(1)
            let other = try await stage.join(2)
            await deaf.on { $0.takesValues = false }
            for number in UInt8(0)..<200 {
                await stage.manager.sendPacket(.broadcast(Data([number] + Data(count: 400))))
            }
            #expect(try await other.messages(200).map { $0[0] } == (0..<200).map { UInt8($0) })
        }
    }

    @Test(
        "Messages that a suspended bluetoothd does not accept fail, and the others arrive in order"
    )
    func standsStill() async throws {
        try await GameStage.play(.v5_86, { settings, _ in settings.maximumQueuedBytes = 100_000 }) {
            stage in
            let player = try await stage.join(1)
            await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(3_600))) }
            for number in 0..<2_000 {
                let header = [UInt8(number >> 8), UInt8(number & 0xFF)]
                await stage.manager.sendPacket(.broadcast(Data(header + Data(count: 400))))
            }
            let refused = { stage.brain.journal.filter { $0.hasPrefix("! \(player.id)") }.count }
            try await wait { refused() > 0 }
            await stage.system.perform { $0.apply(.daemonResumed) }
            try await wait { await player.values().count + refused() == 2_000 }
            let heard = try await player.messages(1).map { Int($0[0]) << 8 | Int($0[1]) }
            #expect(heard == heard.sorted() && Set(heard).count == heard.count)
            #expect(heard.count < 1_000)
        }
    }

    @Test("A player that writes 10,000 times does not block another one")
    func writesOften() async throws {
        try await GameStage.play { stage in
            let fast = try await stage.join(1)
            let other = try await stage.join(2)
            try await fast.play([
                .repeat([.write(writing, [0, 1, 0, 1, 7], .withoutResponse)], times: 10_000)
            ])
            try await other.send([9])
            try await stage.wait(for: "\(other.id) [9]")
            try await wait {
                let heard = stage.brain.journal.filter { $0 == "\(fast.id) [7]" }.count
                return heard + stage.manager.statistics.unreadMessageCount == 10_000
            }
        }
    }

    @Test("Broadcasts before the start of the host have no effect on later messages")
    func early() async throws {
        try await GameStage.play(starts: false) { stage in
            stage.brain.say(.broadcast(Data([1])))
            stage.manager.sendData(Data([2]), to: "peer-00000000")
            try await stage.wait(for: "! peer-00000000")
            stage.manager.startAdvertising()
            try await wait { stage.manager.isAdvertising }
            let player = try await stage.join(1)
            stage.brain.say(.broadcast(Data([3])))
            // The first message may arrive late and reach the player, too.
            try await wait { try await player.messages(1).last == [3] }
        }
    }
}
