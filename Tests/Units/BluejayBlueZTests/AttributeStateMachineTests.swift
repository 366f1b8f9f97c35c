import BluejayDBus
import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

private typealias Action = AttributeStateMachine.Action

extension AttributeStateMachine {
    /// Returns a machine in which request 10 has subscribed user 1 to attribute 7.
    fileprivate static func subscribed() -> AttributeStateMachine {
        var machine = AttributeStateMachine()
        _ = machine.subscribe(10, 1, 7, now: .zero)
        _ = machine.replied(-1, nil, now: .zero)
        return machine
    }
}

@Suite("Calls and subscriptions of a link")
struct AttributeStateMachineTests {
    @Test(
        "Calls on one characteristic run one after the other; calls on different ones run in parallel",
        .pitfall(.concurrentCalls)
    )
    func queues() {
        var machine = AttributeStateMachine()
        #expect(machine.request(1, 1, 7, now: .zero) == [.send(1, 7, .request)])
        #expect(machine.request(2, 2, 7, now: .zero) == [])
        #expect(machine.request(3, 1, 8, now: .zero) == [.send(3, 8, .request)])
        #expect(
            machine.replied(1, nil, now: .zero) == [
                .complete(1, .replied), .send(2, 7, .request),
            ]
        )
    }

    @Test("The first subscriber sends StartNotify, and the last one sends StopNotify")
    func sharing() {
        var machine = AttributeStateMachine()
        #expect(
            machine.subscribe(1, 1, 7, now: .zero) == [
                .startDelivery(1, 7), .send(-1, 7, .startNotify),
            ]
        )
        #expect(machine.subscribe(2, 2, 7, now: .zero) == [.startDelivery(2, 7)])
        #expect(
            machine.replied(-1, nil, now: .zero) == [
                .complete(1, .succeeded), .complete(2, .succeeded),
            ]
        )
        #expect(
            machine.subscribe(3, 3, 7, now: .zero) == [
                .startDelivery(3, 7), .complete(3, .succeeded),
            ]
        )
        #expect(
            machine.unsubscribe(1, 4, now: .zero) == [
                .endDelivery(1, 7, nil), .complete(4, .succeeded),
            ]
        )
        #expect(machine.leaseReleased(2, .cancelled, now: .zero) == [.endDelivery(2, 7, nil)])
        #expect(
            machine.unsubscribe(3, 5, now: .zero) == [
                .endDelivery(3, 7, nil), .send(-2, 7, .stopNotify),
            ]
        )
        #expect(machine.replied(-2, nil, now: .zero) == [.complete(5, .succeeded)])
    }

    @Test(
        "A rejected pairing fails the earlier requests without an answer, and those queued after them"
    )
    func rejectedPairing() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, now: .zero)
        _ = machine.request(2, 1, 7, now: .zero)
        _ = machine.subscribe(3, 1, 8, now: .zero)
        _ = machine.request(4, 1, 9, now: .seconds(2))
        let failed = AttributeStateMachine.Outcome.failed(.pairingRejected)
        #expect(
            machine.pairingRejected(at: .seconds(1), now: .seconds(2)) == [
                .complete(1, failed), .complete(2, failed), .endDelivery(3, 8, nil),
                .complete(3, failed),
            ]
        )
        #expect(machine.request(5, 1, 7, now: .seconds(3)) == [.complete(5, failed)])
        // The device was paired after all: bluetoothd continues with the calls.
        #expect(machine.paired() == [])
        #expect(machine.request(6, 1, 7, now: .seconds(4)) == [])
        #expect(machine.replied(1, nil, now: .seconds(5)) == [.send(6, 7, .request)])
        // No caller waits for the notifications.
        #expect(machine.replied(-1, nil, now: .seconds(5)) == [.send(-2, 8, .stopNotify)])
        #expect(machine.replied(4, nil, now: .seconds(5)) == [.complete(4, .replied)])
    }

    @Test("The timeout of a call starts when the call is sent, and a back-off does not extend it")
    func limits() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, within: .seconds(5), now: .zero)
        _ = machine.request(2, 1, 7, within: .seconds(3), now: .zero)
        #expect(machine.timeLeft(of: 1, now: .zero) == .seconds(5))
        #expect(machine.replied(1, .inProgress, now: .seconds(2)).count == 1)
        #expect(machine.timeLeft(of: 1, now: .seconds(2)) == .seconds(3))
        #expect(
            machine.replied(1, .inProgress, now: .seconds(5)) == [
                .complete(1, .failed(.inProgress)), .send(2, 7, .request),
            ]
        )
        #expect(machine.timeLeft(of: 1, now: .seconds(5)) == nil)
        #expect(machine.timeLeft(of: 2, now: .seconds(5)) == .seconds(3))
        #expect(machine.timeLeft(of: 2, now: .seconds(9)) == .zero)
    }

    @Test("A pending subscription that times out fails and is stopped; an active one stays")
    func expired() {
        var machine = AttributeStateMachine()
        _ = machine.subscribe(1, 1, 7, now: .zero)
        #expect(
            machine.expired(1, now: .seconds(2)) == [
                .endDelivery(1, 7, nil), .complete(1, .failed(.timedOut)),
            ]
        )
        #expect(machine.replied(-1, nil, now: .seconds(3)) == [.send(-2, 7, .stopNotify)])
        machine = .subscribed()
        #expect(machine.expired(10, now: .seconds(2)) == [])
    }

    @Test("A failed StartNotify fails all waiting subscribers, even if the first one has cancelled")
    func pendingSetUp() {
        var machine = AttributeStateMachine()
        _ = machine.subscribe(1, 1, 7, now: .zero)
        #expect(
            machine.unsubscribe(1, 2, now: .zero) == [
                .endDelivery(1, 7, nil), .complete(1, .failed(.cancelled)),
            ]
        )
        #expect(
            machine.subscribe(3, 1, 7, now: .zero) == [
                .startDelivery(3, 7), .complete(2, .succeeded),
            ]
        )
        #expect(
            machine.replied(-1, .notConnected, now: .zero) == [
                .endDelivery(3, 7, nil), .complete(3, .failed(.notConnected)),
            ]
        )
    }

    @Test("A subscriber that arrives during StopNotify causes a StartNotify after it")
    func returns() {
        var machine = AttributeStateMachine.subscribed()
        _ = machine.unsubscribe(10, 11, now: .zero)
        #expect(
            machine.subscribe(12, 2, 7, now: .zero) == [
                .startDelivery(12, 7), .complete(11, .succeeded),
            ]
        )
        #expect(machine.replied(-2, nil, now: .zero) == [.send(-3, 7, .startNotify)])
        #expect(machine.replied(-3, nil, now: .zero) == [.complete(12, .succeeded)])
    }

    @Test(
        "A call that another program blocks is retried with growing delays, then fails",
        .pitfall(.concurrentCalls)
    )
    func backOff() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, now: .zero)
        let pauses = [10, 20, 50, 100, 200, 500, 500].map { Duration.milliseconds($0) }
        for pause in pauses {
            #expect(machine.replied(1, .inProgress, now: .seconds(1)) == [.backOff(1, pause)])
            #expect(machine.backOffEnded(1, now: .seconds(1)) == [.send(1, 7, .request)])
        }
        #expect(
            machine.replied(1, .inProgress, now: .seconds(40)) == [
                .complete(1, .failed(.inProgress))
            ]
        )
    }

    @Test("A back-off ends at the timeout of the call")
    func backOffWithinLimit() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, within: .seconds(1), now: .zero)
        let late = machine.replied(1, .inProgress, now: .milliseconds(995))
        #expect(late == [.backOff(1, .milliseconds(5))])
        #expect(
            machine.backOffEnded(1, now: .seconds(1)) == [.complete(1, .failed(.inProgress))]
        )
    }

    @Test("Writes after a timed-out write fail at their own timeouts while no response arrives")
    func writesAfterTimeout() {
        var machine = AttributeStateMachine()
        for id in 1...3 { _ = machine.request(id, 1, 7, within: .seconds(1), now: .zero) }
        var now = Duration.seconds(1)
        var actions = machine.replied(1, .timedOut, now: now)
        #expect(actions == [.complete(1, .failed(.timedOut)), .send(2, 7, .request)])
        for id in 2...3 {
            for _ in 0..<20 where actions.contains(.send(id, 7, .request)) {
                actions = machine.replied(id, .inProgress, now: now)
                guard case .backOff(id, let pause) = actions.first else { break }
                now += pause
                actions = machine.backOffEnded(id, now: now)
            }
            #expect(actions.first == .complete(id, .failed(.inProgress)))
            #expect(now == .seconds(id))
        }
    }

    @Test("A call is retried while a socket is acquired, but with a limit")
    func acquired() {
        let refusal = BusError(
            name: "org.bluez.Error.NotPermitted",
            message: "Write acquired"
        )
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, now: .zero)
        for _ in 1...AttributeStateMachine.maximumAcquiredRetryCount {
            #expect(machine.replied(1, BlueZFailure(refusal), now: .zero).count == 1)
            #expect(machine.backOffEnded(1, now: .zero) == [.send(1, 7, .request)])
        }
        #expect(
            machine.replied(1, BlueZFailure(refusal), now: .zero) == [
                .complete(1, .failed(.other(refusal)))
            ]
        )
    }

    @Test(
        "A subscription that bluetoothd has ended is renewed; if this fails, its end has the error"
    )
    func sessionLost() {
        var machine = AttributeStateMachine.subscribed()
        #expect(machine.notifyingLost(7, now: .zero) == [.send(-2, 7, .startNotify)])
        #expect(machine.replied(-2, nil, now: .zero) == [])
        #expect(machine.notifyingLost(7, now: .zero) == [.send(-3, 7, .startNotify)])
        #expect(
            machine.replied(-3, .notPaired(.noReply), now: .zero) == [
                .endDelivery(10, 7, .notPaired(.noReply))
            ]
        )
        #expect(machine.notifyingLost(7, now: .zero) == [])
    }

    @Test("A late reply does not complete another call")
    func lateAnswers() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, now: .zero)
        _ = machine.linkEnded(.linkLost, sendsStopNotify: true)
        _ = machine.request(2, 1, 7, now: .zero)
        #expect(machine.replied(1, nil, now: .zero) == [])
        #expect(machine.replied(2, nil, now: .zero) == [.complete(2, .replied)])
    }

    @Test("A call of a released lease blocks its characteristic until the reply arrives")
    func abandoned() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, now: .zero)
        _ = machine.request(2, 2, 7, now: .zero)
        #expect(
            machine.leaseReleased(1, .linkLost, now: .zero) == [.complete(1, .failed(.linkLost))]
        )
        #expect(machine.replied(1, nil, now: .zero) == [.send(2, 7, .request)])
    }

    @Test("A waiting call can be cancelled; a sent call ends with its reply")
    func withdrawn() {
        var machine = AttributeStateMachine()
        _ = machine.request(1, 1, 7, now: .zero)
        _ = machine.request(2, 1, 7, now: .zero)
        #expect(machine.cancel(1) == [])
        #expect(machine.cancel(2) == [.complete(2, .failed(.cancelled))])
        #expect(machine.replied(1, nil, now: .zero) == [.complete(1, .replied)])
    }

    @Test("A removed characteristic ends its subscriptions with an error, a lost link without one")
    func vanishes() {
        var machine = AttributeStateMachine.subscribed()
        #expect(machine.removed(7) == [.endDelivery(10, 7, .objectRemoved)])
        machine = .subscribed()
        #expect(
            machine.linkEnded(.linkLost, sendsStopNotify: true) == [
                .endDelivery(10, 7, nil), .stopOrphanedNotify(7),
            ]
        )
        machine = .subscribed()
        // bluetoothd has ended, and its sessions with it.
        #expect(
            machine.linkEnded(.daemonLost, sendsStopNotify: false) == [.endDelivery(10, 7, nil)]
        )
    }

    @Test("A lease has at most 256 waiting calls")
    func limit() {
        var machine = AttributeStateMachine()
        for id in 1...256 { _ = machine.request(id, 1, 7, now: .zero) }
        #expect(machine.request(257, 1, 8, now: .zero) == [.complete(257, .failed(.queueFull))])
        #expect(machine.request(258, 2, 8, now: .zero) == [.send(258, 8, .request)])
    }

    @Test(
        "In random sequences, each request completes once and notify sessions are balanced",
        arguments: 0..<300
    )
    func conservation(seed: UInt64) {
        var world = AttributeWorld(seed: seed)
        for _ in 0..<200 { world.step() }
        world.settle()
        #expect(world.problems == [], "seed \(seed)")
    }
}

