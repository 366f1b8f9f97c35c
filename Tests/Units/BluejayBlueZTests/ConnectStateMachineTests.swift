import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

extension ConnectStateMachine {
    /// Returns a machine whose `Connect` is pending since 0.
    fileprivate static func connecting() -> ConnectStateMachine {
        var machine = ConnectStateMachine()
        _ = machine.start(known: true, connected: false, services: nil, now: .zero)
        return machine
    }

    /// Returns a machine whose link is up since 1 s.
    fileprivate static func resolving() -> ConnectStateMachine {
        var machine = connecting()
        _ = machine.connected(true, now: .seconds(1))
        return machine
    }
}

@Suite("A connection attempt")
struct ConnectStateMachineTests {
    @Test(
        "An attempt succeeds when the services are resolved and all their objects exist",
        .pitfall(.connectRepliesBeforeServices)
    )
    func success() {
        var machine = ConnectStateMachine()
        #expect(
            machine.start(known: true, connected: false, services: nil, now: .zero)
                == [.setTimer(nil), .callConnect(1)]
        )
        #expect(machine.connected(true, now: .seconds(1)) == [.setTimer(.seconds(46))])
        #expect(machine.replied(1, .accepted, now: .seconds(1)) == [])
        #expect(machine.resolved(.all, now: .seconds(2)) == [.setTimer(nil), .finish(.connected)])
    }

    @Test(
        "The device is read if it lists services without objects",
        .pitfall(.resolvedBeforeObjects)
    )
    func someServices() {
        var machine = ConnectStateMachine.resolving()
        #expect(machine.resolved(.some, now: .seconds(2)) == [.setTimer(nil), .readDevice(2)])
        // bluetoothd hides some services: those that are missing from the reply do not arrive later.
        #expect(
            machine.refreshed(2, .some, now: .seconds(2)) == [.setTimer(nil), .finish(.connected)]
        )
    }

    @Test("A late reply to an earlier call does not complete the current call")
    func lateAnswers() {
        var machine = ConnectStateMachine.connecting()
        _ = machine.replied(1, .transientFailure("x"), now: .seconds(1))
        #expect(machine.timerFired(now: .seconds(2)) == [.setTimer(nil), .callConnect(2)])
        #expect(machine.replied(1, .permanentFailure("late"), now: .seconds(2)) == [])
        _ = machine.connected(true, now: .seconds(3))
        _ = machine.resolved(.none, now: .seconds(2))
        #expect(machine.refreshed(2, .all, now: .seconds(3)) == [])
        #expect(machine.disconnectReplied(3) == [])
    }

    @Test("An unknown device is discovered first", .pitfall(.temporaryDevices))
    func discovers() {
        var machine = ConnectStateMachine()
        #expect(
            machine.start(known: false, connected: false, services: nil, now: .zero)
                == [.setTimer(nil), .discover]
        )
        #expect(
            machine.appeared(now: .seconds(3)) == [.endDiscovery, .setTimer(nil), .callConnect(1)]
        )
    }

    @Test(
        "A successful Connect without a link counts as a failed attempt after a second",
        .pitfall(.connectSucceedsWithoutLink)
    )
    func emptySuccess() {
        var machine = ConnectStateMachine.connecting()
        #expect(
            machine.replied(1, .accepted, now: .seconds(1)) == [
                .setTimer(.seconds(2)), .readDevice(2),
            ]
        )
        #expect(machine.timerFired(now: .seconds(2)) == [.setTimer(.milliseconds(2250))])
        #expect(machine.timerFired(now: .milliseconds(2250)) == [.setTimer(nil), .callConnect(3)])
    }

    @Test("Three quick failures end the attempt", .pitfall(.oneTextForAllFailures))
    func threeFailures() {
        var machine = ConnectStateMachine.connecting()
        #expect(
            machine.replied(1, .transientFailure("x"), now: .seconds(1)) == [
                .setTimer(.milliseconds(1250))
            ]
        )
        _ = machine.timerFired(now: .milliseconds(1250))
        #expect(
            machine.replied(2, .transientFailure("x"), now: .seconds(2)) == [
                .setTimer(.milliseconds(2500))
            ]
        )
        _ = machine.timerFired(now: .milliseconds(2500))
        #expect(
            machine.replied(3, .transientFailure("x"), now: .seconds(3))
                == [.setTimer(nil), .finish(.failed("x"))]
        )
    }

    @Test("A silent peer is retried without a limit", .pitfall(.oneTextForAllFailures))
    func silentPeer() {
        var machine = ConnectStateMachine.connecting()
        for attempt in 0..<20 {
            let begun = Duration.seconds(50 * attempt)
            #expect(
                machine.replied(attempt + 1, .transientFailure("abort"), now: begun + .seconds(41))
                    == [.setTimer(begun + .seconds(41) + .milliseconds(250))]
            )
            #expect(
                machine.timerFired(now: begun + .seconds(50))
                    == [.setTimer(nil), .callConnect(attempt + 2)]
            )
        }
    }

    @Test(
        "An attempt waits while another program connects, and adopts its link",
        .pitfall(.connectInProgress)
    )
    func yields() {
        var machine = ConnectStateMachine.connecting()
        #expect(machine.replied(1, .busy, now: .seconds(1)) == [.setTimer(.seconds(2))])
        #expect(machine.timerFired(now: .seconds(2)) == [.setTimer(nil), .callConnect(2)])
        #expect(machine.replied(2, .busy, now: .seconds(2)) == [.setTimer(.seconds(3))])
        #expect(
            machine.connected(true, now: .milliseconds(2500)) == [.setTimer(.milliseconds(47500))]
        )
    }

    @Test(
        "An attempt waits at most a minute for another program and leaves that connection alone",
        .pitfall(.connectInProgress)
    )
    func yieldsNotForEver() {
        var machine = ConnectStateMachine.connecting()
        for second in 1...60 {
            let now = Duration.seconds(second)
            #expect(machine.replied(second, .busy, now: now) == [.setTimer(now + .seconds(1))])
            _ = machine.timerFired(now: now + .seconds(1))
        }
        #expect(
            machine.replied(61, .busy, now: .seconds(61)) == [
                .setTimer(nil), .finish(.failed("another connection attempt was in the way")),
            ]
        )
    }

    @Test("A cancellation while another program connects disconnects nothing")
    func abandonsWhileYielding() {
        var machine = ConnectStateMachine.connecting()
        _ = machine.replied(1, .busy, now: .seconds(1))
        #expect(machine.cancel() == [.setTimer(nil), .finish(.cancelled)])
    }

    @Test("Services that never resolve end the attempt after three rounds of 45 s and a Disconnect")
    func neverResolves() {
        var machine = ConnectStateMachine.resolving()
        for round in 1...2 {
            #expect(machine.timerFired(now: .seconds(46 * round)).count == 1)
            _ = machine.timerFired(now: .seconds(46 * round + 1))
            _ = machine.connected(true, now: .seconds(46 * round + 1))
        }
        #expect(machine.timerFired(now: .seconds(138)) == [.setTimer(nil), .callDisconnect(4)])
        #expect(
            machine.disconnectReplied(4) == [
                .setTimer(nil), .finish(.failed("the services were not resolved in time")),
            ]
        )
    }

    @Test(
        "A link that drops before its services are resolved is retried",
        .fault(.linkLost, during: .discovery),
        .pitfall(.dropBeforeServices)
    )
    func breaksEarly() {
        var machine = ConnectStateMachine.resolving()
        #expect(machine.connected(false, now: .seconds(2)) == [.setTimer(.milliseconds(2250))])
    }

    @Test(
        "Without any service all objects are read, and once more after 200 ms",
        .pitfall(.resolvedBeforeObjects)
    )
    func missingObjects() {
        var machine = ConnectStateMachine.resolving()
        #expect(machine.resolved(.none, now: .seconds(2)) == [.setTimer(nil), .readDevice(2)])
        #expect(
            machine.refreshed(2, .none, now: .seconds(2)) == [.setTimer(nil), .readObjects(3)]
        )
        #expect(
            machine.refreshed(3, .none, now: .seconds(2)) == [.setTimer(.milliseconds(2200))]
        )
        #expect(
            machine.timerFired(now: .milliseconds(2200)) == [.setTimer(nil), .readObjects(4)]
        )
        #expect(
            machine.refreshed(4, .none, now: .seconds(3)) == [.setTimer(nil), .finish(.connected)]
        )
    }

    @Test(
        "A cancellation calls Disconnect before the attempt ends",
        .pitfall(.disconnectCancelsConnect)
    )
    func abandon() {
        var machine = ConnectStateMachine.connecting()
        #expect(machine.cancel() == [.setTimer(nil), .callDisconnect(2)])
        #expect(
            machine.replied(1, .transientFailure("br-connection-canceled"), now: .seconds(1)) == []
        )
        #expect(machine.disconnectReplied(2) == [.confirm(3)])
        #expect(
            machine.confirmed(3, isConnected: false, services: nil, now: .seconds(1)) == [
                .setTimer(nil), .finish(.cancelled),
            ]
        )
    }

    @Test(
        "A link established despite Disconnect is disconnected once its services are resolved",
        .pitfall(.halfOpenLink)
    )
    func connectsDespiteDisconnect() {
        var machine = ConnectStateMachine.connecting()
        _ = machine.cancel()
        #expect(machine.connected(true, now: .seconds(1)) == [])
        _ = machine.disconnectReplied(2)
        #expect(machine.isCancellationReported)
        var resolved = machine
        #expect(
            machine.confirmed(3, isConnected: true, services: nil, now: .seconds(1)) == [
                .setTimer(.seconds(37))
            ]
        )
        #expect(machine.resolved(.all, now: .seconds(2)) == [.setTimer(nil), .callDisconnect(4)])
        #expect(machine.disconnectReplied(4) == [.setTimer(nil), .finish(.cancelled)])
        #expect(
            resolved.confirmed(3, isConnected: true, services: .all, now: .seconds(1)) == [
                .setTimer(nil), .callDisconnect(4),
            ]
        )
    }

    @Test("Disconnect waits until the service discovery ends or times out")
    func holds() {
        var machine = ConnectStateMachine.resolving()
        #expect(machine.cancel() == [.setTimer(.seconds(37))])
        #expect(machine.isDisconnectDeferred)
        #expect(machine.timerFired(now: .seconds(37)) == [.setTimer(nil), .callDisconnect(2)])
        #expect(!machine.isDisconnectDeferred)
        machine = .resolving()
        _ = machine.cancel()
        #expect(machine.resolved(.all, now: .seconds(3)) == [.setTimer(nil), .callDisconnect(2)])
        machine = .resolving()
        _ = machine.cancel()
        #expect(
            machine.connected(false, now: .seconds(3)) == [.setTimer(nil), .finish(.cancelled)]
        )
    }

    @Test("Disconnect is sent without a wait on a kernel that survives it during a discovery")
    func doesNotHold() {
        var machine = ConnectStateMachine(holdsEarlyDisconnect: false)
        _ = machine.start(known: true, connected: false, services: nil, now: .zero)
        _ = machine.connected(true, now: .seconds(1))
        #expect(machine.cancel() == [.setTimer(.seconds(1))])
        #expect(machine.isCancellationReported)
        #expect(machine.timerFired(now: .seconds(5)) == [.setTimer(nil), .callDisconnect(2)])
        #expect(machine.disconnectReplied(2) == [.setTimer(nil), .finish(.cancelled)])
    }

    @Test("Disconnect also waits while Connect has succeeded and Connected is not yet signalled")
    func holdsWhileSettling() {
        var machine = ConnectStateMachine.connecting()
        _ = machine.replied(1, .accepted, now: .seconds(1))
        #expect(machine.cancel() == [.setTimer(.seconds(37))])
        var linked = machine
        #expect(linked.connected(true, now: .seconds(1)) == [])
        #expect(
            linked.resume(isConnected: true, now: .seconds(2)) == [.setTimer(.seconds(46))]
        )
        #expect(
            machine.resume(isConnected: false, now: .seconds(2)) == [
                .setTimer(nil), .callConnect(3),
            ]
        )
    }

    @Test("A late discovery without services counts as a failed discovery")
    func emptyDiscovery() {
        var machine = ConnectStateMachine.resolving()
        _ = machine.resolved(.none, now: .seconds(31))
        _ = machine.refreshed(2, .none, now: .seconds(31))
        _ = machine.refreshed(3, .none, now: .seconds(31))
        _ = machine.timerFired(now: .seconds(32))
        #expect(machine.refreshed(4, .none, now: .seconds(32)).last == .callDisconnect(5))
        let text = "the peripheral did not answer the discovery of its services"
        #expect(machine.disconnectReplied(5) == [.setTimer(nil), .finish(.failed(text))])
    }

    @Test("A discovery without services on an adopted link counts as failed, too")
    func emptyDiscoveryOfAnother() {
        var machine = ConnectStateMachine()
        _ = machine.start(known: true, connected: true, services: nil, now: .zero)
        #expect(machine.resolved(.none, now: .seconds(1)) == [.setTimer(nil), .readDevice(1)])
        _ = machine.refreshed(1, .none, now: .seconds(1))
        _ = machine.refreshed(2, .none, now: .seconds(1))
        _ = machine.timerFired(now: .seconds(2))
        #expect(machine.refreshed(3, .none, now: .seconds(2)).last == .callDisconnect(4))
    }

    @Test("Each started attempt ends exactly once in random sequences", arguments: 0..<300)
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = ConnectStateMachine()
        var actions = machine.start(
            known: Bool.random(using: &random),
            connected: Bool.random(using: &random),
            services: services.randomElement(using: &random) ?? nil,
            isStale: Bool.random(using: &random),
            now: .zero
        )
        for second in 1...100 {
            actions += step(&machine, .seconds(second), &random, after: actions)
        }
        actions += machine.cancel()
        actions += machine.timerFired(now: .seconds(200))
        for call in 1...200 {
            actions += machine.disconnectReplied(call)
            let now = Duration.seconds(200)
            actions += machine.confirmed(call, isConnected: false, services: nil, now: now)
        }
        let ends = actions.filter { if case .finish = $0 { true } else { false } }
        #expect(ends.count == 1, "seed \(seed): \(actions)")
        let searches = actions.filter { $0 == .discover }.count
        #expect(searches == actions.filter { $0 == .endDiscovery }.count, "seed \(seed)")
    }

    private let services: [ConnectStateMachine.Services?] = [
        nil, ConnectStateMachine.Services.none, .some, .all,
    ]

    /// Plays one event; calls are answered late, never, or under the wrong number, too.
    private func step(
        _ machine: inout ConnectStateMachine,
        _ now: Duration,
        _ random: inout SeededGenerator,
        after actions: [ConnectStateMachine.Action]
    ) -> [ConnectStateMachine.Action] {
        let calls = actions.compactMap { action -> Int? in
            switch action {
            case .callConnect(let call), .callDisconnect(let call), .readDevice(let call),
                .readObjects(let call), .check(let call), .confirm(let call):
                call
            default: nil
            }
        }
        let call = calls.suffix(2).randomElement(using: &random) ?? 0
        let found = services.compactMap { $0 }.randomElement(using: &random) ?? .all
        let replies: [ConnectStateMachine.Reply] = [
            .accepted, .busy, .transientFailure("x"), .deviceRemoved,
        ]
        let lives: [ConnectStateMachine.Life] = [.lasting, .ending, .unknown, .unanswered]
        switch Int.random(in: 0..<15, using: &random) {
        case 13:
            let isConnected = Bool.random(using: &random)
            return machine.confirmed(call, isConnected: isConnected, services: found, now: now)
        case 12:
            let life = lives.randomElement(using: &random) ?? .lasting
            return machine.checked(call, life, now: now)
        case 11:
            let services = services.randomElement(using: &random) ?? nil
            let isStale = Bool.random(using: &random)
            return machine.found(call, services: services, isStale: isStale, now: now)
        case 0: return machine.appeared(now: now)
        case 1: return machine.removed(now: now)
        case 2, 3:
            return machine.replied(call, replies.randomElement(using: &random) ?? .busy, now: now)
        case 4: return machine.connected(true, now: now)
        case 5: return machine.connected(false, now: now)
        case 6: return machine.resolved(found, now: now)
        case 7: return machine.refreshed(call, found, now: now)
        case 8: return machine.disconnectReplied(call)
        case 9, 10: return machine.timerFired(now: now)
        default: return Int.random(in: 0..<10, using: &random) == 0 ? machine.unavailable() : []
        }
    }
}
