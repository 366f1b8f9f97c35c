import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

private typealias Action = LinkStateMachine.Action

extension LinkStateMachine {
    fileprivate static let there = DeviceState(
        isKnown: true,
        isConnected: true,
        services: .all
    )

    fileprivate static let resolving = DeviceState(isKnown: true, isConnected: true)

    /// Returns a link that is up, with the users 1 and 2.
    fileprivate static func shared() -> LinkStateMachine {
        var machine = LinkStateMachine()
        for lease in 1...2 {
            _ = machine.addLease(lease)
            _ = machine.proceed(there, now: .zero)
            _ = machine.attempt { $0.checked(1, .lasting, now: .zero) }
        }
        return machine
    }
}

@Suite("The life cycle of a link")
struct LinkStateMachineTests {
    @Test("The first lease connects the link, and the next one finds it connected")
    func comesUp() {
        var machine = LinkStateMachine()
        #expect(machine.addLease(1) == [.proceed])
        #expect(
            machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero) == [
                .connecting(.setTimer(nil)), .connecting(.callConnect(1)),
            ]
        )
        _ = machine.attempt { $0.connected(true, now: .zero) }
        let resolved = machine.attempt { $0.resolved(.all, now: .seconds(2)) }
        #expect(resolved == [.connecting(.setTimer(nil)), .linkUp, .granted(1), .proceed])
        _ = machine.addLease(2)
        #expect(machine.proceed(LinkStateMachine.there, now: .zero) == [.granted(2)])
    }

    @Test("A link established after its attempt is disconnected, unless a lease waits for it")
    func comesUpLate() {
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        _ = machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        #expect(machine.connectedLate(LinkStateMachine.there, now: .zero) == [])
        #expect(
            machine.leaseDeinitialized(1, now: .zero) == [
                .connecting(.setTimer(nil)), .connecting(.callDisconnect(2)),
            ]
        )
        #expect(machine.connectedLate(LinkStateMachine.there, now: .zero) == [])
        _ = machine.attempt { $0.disconnectReplied(2) }
        _ = machine.attempt {
            $0.confirmed(3, isConnected: false, services: nil, now: .zero)
        }
        #expect(machine.isIdle)
        var wanted = machine
        let disconnect = [Action.connecting(.setTimer(nil)), .connecting(.callDisconnect(4))]
        #expect(machine.connectedLate(LinkStateMachine.there, now: .zero) == disconnect)
        #expect(
            machine.attempt { $0.disconnectReplied(4) } == [.connecting(.setTimer(nil)), .proceed]
        )
        #expect(machine.isIdle)
        // Another client holds the link.
        machine.isRetained = true
        #expect(machine.connectedLate(LinkStateMachine.there, now: .zero) == [])
        // The next attempt adopts the link, and ignores late answers of the former one.
        _ = wanted.addLease(2)
        #expect(
            wanted.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero) == [
                .connecting(.setTimer(nil)), .connecting(.callConnect(4)),
            ]
        )
        #expect(wanted.attempt { $0.replied(1, .transientFailure("late"), now: .zero) } == [])
        #expect(wanted.connectedLate(LinkStateMachine.there, now: .zero) == [])
    }

    @Test(
        "A link established after its attempt is disconnected only once its services are resolved"
    )
    func heldLate() {
        var late = LinkStateMachine()
        let held = Action.connecting(.setTimer(.seconds(40)))
        #expect(late.connectedLate(LinkStateMachine.resolving, now: .seconds(4)) == [held])
        var machine = late
        #expect(
            machine.attempt { $0.resolved(.all, now: .seconds(5)) } == [
                .connecting(.setTimer(nil)), .connecting(.callDisconnect(1)),
            ]
        )
        _ = machine.attempt { $0.disconnectReplied(1) }
        #expect(machine.isIdle)
        // The next user adopts it unchanged.
        machine = late
        _ = machine.addLease(1)
        let resumed = machine.proceed(LinkStateMachine.resolving, now: .seconds(5))
        #expect(resumed == [.connecting(.setTimer(.seconds(49)))])
        let up = machine.attempt { $0.resolved(.all, now: .seconds(6)) }
        #expect(up == [.connecting(.setTimer(nil)), .linkUp, .granted(1), .proceed])
    }

    @Test("A waiting lease receives each step once, and a later lease starts with the current step")
    func progress() {
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        #expect(machine.progressed() == [])
        _ = machine.proceed(LinkStateMachine.DeviceState(), now: .zero)
        #expect(machine.progressed() == [.progress(1, .discovering)])
        #expect(machine.progressed() == [])
        _ = machine.attempt { $0.appeared(now: .zero) }
        #expect(machine.progressed() == [.progress(1, .connecting(attempt: 1))])
        _ = machine.attempt { $0.replied(1, .transientFailure("x"), now: .seconds(1)) }
        #expect(machine.progressed() == [.progress(1, .connecting(attempt: 2))])
        _ = machine.attempt { $0.timerFired(now: .seconds(2)) }
        _ = machine.attempt { $0.connected(true, now: .seconds(2)) }
        _ = machine.addLease(2)
        #expect(machine.progressed() == [.progress(1, .connected), .progress(2, .connected)])
        _ = machine.cancel(2, .cancelled)
        _ = machine.attempt { $0.resolved(.all, now: .seconds(2)) }
        #expect(machine.progressed() == [.progress(1, .servicesResolved)])
        _ = machine.addLease(3)
        #expect(machine.progressed() == [.progress(3, .servicesResolved)])
        _ = machine.lost(reason: nil)
        #expect(machine.progressed() == [])
    }

    @Test(
        "A lease times out while Disconnect is deferred, and the next lease uses the link"
    )
    func holds() {
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        _ = machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        _ = machine.attempt { $0.connected(true, now: .zero) }
        let held = LinkStateMachine.Action.connecting(.setTimer(.seconds(36)))
        #expect(machine.cancel(1, .timedOut) == [held, .failed(1, .timedOut)])
        _ = machine.addLease(2)
        let again = machine.proceed(LinkStateMachine.resolving, now: .seconds(6))
        #expect(again == [.connecting(.setTimer(.seconds(45)))])
        let resolved = machine.attempt { $0.resolved(.all, now: .seconds(7)) }
        #expect(resolved == [.connecting(.setTimer(nil)), .linkUp, .granted(2), .proceed])
    }

    @Test("Releasing one of two leases keeps the link; releasing the last one disconnects it")
    func leaves() {
        var machine = LinkStateMachine.shared()
        #expect(machine.release(1, now: .zero) == [.released(1)])
        #expect(machine.release(2, now: .zero) == [.disconnect(1)])
        #expect(
            machine.disconnectReplied(1, isConnected: true) == [.setDisconnectTimer(.seconds(3))]
        )
        #expect(
            machine.lost(reason: nil) == [.setDisconnectTimer(nil), .released(2), .proceed]
        )
        #expect(machine.isIdle)
    }

    @Test(
        "A link that a disconnect has not ended is disconnected once more, while no user waits",
        .pitfall(.halfOpenLink)
    )
    func repeatedDisconnect() {
        var machine = LinkStateMachine.shared()
        _ = machine.release(1, now: .zero)
        #expect(machine.release(2, now: .zero) == [.disconnect(1)])
        _ = machine.disconnectReplied(1, isConnected: true)
        #expect(
            machine.disconnectTimerFired() == [
                .setDisconnectTimer(nil), .released(2), .proceed, .disconnect(2),
            ]
        )
        _ = machine.addLease(3)
        #expect(machine.proceed(LinkStateMachine.there, now: .seconds(4)) == [])
        _ = machine.disconnectReplied(2, isConnected: true)
        #expect(machine.disconnectTimerFired() == [.setDisconnectTimer(nil), .proceed])
    }

    @Test("A released lease ends its own subscriptions only")
    func ownSubscriptions() {
        var machine = LinkStateMachine.shared()
        _ = machine.withAttributes { $0.subscribe(10, 1, 7, now: .zero) }
        _ = machine.withAttributes { $0.subscribe(20, 2, 7, now: .zero) }
        _ = machine.withAttributes { $0.replied(-1, nil, now: .zero) }
        #expect(
            machine.release(1, now: .zero) == [.attributes(.endDelivery(10, 7, nil)), .released(1)]
        )
        #expect(
            machine.release(2, now: .zero) == [
                .attributes(.endDelivery(20, 7, nil)), .attributes(.stopOrphanedNotify(7)),
                .disconnect(1),
            ]
        )
    }

    @Test("A loss is reported to each lease before its pending requests fail")
    func loss() {
        var machine = LinkStateMachine.shared()
        _ = machine.withAttributes { $0.request(5, 1, 7, now: .zero) }
        #expect(
            machine.lost(reason: "x") == [
                .setDisconnectTimer(nil), .ended(1, .lost(reason: "x")),
                .ended(2, .lost(reason: "x")),
                .attributes(.ignoreReply(5)), .attributes(.complete(5, .failed(.linkLost))),
                .proceed,
            ]
        )
    }

    @Test(
        "A link that refuses all requests for 3 s is lost, and disconnected before the next attempt"
    )
    func doubted() {
        var machine = LinkStateMachine.shared()
        #expect(machine.refusedAsNotConnected(now: .seconds(1)) == [.setDoubtTimer(.seconds(3))])
        #expect(machine.refusedAsNotConnected(now: .seconds(2)) == [])
        #expect(machine.doubtTimerFired(now: .seconds(3)) == [])
        #expect(
            machine.doubtTimerFired(now: .seconds(4)) == [
                .setDisconnectTimer(nil), .ended(1, .lost(reason: nil)),
                .ended(2, .lost(reason: nil)), .proceed, .disconnect(1),
            ]
        )
        #expect(!machine.isUp)
        _ = machine.addLease(3)
        #expect(machine.proceed(LinkStateMachine.there, now: .seconds(4)) == [])
        #expect(
            machine.disconnectReplied(1, isConnected: false) == [
                .setDisconnectTimer(nil), .proceed,
            ]
        )
        #expect(
            machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .seconds(6)) == [
                .connecting(.setTimer(nil)), .connecting(.callConnect(2)),
            ]
        )
    }

    @Test(
        "A successful reply clears the suspicion about a link, and the next refusal starts another"
    )
    func answered() {
        var machine = LinkStateMachine.shared()
        _ = machine.refusedAsNotConnected(now: .seconds(1))
        machine.replied(nil)
        #expect(machine.doubtTimerFired(now: .seconds(4)) == [])
        #expect(machine.refusedAsNotConnected(now: .seconds(5)) == [.setDoubtTimer(.seconds(3))])
        #expect(machine.doubtTimerFired(now: .seconds(6)) == [])
        #expect(machine.isUp)
    }

    @Test("A link that is being disconnected is not under suspicion, and neither is the next one")
    func doubtedWhileLeaving() {
        var machine = LinkStateMachine.shared()
        _ = machine.refusedAsNotConnected(now: .seconds(1))
        _ = machine.release(1, now: .seconds(1))
        _ = machine.release(2, now: .seconds(1))
        #expect(machine.refusedAsNotConnected(now: .seconds(2)) == [])
        #expect(machine.doubtTimerFired(now: .seconds(4)) == [])
        _ = machine.disconnectReplied(1, isConnected: false)
        _ = machine.addLease(3)
        _ = machine.proceed(LinkStateMachine.there, now: .seconds(4))
        _ = machine.attempt { $0.checked(2, .lasting, now: .seconds(4)) }
        #expect(machine.isUp)
        #expect(machine.doubtTimerFired(now: .seconds(5)) == [])
    }

    @Test("A lease added during the disconnection waits for its end, then connects")
    func comesWhileLeaving() {
        var machine = LinkStateMachine.shared()
        _ = machine.release(1, now: .zero)
        _ = machine.release(2, now: .zero)
        _ = machine.addLease(3)
        #expect(machine.proceed(LinkStateMachine.there, now: .zero) == [])
        #expect(
            machine.lost(reason: nil) == [.setDisconnectTimer(nil), .released(2), .proceed]
        )
        #expect(
            machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero) == [
                .connecting(.setTimer(nil)), .connecting(.callConnect(2)),
            ]
        )
    }

    @Test("A cancelled lease fails at once, and the attempt continues for the other one")
    func oneWithdraws() {
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        _ = machine.addLease(2)
        _ = machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        #expect(machine.cancel(1, .timedOut) == [.failed(1, .timedOut)])
        #expect(
            machine.cancel(2, .cancelled) == [
                .connecting(.setTimer(nil)), .connecting(.callDisconnect(2)),
            ]
        )
        let ended = machine.attempt { $0.disconnectReplied(2) }
        #expect(ended == [.connecting(.confirm(3)), .failed(2, .cancelled)])
        let confirmed = machine.attempt {
            $0.confirmed(3, isConnected: false, services: nil, now: .zero)
        }
        #expect(confirmed == [.connecting(.setTimer(nil)), .proceed])
        #expect(machine.isIdle)
    }

    @Test("A lease that joins after a cancellation uses the link if it is established anyway")
    func joinsAfterCancellation() {
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        _ = machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        _ = machine.cancel(1, .cancelled)
        _ = machine.attempt { $0.disconnectReplied(2) }
        _ = machine.addLease(2)
        #expect(machine.proceed(LinkStateMachine.resolving, now: .zero) == [])
        let confirmed = machine.attempt {
            $0.confirmed(3, isConnected: true, services: nil, now: .zero)
        }
        #expect(confirmed == [.connecting(.setTimer(.seconds(36))), .proceed])
        #expect(
            machine.proceed(LinkStateMachine.resolving, now: .zero) == [
                .connecting(.setTimer(.seconds(45)))
            ]
        )
        let resolved = machine.attempt { $0.resolved(.all, now: .seconds(1)) }
        #expect(resolved == [.connecting(.setTimer(nil)), .linkUp, .granted(2), .proceed])
    }

    @Test("A link whose leases were all deallocated is disconnected")
    func forgotten() {
        var machine = LinkStateMachine.shared()
        #expect(machine.leaseDeinitialized(1, now: .zero) == [])
        #expect(machine.leaseDeinitialized(2, now: .zero) == [.disconnect(1)])
    }

    @Test(
        "In random sequences, each lease receives one result of its connect and one end",
        arguments: 0..<300
    )
    func conservation(seed: UInt64) {
        var world = LinkWorld(seed: seed)
        for _ in 0..<150 { world.step() }
        world.settle()
        #expect(world.problems == [], "seed \(seed)")
    }
}