/// Random leases, and a bluetoothd that answers in any order, late, or with an error.
private struct AttributeWorld {
    private var machine = AttributeStateMachine()
    private var random: SeededGenerator
    private var now = Duration.zero
    private var nextRequest = 0
    private var open: Set<Int> = []
    private var subscriptions: [Int: (lease: Int, attribute: Int)] = [:]
    private var started: Set<Int> = []
    private var pending: [(call: Int, attribute: Int, kind: AttributeStateMachine.CallKind)] = []
    private var backOffs: [Int] = []
    /// The attributes that bluetoothd would notify.
    private var sessions: Set<Int> = []
    private(set) var problems: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func step() {
        now += .milliseconds(Int.random(in: 1...2000, using: &random))
        let lease = Int.random(in: 1...3, using: &random)
        let attribute = Int.random(in: 1...3, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2:
            perform(machine.request(request(), lease, attribute, now: now))
        case 3, 4:
            let id = request()
            subscriptions[id] = (lease, attribute)
            perform(machine.subscribe(id, lease, attribute, now: now))
        case 5:
            guard let id = subscriptions.keys.sorted().randomElement(using: &random) else { return }
            subscriptions[id] = nil
            perform(machine.unsubscribe(id, request(), now: now))
        case 6:
            if let id = open.sorted().randomElement(using: &random) {
                perform(machine.cancel(id))
            }
        case 7:
            subscriptions = subscriptions.filter { $0.value.lease != lease }
            perform(machine.leaseReleased(lease, .cancelled, now: now))
        case 8 where Int.random(in: 0..<4, using: &random) == 0:
            subscriptions = subscriptions.filter { $0.value.attribute != attribute }
            sessions.remove(attribute)
            perform(machine.removed(attribute))
        case 9 where Int.random(in: 0..<8, using: &random) == 0:
            subscriptions = [:]
            perform(machine.linkEnded(.linkLost, sendsStopNotify: true))
            if !open.isEmpty { problems.append("open after the link: \(open.sorted())") }
        default: reply()
        }
    }

