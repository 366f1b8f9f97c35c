import BluejayBlueZ
import TestSupport
import Testing

@Suite("Subscribers with their own sockets")
struct NotifySocketStateMachineTests {
    typealias Machine = NotifySocketStateMachine<String>

    /// Two connected centrals, A with socket 1 and B with socket 2.
    static func two(_ reach: Machine.Reach) -> Machine {
        var machine = Machine()
        _ = machine.connectionsChanged(
            ["A", "B"],
            eligibleCentrals: ["A", "B"],
            reach: reach,
            reportsEachSubscriber: reach == .oneSubscriber
        )
        _ = machine.subscribed("A", mtu: 23)
        _ = machine.subscribed("B", mtu: 100)
        return machine
    }

    static func names(_ machine: Machine) -> [String] { machine.subscribers.map(\.central) }

    @Test("A subscription is reported with the socket number and the MTU")
    func subscribing() {
        var machine = Machine()
        #expect(!machine.isSubscribed)
        let (number, actions) = machine.subscribed("A", mtu: 50)
        #expect(number == 1)
        #expect(actions == [.report(.subscribed("A")), .notifyChange])
        #expect(machine.isSubscribed)
        #expect(machine.subscribers == [Machine.Subscriber(central: "A", mtu: 50)])
    }

    // MARK: One central

    @Test("A unicast value is written to one socket, and a broadcast to each")
    func addressed() {
        var machine = Self.two(.oneSubscriber)
        #expect(machine.send(1, to: "B") == .success([.write(2)]))
        #expect(machine.nextValue(on: 2) == 1)
        #expect(machine.nextValue(on: 1) == nil)
        #expect(machine.wrote(2, .sent) == [.finish(1, .sent)])
        #expect(machine.send(2) == .success([.write(1), .write(2)]))
        #expect(machine.wrote(1, .sent) == [])
        #expect(machine.wrote(2, .sent) == [.finish(2, .sent)])
    }

    @Test("A central without a socket is not subscribed")
    func stranger() {
        var machine = Self.two(.oneSubscriber)
        #expect(machine.send(1, to: "C") == .failure(.notSubscribed))
        var empty = Machine()
        #expect(empty.send(1) == .failure(.notSubscribed))
    }

    @Test("A full socket queues further values in order until it is writable")
    func order() {
        var machine = Self.two(.oneSubscriber)
        _ = machine.send(1, to: "A")
        #expect(machine.wrote(1, .full) == [.watch(1)])
        #expect(machine.send(2, to: "A") == .success([]))
        #expect(machine.nextValue(on: 1) == nil)
        #expect(machine.writable(1) == [.write(1)])
        #expect(machine.nextValue(on: 1) == 1)
        #expect(machine.wrote(1, .sent) == [.finish(1, .sent), .write(1)])
        #expect(machine.nextValue(on: 1) == 2)
    }

    @Test("The 257th queued value is rejected, and skipped broadcasts are counted")
    func bound() {
        var machine = Self.two(.oneSubscriber)
        _ = machine.send(0, to: "A")
        _ = machine.wrote(1, .full)
        for value in 1..<256 { #expect(machine.send(value, to: "A") == .success([])) }
        #expect(machine.send(256, to: "A") == .failure(.full))
        #expect(machine.send(257) == .success([.write(2)]))
        #expect(machine.subscribers.map(\.droppedCount) == [1, 0])
        #expect(machine.subscribers.map(\.pendingCount) == [256, 1])
        _ = machine.connectionsChanged(["A"], eligibleCentrals: ["A"], reach: .oneSubscriber)
        #expect(machine.send(258) == .failure(.full))
    }

    @Test("A central that leaves loses its queued values and its socket, and the other keeps both")
    func leaving() {
        var machine = Self.two(.oneSubscriber)
        _ = machine.send(1, to: "A")
        _ = machine.wrote(1, .full)
        _ = machine.send(2)
        let actions = machine.connectionsChanged(
            ["B"],
            eligibleCentrals: ["B"],
            reach: .oneSubscriber
        )
        #expect(
            actions == [
                .close(1), .finish(1, .failed(.notSubscribed)), .notifyChange,
                .report(.disconnected("A")),
            ]
        )
        #expect(machine.wrote(2, .sent) == [.finish(2, .sent)])
        #expect(Self.names(machine) == ["B"])
    }