/// Random leases, and a bluetoothd that answers late, in any order, or never.
private struct LinkWorld {
    private enum Reported {
        case waiting, up, over
    }

    private var machine = LinkStateMachine()
    private var random: SeededGenerator
    private var now = Duration.zero
    private var lastLease = 0
    private var leases: [Int: Reported] = [:]
    private var releasing: Set<Int> = []
    private var connectCalls: [ConnectStateMachine.Action] = []
    private var disconnects: [Int] = []
    private(set) var problems: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func step() {
        now += .seconds(1)
        let lease = leases.filter { $0.value != .over }.keys.sorted().randomElement(using: &random)
        let policy =
            [DisconnectPolicy.always, .ifLocal, .never].randomElement(using: &random) ?? .always
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2:
            lastLease += 1
            leases[lastLease] = .waiting
            perform(machine.addLease(lastLease))
        case 3:
            guard let lease, leases[lease] == .waiting else { return }
            perform(machine.cancel(lease, .cancelled, disconnecting: policy))
        case 4, 5:
            guard let lease, leases[lease] == .up, releasing.insert(lease).inserted else { return }
            perform(machine.release(lease, disconnecting: policy, now: now))
        case 6:
            guard let lease, !releasing.contains(lease) else { return }
            leases[lease] = .over
            perform(machine.leaseDeinitialized(lease, disconnecting: policy, now: now))
        case 7:
            if let call = disconnects.popLast() {
                perform(machine.disconnectReplied(call, isConnected: false))
            }
        case 8: perform(machine.lost(reason: nil))
        case 10: perform(machine.refusedAsNotConnected(now: now))
        case 11: perform(machine.doubtTimerFired(now: now))
        case 9 where Int.random(in: 0..<5, using: &random) == 0:
            perform(machine.unavailable(isDaemonRunning: false))
        default: connectEvent()
        }
    }

    /// Releases all leases, and replies to all calls.
    mutating func settle() {
        for lease in leases.keys.sorted() where leases[lease] == .waiting {
            perform(machine.cancel(lease, .cancelled))
        }
        for lease in leases.keys.sorted()
        where leases[lease] == .up && releasing.insert(lease).inserted {
            perform(machine.release(lease, now: now))
        }
        for call in connectCalls {
            if case .callDisconnect(let call) = call {
                perform(machine.attempt { $0.disconnectReplied(call) })
                confirm(call + 1, isConnected: false)
            }
        }
        for lease in leases.keys.sorted()
        where leases[lease] == .up && releasing.insert(lease).inserted {
            perform(machine.release(lease, now: now))
        }
        for call in disconnects { perform(machine.disconnectReplied(call, isConnected: false)) }
        let open = leases.filter { $0.value != .over }.keys.sorted()
        if !open.isEmpty { problems.append("never reported: \(open)") }
        if !machine.isIdle { problems.append("not down: \(machine)") }
    }

    private mutating func connectEvent() {
        let now = now
        let isLate = Bool.random(using: &random)
        guard let action = isLate ? connectCalls.randomElement(using: &random) : connectCalls.last
        else { return }
        switch action {
        case .callConnect(let call):
            let replies: [ConnectStateMachine.Reply] = [
                .accepted, .busy, .transientFailure("x"), .pairingRequired("y"),
            ]
            let reply = replies.randomElement(using: &random) ?? .accepted
            perform(machine.attempt { $0.replied(call, reply, now: now) })
            perform(machine.attempt { $0.connected(true, now: now) })
            perform(machine.attempt { $0.resolved(.all, now: .seconds(2)) })
        case .callDisconnect(let call): perform(machine.attempt { $0.disconnectReplied(call) })
        case .readDevice(let call), .readObjects(let call):
            perform(machine.attempt { $0.refreshed(call, .some, now: now) })
        case .check(let call):
            let lives: [ConnectStateMachine.Life] = [.lasting, .ending, .unknown]
            let life = lives.randomElement(using: &random) ?? .lasting
            perform(machine.attempt { $0.checked(call, life, now: now) })
        case .confirm(let call): confirm(call, isConnected: Bool.random(using: &random))
        case .discover: perform(machine.attempt { $0.appeared(now: now) })
        case .endDiscovery, .setTimer, .finish: perform(machine.attempt { $0.timerFired(now: now) })
        }
    }

    private mutating func confirm(_ call: Int, isConnected: Bool) {
        let now = now
        perform(
            machine.attempt {
                $0.confirmed(call, isConnected: isConnected, services: .all, now: now)
            }
        )
    }

    private mutating func perform(_ actions: [Action]) {
        var actions = actions[...]
        while let action = actions.popFirst() {
            switch action {
            case .proceed:
                let isKnown = Bool.random(using: &random)
                let isConnected = isKnown && Bool.random(using: &random)
                let state = LinkStateMachine.DeviceState(
                    isKnown: isKnown,
                    isConnected: isConnected,
                    services: isConnected ? .all : nil
                )
                actions += machine.proceed(state, now: now)[...]
            case .connecting(let action): connectCalls.append(action)
            case .disconnect(let call): disconnects.append(call)
            case .linkUp, .setDisconnectTimer, .setDoubtTimer, .attributes, .progress: break
            case .granted(let lease): report(lease, from: .waiting, to: .up)
            case .failed(let lease, _): report(lease, from: .waiting, to: .over)
            case .released(let lease):
                releasing.remove(lease)
                report(lease, from: .up, to: .over)
            case .ended(let lease, _): report(lease, from: .up, to: .over)
            }
        }
    }

    private mutating func report(_ lease: Int, from: Reported, to: Reported) {
        if leases[lease] != from {
            problems.append("\(lease) was reported \(to) as \(leases[lease] ?? .over)")
        }
        leases[lease] = to
    }
}
