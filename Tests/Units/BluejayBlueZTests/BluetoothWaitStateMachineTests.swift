import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Waits for Bluetooth")
struct BluetoothWaitStateMachineTests {
    private typealias Machine = BluetoothWaitStateMachine<Int>

    private func machine(_ availability: Machine.Availability = .unknown) -> Machine {
        var machine = Machine()
        _ = machine.changed(availability, now: .zero)
        return machine
    }

    @Test("An adapter that is on grants a wait at once; an unusable one fails the wait at once")
    func atOnce() {
        var on = machine(.on)
        #expect(on.wait(1, within: .seconds(10), now: .zero) == [.grant(1)])
        var unusable = machine(.unusable)
        #expect(unusable.wait(1, within: .seconds(10), now: .zero) == [.fail(1)])
    }

    @Test(
        "A wait lasts one second if Bluetooth is off, and until its timeout if the state is unknown"
    )
    func grace() {
        var off = machine(.off)
        #expect(off.wait(1, within: .seconds(10), now: .seconds(5)) == [.setTimer(.seconds(6))])
        #expect(off.timerFired(now: .seconds(6)) == [.fail(1)])
        var unknown = machine()
        #expect(
            unknown.wait(1, within: .seconds(10), now: .seconds(5)) == [.setTimer(.seconds(15))]
        )
        #expect(unknown.timerFired(now: .seconds(15)) == [.fail(1)])
    }

    @Test("Waits with different deadlines share one timer")
    func oneTimer() {
        var machine = machine()
        #expect(machine.wait(1, within: .seconds(10), now: .zero) == [.setTimer(.seconds(10))])
        #expect(machine.wait(2, within: .seconds(10), now: .seconds(4)).isEmpty)
        #expect(machine.timerFired(now: .seconds(10)) == [.fail(1), .setTimer(.seconds(14))])
        #expect(machine.timerFired(now: .seconds(14)) == [.fail(2)])
    }

    @Test("Each wait has its own timeout")
    func ownLimits() {
        var machine = machine()
        #expect(machine.wait(1, within: .seconds(10), now: .zero) == [.setTimer(.seconds(10))])
        #expect(machine.wait(2, within: .seconds(3), now: .zero) == [.setTimer(.seconds(3))])
        _ = machine.changed(.off, now: .seconds(1))
        #expect(machine.changed(.unknown, now: .seconds(1.5)) == [.setTimer(.seconds(4.5))])
        #expect(machine.timerFired(now: .seconds(4.5)) == [.fail(2), .setTimer(.seconds(11.5))])
    }

    @Test(
        "The known state completes all waits in order, or leaves them one second if Bluetooth is off"
    )
    func becomesKnown() {
        for (availability, told) in [
            (Machine.Availability.on, [Machine.Action.grant(1), .grant(2), .setTimer(nil)]),
            (.unusable, [.fail(1), .fail(2), .setTimer(nil)]),
            (.off, [.setTimer(.seconds(4))]),
            (.unknown, []),
        ] {
            var machine = machine()
            _ = machine.wait(1, within: .seconds(10), now: .zero)
            _ = machine.wait(2, within: .seconds(10), now: .seconds(1))
            #expect(machine.changed(availability, now: .seconds(3)) == told)
            #expect(machine.changed(availability, now: .seconds(3)).isEmpty)
        }
    }

    @Test("A wait gets its full timeout when a known state becomes unknown")
    func forgotten() {
        var machine = machine(.off)
        _ = machine.wait(1, within: .seconds(10), now: .zero)
        #expect(machine.changed(.unknown, now: .milliseconds(500)) == [.setTimer(.seconds(10.5))])
    }

    @Test("A cancelled wait is neither granted nor failed; cancelling the last one stops the timer")
    func leaves() {
        var machine = machine()
        _ = machine.wait(1, within: .seconds(10), now: .zero)
        _ = machine.wait(2, within: .seconds(10), now: .seconds(1))
        #expect(machine.cancel(1) == [.setTimer(.seconds(11))])
        #expect(machine.cancel(1).isEmpty)
        #expect(machine.cancel(2) == [.setTimer(nil)])
        #expect(machine.changed(.on, now: .seconds(2)).isEmpty)
    }

    @Test("Each wait is granted, failed or cancelled exactly once, at the right time", .computing)
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        for round in UInt64(0)..<1_000 {
            var play = WaitPlay(seed &+ round)
            for _ in 0..<150 { play.step() }
            play.end()
            #expect(play.faults.isEmpty, "seed \(seed), round \(round)")
        }
    }
}

/// Plays random events with the state machine, and records violations.
private struct WaitPlay {
    private typealias Machine = BluetoothWaitStateMachine<Int>

    private(set) var faults: [String] = []
    private var dice: SeededGenerator
    private var machine = Machine()
    private var availability = Machine.Availability.unknown
    private var now = Duration.zero
    private var timer: Duration?
    private var last = 0
    private var waiting: [Int: Duration] = [:]

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
    }

    private mutating func expect(_ isSo: Bool, _ fault: String) {
        if !isSo { faults.append("\(fault), at \(now)") }
    }

    mutating func step() {
        switch dice.next() % 8 {
        case 0, 1, 2:
            last += 1
            waiting[last] = now + timeout
            take(machine.wait(last, within: .seconds(10), now: now))
        case 3:
            guard last > 0 else { return }
            let waiter = Int.random(in: 1...last, using: &dice)
            waiting[waiter] = nil
            take(machine.cancel(waiter))
        case 4: change([.unknown, .on, .off, .unusable][Int(dice.next() % 4)])
        default:
            let time = Duration.milliseconds(Int.random(in: 0...3_000, using: &dice))
            if let timer, timer <= now + time { fire() } else { now += time }
        }
    }

    mutating func end() {
        change(.off)
        while timer != nil { fire() }
        expect(waiting.isEmpty, "a wait has no deadline")
    }

    private var timeout: Duration { availability == .off ? .seconds(1) : .seconds(10) }

    private mutating func change(_ new: Machine.Availability) {
        let isAnother = new != availability
        availability = new
        if isAnother { for waiter in waiting.keys { waiting[waiter] = now + timeout } }
        take(machine.changed(new, now: now))
    }

    private mutating func fire() {
        guard let due = timer else { return }
        now = max(now, due)
        timer = nil
        take(machine.timerFired(now: now))
    }

    private mutating func take(_ actions: [Machine.Action]) {
        for action in actions {
            switch action {
            case .grant(let waiter):
                let wasWaiting = waiting.removeValue(forKey: waiter) != nil
                expect(availability == .on && wasWaiting, "admitted")
            case .fail(let waiter):
                let timeout = waiting.removeValue(forKey: waiter)
                let isOver = availability != .on && timeout == now
                expect(timeout != nil && (availability == .unusable || isOver), "refused")
            case .setTimer(let instant):
                expect(instant != timer, "the timer was set twice")
                timer = instant
            }
        }
        expect(timer == waiting.values.min(), "the timer belongs to another wait")
        let mayWait = availability == .off || availability == .unknown
        expect(waiting.isEmpty || mayWait, "a wait remains without a reason")
    }
}