    /// Releases all leases, and replies to all calls.
    mutating func settle() {
        for lease in 1...3 { perform(machine.leaseReleased(lease, .cancelled, now: now)) }
        for _ in 0..<500 where !(pending.isEmpty && backOffs.isEmpty) { reply(isSuccess: true) }
        if !open.isEmpty { problems.append("never completed: \(open.sorted())") }
        if !started.isEmpty { problems.append("never ended: \(started.sorted())") }
        if !sessions.isEmpty { problems.append("left on: \(sessions.sorted())") }
    }

    private mutating func request() -> Int {
        nextRequest += 1
        open.insert(nextRequest)
        return nextRequest
    }

    private mutating func reply(isSuccess: Bool = false) {
        if let call = backOffs.popLast() { return perform(machine.backOffEnded(call, now: now)) }
        guard let index = pending.indices.randomElement(using: &random) else { return }
        let (call, attribute, kind) = pending.remove(at: index)
        let failures: [BlueZFailure?] = [nil, nil, nil, .inProgress, .notConnected]
        var failure = isSuccess ? nil : failures.randomElement(using: &random) ?? nil
        if failure == nil, kind == .startNotify { sessions.insert(attribute) }
        if kind == .stopNotify {
            // bluetoothd rejects it only without a session.
            if failure != nil { failure = .notConnected }
            sessions.remove(attribute)
        }
        perform(machine.replied(call, failure, now: now))
    }

    private mutating func perform(_ actions: [Action]) {
        for action in actions {
            switch action {
            case .send(let call, let attribute, let kind):
                if pending.contains(where: { $0.attribute == attribute }) {
                    problems.append("two calls at once on \(attribute)")
                }
                pending.append((call, attribute, kind))
            case .ignoreReply(let call): pending.removeAll { $0.call == call }
            case .backOff(let call, _): backOffs.append(call)
            case .complete(let id, _):
                if open.remove(id) == nil { problems.append("\(id) completed twice") }
            case .startDelivery(let id, _): started.insert(id)
            case .endDelivery(let id, _, _):
                if started.remove(id) == nil { problems.append("\(id) ended twice") }
            case .stopOrphanedNotify(let attribute): sessions.remove(attribute)
            }
        }
    }
}
