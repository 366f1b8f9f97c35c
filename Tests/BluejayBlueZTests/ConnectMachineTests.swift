import TestSupport
import Testing

@testable import BluejayBlueZ

extension ConnectMachine {
    /// `Connect` is pending since 0.
    fileprivate static func connecting() -> ConnectMachine {
        var machine = ConnectMachine()
        _ = machine.start(known: true, connected: false, resolved: false, now: .zero)
        return machine
    }

    /// The link is up since 1 s.
    fileprivate static func resolving() -> ConnectMachine {
        var machine = connecting()
        _ = machine.connected(true, now: .seconds(1))
        return machine
    }
}

@Suite("A connection attempt")
struct ConnectMachineTests {
    @Test("It is up when the services are resolved and all objects are read, not before")
    func success() {
        var machine = ConnectMachine()
        #expect(
            machine.start(known: true, connected: false, resolved: false, now: .zero)
                == [.setTimer(nil), .callConnect]
        )
        #expect(machine.connected(true, now: .seconds(1)) == [.setTimer(.seconds(46))])
        #expect(machine.replied(.accepted, now: .seconds(1)) == [])
        #expect(machine.resolved() == [.setTimer(nil), .refreshObjects])
        #expect(
            machine.refreshed(hasServices: true, now: .seconds(2))
                == [.setTimer(nil), .finish(.connected)]
        )
    }

    @Test("A device that nobody has seen is looked for first")
    func discovers() {
        var machine = ConnectMachine()
        #expect(
            machine.start(known: false, connected: false, resolved: false, now: .zero)
                == [.setTimer(nil), .discover]
        )
        #expect(
            machine.appeared(now: .seconds(3)) == [.endDiscovery, .setTimer(nil), .callConnect]
        )
    }

    @Test("A link that is there is taken over without calling Connect")
    func adopts() {
        var machine = ConnectMachine()
        #expect(
            machine.start(known: true, connected: true, resolved: true, now: .zero)
                == [.setTimer(nil), .refreshObjects]
        )
    }

    @Test("Success without a link counts as a failed attempt after a second")
    func emptySuccess() {
        var machine = ConnectMachine.connecting()
        #expect(
            machine.replied(.accepted, now: .seconds(1)) == [
                .setTimer(.seconds(2)), .refreshObjects,
            ]
        )
        #expect(machine.timerFired(now: .seconds(2)) == [.setTimer(.milliseconds(2250))])
        #expect(machine.timerFired(now: .milliseconds(2250)) == [.setTimer(nil), .callConnect])
    }

    @Test("Three quick failures end it")
    func threeFailures() {
        var machine = ConnectMachine.connecting()
        #expect(machine.replied(.broken("x"), now: .seconds(1)) == [.setTimer(.milliseconds(1250))])
        _ = machine.timerFired(now: .milliseconds(1250))
        #expect(machine.replied(.broken("x"), now: .seconds(2)) == [.setTimer(.milliseconds(2500))])
        _ = machine.timerFired(now: .milliseconds(2500))
        #expect(
            machine.replied(.broken("x"), now: .seconds(3))
                == [.setTimer(nil), .finish(.failed("x"))]
        )
    }

    @Test("A silent peer is tried again without end")
    func silentPeer() {
        var machine = ConnectMachine.connecting()
        for attempt in 0..<20 {
            let begun = Duration.seconds(50 * attempt)
            #expect(
                machine.replied(.broken("abort"), now: begun + .seconds(41))
                    == [.setTimer(begun + .seconds(41) + .milliseconds(250))]
            )
            #expect(
                machine.timerFired(now: begun + .seconds(50)) == [.setTimer(nil), .callConnect]
            )
        }
    }

    @Test("A Connect of somebody else is ended before the next attempt")
    func busy() {
        var machine = ConnectMachine.connecting()
        #expect(machine.replied(.busy, now: .seconds(1)) == [.setTimer(nil), .callDisconnect])
        #expect(
            machine.disconnectReplied(now: .seconds(1)) == [.setTimer(.milliseconds(1250))]
        )
    }

    @Test("A link that breaks before its services are known is tried again")
    func breaksEarly() {
        var machine = ConnectMachine.resolving()
        #expect(machine.connected(false, now: .seconds(2)) == [.setTimer(.milliseconds(2250))])
    }

    @Test("Missing objects are read once more after 200 ms")
    func missingObjects() {
        var machine = ConnectMachine.resolving()
        _ = machine.resolved()
        #expect(
            machine.refreshed(hasServices: false, now: .seconds(2))
                == [.setTimer(.milliseconds(2200))]
        )
        #expect(machine.timerFired(now: .milliseconds(2200)) == [.setTimer(nil), .refreshObjects])
        #expect(
            machine.refreshed(hasServices: false, now: .seconds(3))
                == [.setTimer(nil), .finish(.connected)]
        )
    }

    @Test("Giving up takes the pending Connect back before it ends")
    func abandon() {
        var machine = ConnectMachine.connecting()
        #expect(machine.abandon() == [.setTimer(nil), .callDisconnect])
        #expect(machine.replied(.broken("br-connection-canceled"), now: .seconds(1)) == [])
        #expect(
            machine.disconnectReplied(now: .seconds(1)) == [.setTimer(nil), .finish(.abandoned)]
        )
    }

    @Test("After start exactly one end comes, whatever happens", arguments: 0..<300)
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = ConnectMachine()
        var actions = machine.start(
            known: Bool.random(using: &random),
            connected: Bool.random(using: &random),
            resolved: Bool.random(using: &random),
            now: .zero
        )
        for second in 1...100 {
            actions += step(&machine, .seconds(second), &random)
        }
        actions += machine.abandon()
        actions += machine.disconnectReplied(now: .seconds(200))
        let ends = actions.filter { if case .finish = $0 { true } else { false } }
        #expect(ends.count == 1, "seed \(seed): \(actions)")
        let searches = actions.filter { $0 == .discover }.count
        #expect(searches == actions.filter { $0 == .endDiscovery }.count, "seed \(seed)")
    }

    private func step(
        _ machine: inout ConnectMachine,
        _ now: Duration,
        _ random: inout SeededGenerator
    ) -> [ConnectMachine.Action] {
        let replies: [ConnectMachine.Reply] = [.accepted, .busy, .broken("x"), .gone]
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return machine.appeared(now: now)
        case 1: return machine.removed(now: now)
        case 2, 3: return machine.replied(replies.randomElement(using: &random) ?? .busy, now: now)
        case 4: return machine.connected(true, now: now)
        case 5: return machine.connected(false, now: now)
        case 6: return machine.resolved()
        case 7: return machine.refreshed(hasServices: Bool.random(using: &random), now: now)
        case 8: return machine.disconnectReplied(now: now)
        case 9, 10: return machine.timerFired(now: now)
        default: return Int.random(in: 0..<10, using: &random) == 0 ? machine.unavailable() : []
        }
    }
}
