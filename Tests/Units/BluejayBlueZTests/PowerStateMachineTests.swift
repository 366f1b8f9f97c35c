import BluejayDBus
import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Power changes of an adapter")
struct PowerMachineTests {
    /// Returns a machine whose call is pending since 0.
    private static func calling(_ isOn: Bool = true) -> PowerStateMachine {
        var machine = PowerStateMachine(switchingOn: isOn)
        _ = machine.start(now: .zero)
        return machine
    }

    @Test("Switching on completes when the adapter is on, and not with the reply of bluetoothd")
    func settles() {
        var machine = PowerStateMachine(switchingOn: true)
        #expect(machine.start(now: .zero) == [.setTimer(nil), .call(1)])
        #expect(machine.replied(1, .accepted, .off, now: .seconds(1)) == [.setTimer(.seconds(15))])
        #expect(machine.changed(.off) == [])
        #expect(machine.changed(.on) == [.setTimer(nil), .finish(nil)])
        #expect(machine.changed(.off) == [])
    }

    @Test(
        "A switch to the current state completes with the reply",
        arguments: [(true, AdapterState.on), (false, .off), (false, .blocked)]
    )
    func already(isOn: Bool, state: AdapterState) {
        var machine = Self.calling(isOn)
        #expect(machine.replied(1, .accepted, state, now: .zero) == [.setTimer(nil), .finish(nil)])
    }

    @Test("A busy adapter is retried after a delay", .pitfall(.powerRefused))
    func busy() {
        var machine = Self.calling()
        #expect(
            machine.replied(1, .failed(.busy), .off, now: .seconds(1))
                == [.setTimer(.seconds(1) + PowerStateMachine.busyRetryDelay)]
        )
        #expect(machine.timerFired(now: .seconds(2)) == [.setTimer(nil), .call(2)])
        // A late reply to the first call does not belong to the second.
        #expect(machine.replied(1, .accepted, .on, now: .seconds(2)) == [])
        #expect(
            machine.replied(2, .accepted, .on, now: .seconds(2)) == [
                .setTimer(nil), .finish(nil),
            ]
        )
    }

    @Test("A change by another program to the same state completes the switch")
    func busySameEnd() {
        var machine = Self.calling()
        _ = machine.replied(1, .failed(.busy), .off, now: .zero)
        #expect(machine.changed(.on) == [.setTimer(nil), .finish(nil)])
    }

    @Test("An adapter that stays busy fails the switch at its timeout")
    func busyForEver() {
        var machine = Self.calling()
        var now = Duration.zero
        var actions: [PowerStateMachine.Action] = []
        var calls = 1
        while now < .seconds(20), !actions.contains(.finish(.busy)) {
            actions = machine.replied(calls, .failed(.busy), .off, now: now)
            now += PowerStateMachine.busyRetryDelay
            actions = machine.timerFired(now: now)
            calls += 1
        }
        #expect(actions == [.setTimer(nil), .finish(.busy)])
        #expect(now == PowerStateMachine.timeout)
    }

    @Test("A reply without a change of state fails the switch at its timeout")
    func timedOut() {
        var machine = Self.calling()
        _ = machine.replied(1, .accepted, .off, now: .zero)
        #expect(machine.timerFired(now: .seconds(15)) == [.setTimer(nil), .finish(.timedOut)])
    }

    private static let failed = AdapterFailure.failed(
        .other(BusError(name: "org.bluez.Error.Failed", message: "Failed"))
    )

    @Test(
        "rfkill is reported as the reason, from the error of bluetoothd or the state of the adapter"
    )
    func blocked() {
        var machine = Self.calling()
        #expect(
            machine.replied(1, .failed(.blocked), .off, now: .zero)
                == [.setTimer(nil), .finish(.blocked)]
        )
        machine = Self.calling()
        #expect(
            machine.replied(1, .failed(Self.failed), .blocked, now: .zero)
                == [.setTimer(nil), .finish(.blocked)]
        )
        machine = Self.calling()
        #expect(
            machine.replied(1, .failed(Self.failed), .off, now: .zero)
                == [.setTimer(nil), .finish(Self.failed)]
        )
        machine = Self.calling()
        _ = machine.replied(1, .accepted, .off, now: .zero)
        #expect(machine.changed(.blocked) == [.setTimer(nil), .finish(.blocked)])
    }

    @Test("The removal of the adapter or the loss of bluetoothd ends a switch at any time")
    func gone() {
        var calling = Self.calling()
        #expect(calling.changed(.absent) == [.setTimer(nil), .finish(.adapterRemoved)])
        #expect(calling.daemonLost() == [])
        var settling = Self.calling()
        _ = settling.replied(1, .accepted, .off, now: .zero)
        #expect(settling.daemonLost() == [.setTimer(nil), .finish(.failed(.daemonLost))])
        #expect(settling.replied(1, .accepted, .on, now: .zero) == [])
    }

    @Test("Each switch ends once in random sequences", arguments: 0..<200)
    func conservation(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var machine = PowerStateMachine(switchingOn: Bool.random(using: &dice))
        var now = Duration.zero
        var actions = machine.start(now: now)
        let states: [AdapterState] = [.absent, .off, .blocked, .on]
        let replies: [PowerStateMachine.Reply] = [
            .accepted, .failed(.busy), .failed(.blocked), .failed(.adapterRemoved),
            .failed(Self.failed),
        ]
        for _ in 0..<50 {
            now += .milliseconds(Int.random(in: 0...2000, using: &dice))
            let state = states.randomElement(using: &dice) ?? .on
            switch Int.random(in: 0..<4, using: &dice) {
            case 0: actions += machine.changed(state)
            case 1: actions += machine.timerFired(now: now)
            case 2 where Int.random(in: 0..<9, using: &dice) == 0: actions += machine.daemonLost()
            default:
                let call = Int.random(in: 1...3, using: &dice)
                let reply = replies.randomElement(using: &dice) ?? .accepted
                actions += machine.replied(call, reply, state, now: now)
            }
        }
        actions += machine.daemonLost()
        let ends = actions.filter { if case .finish = $0 { true } else { false } }
        #expect(ends.count == 1, "seed \(seed)")
        #expect(actions.last == ends.last, "seed \(seed)")
    }
}

@Suite("Errors of adapter calls")
struct AdapterFailureTests {
    @Test(
        "The error name determines the failure",
        .pitfall(.propertyErrors),
        arguments: [
            ("org.bluez.Error.Blocked", "Blocked through rfkill", AdapterFailure.blocked),
            ("org.bluez.Error.Busy", "", .busy),
            ("org.bluez.Error.DoesNotExist", "Does Not Exist", .unknownDevice),
            ("org.freedesktop.DBus.Error.UnknownObject", "Method …", .adapterRemoved),
            ("org.bluez.Error.NotReady", "Resource Not Ready", .failed(.adapterOff)),
            ("org.freedesktop.DBus.Error.AccessDenied", "no", .failed(.accessDenied("no"))),
            ("org.freedesktop.DBus.Error.ServiceUnknown", "", .failed(.daemonLost)),
        ]
    )
    func table(name: String, message: String, expected: AdapterFailure) {
        #expect(AdapterFailure(BusError(name: name, message: message)) == expected)
        #expect(AdapterFailure(.noReply) == .failed(.daemonNotResponding))
    }
}
