import TestSupport
import TestTraits
import Testing

@testable import GameHost

@Suite("The roster of players")
struct RosterStateMachineTests {
    private typealias Roster = RosterStateMachine<Int>

    private func roster(_ maximumPeers: Int = 8) -> Roster {
        RosterStateMachine(maximumPeers: maximumPeers, window: .seconds(30)) { UInt32($0) }
    }

    @Test("A central that subscribes joins once")
    func joins() {
        var roster = roster()
        #expect(
            roster.subscribed(7, at: .zero)
                == [.playerJoined(7, id: "peer-00000007", number: 1)]
        )
        #expect(roster.subscribed(7, at: .zero).isEmpty)
        #expect(
            roster.subscribed(9, at: .zero)
                == [.playerJoined(9, id: "peer-00000009", number: 2)]
        )
    }

    @Test("A number is free again after the window of its player")
    func numbers() {
        var roster = roster()
        for central in [1, 2, 3] { _ = roster.subscribed(central, at: .zero) }
        #expect(roster.disconnected(1, at: .seconds(1)) == [.playerLeft(1, id: "peer-00000001")])
        #expect(
            roster.subscribed(4, at: .seconds(2))
                == [.playerJoined(4, id: "peer-00000004", number: 4)]
        )
        #expect(
            roster.subscribed(5, at: .seconds(31))
                == [.playerJoined(5, id: "peer-00000005", number: 1)]
        )
    }

    @Test("A player that returns within the window keeps its id and number, and is new afterwards")
    func window() {
        var roster = roster()
        for central in [1, 2] { _ = roster.subscribed(central, at: .zero) }
        _ = roster.disconnected(2, at: .seconds(10))
        #expect(
            roster.subscribed(2, at: .seconds(39))
                == [.playerJoined(2, id: "peer-00000002", number: 2)]
        )
        _ = roster.disconnected(1, at: .seconds(40))
        _ = roster.subscribed(3, at: .seconds(70))
        #expect(roster.player(3)?.number == 1)
    }

    @Test("An id in use is skipped")
    func taken() {
        var roster = RosterStateMachine<Int>(maximumPeers: 8, window: .seconds(30)) { _ in .max }
        for central in [1, 2] { _ = roster.subscribed(central, at: .zero) }
        #expect(roster.players.map(\.id) == ["peer-ffffffff", "peer-00000000"])
    }

    @Test(
        "A player that unsubscribes stays, and a new subscription does not join again"
    )
    func mute() {
        var roster = roster()
        for central in [1, 2] { _ = roster.subscribed(central, at: .zero) }
        roster.unsubscribed(1)
        #expect(roster.players.map(\.isUnsubscribed) == [true, false])
        #expect(roster.subscribed(1, at: .zero).isEmpty)
        #expect(roster.players.map(\.isUnsubscribed) == [false, false])
    }

    @Test("A player considered lost returns with its own subscription, and not with another one")
    func lost() {
        var roster = roster()
        _ = roster.subscribed(1, at: .zero)
        #expect(roster.lost(1, at: .zero) == [.playerLeft(1, id: "peer-00000001")])
        #expect(
            roster.subscribed(2, at: .zero)
                == [.playerJoined(2, id: "peer-00000002", number: 2)]
        )
        #expect(
            roster.subscribed(1, at: .zero) == [.playerJoined(1, id: "peer-00000001", number: 1)]
        )
        #expect(roster.subscribed(1, at: .zero).isEmpty)
    }

    @Test("If only the first subscriber is reported, the others join when they use the service")
    func first() {
        var roster = roster()
        _ = roster.subscribed(1, at: .zero)
        #expect(
            roster.attributeAccessed(by: 2, at: .zero) == [
                .playerJoined(2, id: "peer-00000002", number: 2)
            ]
        )
        #expect(roster.attributeAccessed(by: 2, at: .zero).isEmpty)
        #expect(
            roster.allLeft(at: .zero)
                == [.playerLeft(1, id: "peer-00000001"), .playerLeft(2, id: "peer-00000002")]
        )
    }

    @Test("A waiting central gets the first free place")
    func places() {
        var roster = roster(2)
        #expect(
            [1, 2, 3, 4].flatMap { roster.subscribed($0, at: .zero) }.count == 2
        )
        #expect(
            roster.disconnected(1, at: .zero)
                == [
                    .playerLeft(1, id: "peer-00000001"),
                    .playerJoined(3, id: "peer-00000003", number: 3),
                ]
        )
        roster.unsubscribed(4)
        #expect(roster.disconnected(2, at: .zero) == [.playerLeft(2, id: "peer-00000002")])
    }

    @Test("A central whose address pairing has changed is the same player")
    func identified() {
        var roster = roster()
        _ = roster.subscribed(1, at: .zero)
        roster.identified(1, as: 9)
        #expect(roster.subscribed(9, at: .zero).isEmpty)
        #expect(roster.disconnected(9, at: .zero) == [.playerLeft(9, id: "peer-00000001")])
    }

    @Test(
        "In random sequences, players join once, each departure is reported, and names are unique",
        .computing
    )
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var dice = SeededGenerator(seed: seed)
        var roster = RosterStateMachine<Int>(maximumPeers: 5, window: .seconds(30)) {
            UInt32($0 % 3)
        }
        var present: [Int: (id: String, number: Int)] = [:]
        var old: [Int: (id: String, number: Int, end: Duration)] = [:]
        var time = Duration.zero
        for _ in 0..<20_000 {
            time += .seconds(Int.random(in: 0...8, using: &dice))
            let central = Int.random(in: 0..<9, using: &dice)
            let actions: [RosterStateMachine<Int>.Action]
            switch dice.next() % 8 {
            case 0...2:
                let some = (0..<9).filter { _ in dice.next() % 3 == 0 }
                roster.unsubscribed(central)
                actions = some.flatMap { roster.subscribed($0, at: time) }
            case 3: actions = roster.attributeAccessed(by: central, at: time)
            case 4:
                actions =
                    dice.next() % 2 == 0
                    ? roster.subscribed(central, at: time) : roster.lost(central, at: time)
            case 5, 6: actions = roster.disconnected(central, at: time)
            default:
                actions = dice.next() % 10 == 0 ? roster.allLeft(at: time) : []
            }
            for action in actions {
                switch action {
                case .playerJoined(let central, let id, let number):
                    #expect(present[central] == nil, "seed \(seed)")
                    if let known = old.removeValue(forKey: central), known.end > time {
                        #expect(known.id == id && known.number == number, "seed \(seed)")
                    }
                    present[central] = (id, number)
                case .playerLeft(let central, let id):
                    #expect(present[central]?.id == id, "seed \(seed)")
                    guard let player = present.removeValue(forKey: central) else { continue }
                    old[central] = (player.id, player.number, time + .seconds(30))
                }
            }
            #expect(Set(present.values.map(\.id)).count == present.count, "seed \(seed)")
            #expect(Set(present.values.map(\.number)).count == present.count, "seed \(seed)")
            #expect(present.count <= 5 && roster.players.count == present.count, "seed \(seed)")
        }
    }
}