    @Test("A closed socket ends the subscription, but not the connection")
    func mute() {
        var machine = Self.two(.oneSubscriber)
        #expect(
            machine.socketClosed(2) == [.close(2), .notifyChange, .report(.unsubscribed("B"))]
        )
        #expect(machine.subscribed("B", mtu: nil).number == 3)
        #expect(
            machine.socketClosed(1) == [.setTimer(.seconds(5)), .close(1), .notifyChange]
        )
        #expect(Self.names(machine) == ["B"])
        #expect(machine.send(1, to: "A") == .failure(.notSubscribed))
        #expect(machine.socketClosed(1) == [])
        let (number, actions) = machine.subscribed("A", mtu: nil)
        #expect((number, actions) == (4, [.report(.subscribed("A")), .notifyChange]))
        #expect(machine.timerFired(at: .seconds(5)) == [])
        #expect(machine.send(2, to: "A") == .success([.write(4)]))
    }

    @Test("A new subscription uses a new socket, and values queued on the old one are discarded")
    func again() {
        var machine = Self.two(.oneSubscriber)
        _ = machine.send(1, to: "A")
        _ = machine.wrote(1, .closed)
        let actions = machine.subscribed("A", mtu: nil).actions
        #expect(
            actions == [
                .report(.subscribed("A")), .close(1), .finish(1, .failed(.notSubscribed)),
                .notifyChange,
            ]
        )
        #expect(Self.names(machine) == ["B", "A"])
    }

    @Test("A lost bluetoothd ends each subscription, also one that is undecided")
    func lost() {
        var machine = three()
        _ = machine.socketClosed(1, at: .zero)
        #expect(
            machine.lost() == [
                .close(2), .close(3), .notifyChange, .report(.unsubscribed("B")),
                .report(.unsubscribed("C")), .report(.unsubscribed("A")),
            ]
        )
        #expect(machine.timerFired(at: .seconds(5)) == [])
    }

    @Test("Where only the first subscriber is reported, a closed socket ends all subscriptions")
    func allUnsubscribed() {
        var machine = Machine()
        _ = machine.connectionsChanged(
            ["A", "B"],
            eligibleCentrals: ["A", "B"],
            reach: .allSubscribers
        )
        _ = machine.subscribed("A", mtu: 23)
        #expect(
            machine.socketClosed(1) == [.close(1), .notifyChange, .report(.unsubscribed(nil))]
        )
        #expect(machine.lost() == [])
    }

    // MARK: Sockets closed by mistake

    /// Centrals A, B and C with sockets 1 to 3, under a bluetoothd that closes the first one.
    private func three(_ reach: Machine.Reach = .oneSubscriber) -> Machine {
        var machine = Machine()
        _ = leave(&machine, to: ["A", "B", "C"], .zero, reach)
        for central in ["A", "B", "C"] { _ = machine.subscribed(central, mtu: 23) }
        return machine
    }

    private func leave(
        _ machine: inout Machine,
        to remaining: Set<String>,
        _ time: Duration,
        _ reach: Machine.Reach = .oneSubscriber
    ) -> [Machine.Action] {
        machine.connectionsChanged(
            remaining,
            eligibleCentrals: remaining,
            reach: reach,
            reportsEachSubscriber: true,
            at: time
        )
    }

    private func shared(_ machine: Machine) -> [String] {
        machine.subscribers.filter(\.sharesValues).map(\.central)
    }

    @Test("If a socket closes with another central's, its owner still receives broadcasts")
    func closedByMistake() {
        var machine = three()
        #expect(
            machine.socketClosed(1, at: .zero)
                == [.setTimer(.seconds(5)), .close(1), .notifyChange]
        )
        #expect(Self.names(machine) == ["B", "C"])
        #expect(
            leave(&machine, to: ["A", "C"], .milliseconds(10)) == [
                .close(2), .notifyChange, .report(.lostSocket("A")), .report(.disconnected("B")),
            ]
        )
        #expect(Self.names(machine) == ["C", "A"])
        #expect(shared(machine) == ["A"])
        #expect(machine.send(1) == .success([.signal(1), .finish(1, .sent)]))
        #expect(machine.send(2, to: "A") == .failure(.notAddressable))
        #expect(machine.send(3, to: "C") == .success([.write(3)]))
        #expect(machine.wrote(3, .sent) == [.finish(3, .sent)])
        _ = leave(&machine, to: ["A"], .seconds(60))
        #expect(machine.send(4, to: "A") == .success([.signal(4), .finish(4, .sent)]))
        #expect(
            machine.subscribed("A", mtu: 23).actions
                == [.report(.subscribed("A")), .close(1), .notifyChange]
        )
        #expect(machine.send(5, to: "A") == .success([.write(4)]))
        #expect(shared(machine) == [])
    }

    @Test("The link may end before its socket closes")
    func closedBehind() {
        var machine = three()
        _ = leave(&machine, to: ["A", "C"], .zero)
        #expect(shared(machine) == [])
        _ = machine.send(1, to: "A")
        let actions = machine.socketClosed(1, at: .milliseconds(10))
        #expect(
            actions == [
                .close(1), .finish(1, .failed(.notSubscribed)), .notifyChange,
                .report(.lostSocket("A")),
            ]
        )
        #expect(shared(machine) == ["A"])
        _ = leave(&machine, to: ["C"], .seconds(60))
        #expect(Self.names(machine) == ["C"])
    }

    @Test("A central that leaves closes only the first socket, which may be its own")
    func ownSocket() {
        var machine = three()
        _ = leave(&machine, to: ["B", "C"], .zero)
        _ = machine.socketClosed(2, at: .milliseconds(10))
        #expect(Self.names(machine) == ["C"])
        machine = three()
        // bluetoothd then closes the central's own socket, too.
        _ = machine.socketClosed(1, at: .zero)
        _ = machine.socketClosed(3, at: .zero)
        _ = leave(&machine, to: ["A", "B"], .milliseconds(10))
        #expect(shared(machine) == ["A"])
        #expect(Self.names(machine) == ["B", "A"])
    }

    @Test("A subscription that ended long before another central left does not resume")
    func endedBefore() {
        var machine = three()
        _ = machine.socketClosed(1, at: .zero)
        #expect(
            leave(&machine, to: ["A", "C"], .seconds(6)) == [
                .close(2), .notifyChange, .report(.unsubscribed("A")),
                .report(.disconnected("B")),
            ]
        )
        #expect(Self.names(machine) == ["C"])
        #expect(machine.send(1, to: "A") == .failure(.notSubscribed))
    }

    @Test("A central without a socket that leaves closes the last socket by mistake")
    func lastSocketOfTwo() {
        var machine = Self.two(.oneSubscriber)
        _ = leave(&machine, to: ["A", "B", "C"], .zero)
        _ = machine.subscribed("C", mtu: 23)
        _ = machine.socketClosed(1, at: .zero)
        _ = leave(&machine, to: ["A", "B"], .zero)
        #expect(shared(machine) == ["A"])
        // A is still subscribed, and closes the socket of B.
        _ = machine.socketClosed(2, at: .seconds(60))
        #expect(
            leave(&machine, to: ["B"], .seconds(61)) == [
                .close(1), .notifyChange, .report(.lostSocket("B")), .report(.disconnected("A")),
            ]
        )
        #expect(shared(machine) == ["B"])
    }

    @Test("If no other link ends within 5 s, the central has unsubscribed")
    func expiry() {
        var machine = three()
        _ = machine.socketClosed(1, at: .zero)
        #expect(
            machine.socketClosed(2, at: .seconds(1))
                == [.setTimer(.seconds(5)), .close(2), .notifyChange]
        )
        #expect(
            machine.timerFired(at: .seconds(5))
                == [.setTimer(.seconds(6)), .report(.unsubscribed("A"))]
        )
        #expect(
            leave(&machine, to: ["A", "C"], .milliseconds(5_500)) == [.report(.disconnected("B"))]
        )
        #expect(machine.timerFired(at: .seconds(6)) == [])
    }

    @Test("The link may end seconds after its socket closes")
    func lateEnd() {
        var machine = three()
        _ = machine.socketClosed(1, at: .zero)
        _ = leave(&machine, to: ["A", "C"], .seconds(4))
        #expect(shared(machine) == ["A"])
    }

    @Test("Once no socket is left, broadcasts are sent as signals")
    func lastSocket() {
        var machine = three(.allSubscribers)
        _ = machine.socketClosed(1, at: .zero)
        _ = leave(&machine, to: ["A", "C"], .zero, .allSubscribers)
        #expect(shared(machine) == ["A"])
        #expect(machine.send(1) == .success([.write(2)]))
        _ = machine.socketClosed(2, at: .zero)
        #expect(machine.send(2) == .success([.write(3)]))
        _ = machine.socketClosed(3, at: .seconds(9))
        #expect(machine.send(3) == .success([.signal(3), .finish(3, .sent)]))
        #expect(machine.isSubscribed)
    }

    // MARK: All centrals

    @Test("Unicast is available only while no other central is connected")
    func alone() {
        var machine = Self.two(.allSubscribers)
        #expect(machine.send(1, to: "A") == .failure(.notAddressable))
        #expect(machine.send(2) == .success([.write(1)]))
        _ = machine.connectionsChanged(["B"], eligibleCentrals: ["B"], reach: .allSubscribers)
        // The first has left and its socket serves the other: bluetoothd reports only the first.
        #expect(machine.send(3, to: "B") == .success([.write(1)]))
        #expect(machine.send(4, to: "A") == .failure(.notSubscribed))
        _ = machine.connectionsChanged(
            ["B", "C"],
            eligibleCentrals: ["B", "C"],
            reach: .allSubscribers
        )
        #expect(machine.send(5, to: "B") == .failure(.notAddressable))
    }

    @Test("Peripherals of this computer count as subscribers only once they subscribe")
    func audience() {
        var machine = Machine()
        _ = machine.connectionsChanged(["A", "P"], eligibleCentrals: ["A"], reach: .allSubscribers)
        _ = machine.subscribed("A", mtu: nil)
        #expect(machine.send(1, to: "A") == .success([.write(1)]))
        _ = machine.subscribed("P", mtu: nil)
        #expect(machine.send(2, to: "A") == .failure(.notAddressable))
    }

    @Test("If another central connects, queued unicast values fail and broadcasts remain queued")
    func foreign() {
        var machine = Machine()
        _ = machine.connectionsChanged(["A"], eligibleCentrals: ["A"], reach: .allSubscribers)
        _ = machine.subscribed("A", mtu: nil)
        _ = machine.send(1)
        _ = machine.wrote(1, .full)
        _ = machine.send(2, to: "A")
        _ = machine.send(3)
        let actions = machine.connectionsChanged(
            ["A", "B"],
            eligibleCentrals: ["A", "B"],
            reach: .allSubscribers
        )
        #expect(actions == [.finish(2, .failed(.notAddressable))])
        _ = machine.writable(1)
        #expect(machine.wrote(1, .sent) == [.finish(1, .sent), .write(1)])
        #expect(machine.nextValue(on: 1) == 3)
    }

    @Test("Broadcasts queued on a closed socket continue in order on another one")
    func heir() {
        var machine = Self.two(.allSubscribers)
        _ = machine.send(1)
        _ = machine.wrote(1, .full)
        _ = machine.send(2)
        #expect(
            machine.socketClosed(1)
                == [.close(1), .write(2), .notifyChange, .report(.unsubscribed(nil))]
        )
        #expect(machine.wrote(2, .sent) == [.finish(1, .sent), .write(2)])
        #expect(
            machine.socketClosed(2) == [
                .close(2), .finish(2, .failed(.notSubscribed)), .notifyChange,
                .report(.unsubscribed(nil)),
            ]
        )
        #expect(!machine.isSubscribed)
    }

    @Test("A socket stays open while its central is away, because a bonded central may return")
    func bonded() {
        var machine = Machine()
        _ = machine.connectionsChanged(["A"], eligibleCentrals: ["A"], reach: .allSubscribers)
        _ = machine.subscribed("A", mtu: nil)
        #expect(
            machine.connectionsChanged([], eligibleCentrals: [], reach: .allSubscribers) == [
                .notifyChange, .report(.disconnected("A")),
            ]
        )
        #expect(!machine.isSubscribed)
        #expect(
            machine.connectionsChanged(["A"], eligibleCentrals: ["A"], reach: .allSubscribers) == [
                .notifyChange
            ]
        )
        #expect(machine.send(1, to: "A") == .success([.write(1)]))
    }

    // MARK: Conservation

    @Test(
        "Each accepted value finishes exactly once",
        arguments: 0..<200 as Range<UInt64>
    )
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var (taken, finished, open): (Set<Int>, [Int], Set<Int>) = ([], [], [])
        var reach = Machine.Reach.allSubscribers
        func note(_ actions: [Machine.Action]) {
            for action in actions {
                if case .finish(let value, _) = action { finished.append(value) }
                if case .close(let number) = action { open.remove(number) }
            }
        }
        for value in 0..<400 {
            let central = ["A", "B", "C"].randomElement(using: &random) ?? "A"
            let number = open.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let (number, actions) = machine.subscribed(central, mtu: nil)
                open.insert(number)
                note(actions)
            case 1: note(machine.socketClosed(number))
            case 2: note(machine.wrote(number, .full))
            case 3: note(machine.writable(number))
            case 4 where machine.nextValue(on: number) != nil: note(machine.wrote(number, .sent))
            case 5:
                if Int.random(in: 0..<10, using: &random) == 0 {
                    reach = reach == .oneSubscriber ? .allSubscribers : .oneSubscriber
                }
                let now = Set(["A", "B", "C"].filter { _ in Bool.random(using: &random) })
                note(machine.connectionsChanged(now, eligibleCentrals: now, reach: reach))
            default:
                let recipient = Bool.random(using: &random) ? central : nil
                if case .success(let actions) = machine.send(value, to: recipient) {
                    taken.insert(value)
                    note(actions)
                }
            }
        }
        note(machine.lost())
        #expect(finished.count == taken.count, "seed \(seed)")
        #expect(Set(finished) == taken, "seed \(seed)")
        #expect(open.isEmpty, "seed \(seed)")
        #expect(machine.subscribers.isEmpty)
    }
}
