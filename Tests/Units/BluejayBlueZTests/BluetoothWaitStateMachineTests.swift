import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("How long somebody waits for Bluetooth")
struct BluetoothGateMachineTests {
    private typealias Gate = BluetoothWaitStateMachine<Int>

    private func gate(_ standing: Gate.Availability = .unknown) -> Gate {
        var gate = Gate()
        _ = gate.changed(standing, now: .zero)
        return gate
    }

    @Test("What is on admits at once, what cannot be used refuses at once")
    func atOnce() {
        var on = gate(.on)
        #expect(on.wait(1, within: .seconds(10), now: .zero) == [.grant(1)])
        var unusable = gate(.unusable)
        #expect(unusable.wait(1, within: .seconds(10), now: .zero) == [.fail(1)])
    }

    @Test("What is off has a second, and what is not known as long as a link")
    func grace() {
        var off = gate(.off)
        #expect(off.wait(1, within: .seconds(10), now: .seconds(5)) == [.setTimer(.seconds(6))])
        #expect(off.timerFired(now: .seconds(6)) == [.fail(1)])
        var unknown = gate()
        #expect(
            unknown.wait(1, within: .seconds(10), now: .seconds(5)) == [.setTimer(.seconds(15))]
        )
        #expect(unknown.timerFired(now: .seconds(15)) == [.fail(1)])
    }

    @Test("Each has a limit of his own, with one timer")
    func oneTimer() {
        var gate = gate()
        #expect(gate.wait(1, within: .seconds(10), now: .zero) == [.setTimer(.seconds(10))])
        #expect(gate.wait(2, within: .seconds(10), now: .seconds(4)).isEmpty)
        #expect(gate.timerFired(now: .seconds(10)) == [.fail(1), .setTimer(.seconds(14))])
        #expect(gate.timerFired(now: .seconds(14)) == [.fail(2)])
    }

    @Test("Each waiter has the limit that it asked for")
    func ownLimits() {
        var gate = gate()
        #expect(gate.wait(1, within: .seconds(10), now: .zero) == [.setTimer(.seconds(10))])
        #expect(gate.wait(2, within: .seconds(3), now: .zero) == [.setTimer(.seconds(3))])
        _ = gate.changed(.off, now: .seconds(1))
        #expect(gate.changed(.unknown, now: .seconds(1.5)) == [.setTimer(.seconds(4.5))])
        #expect(gate.timerFired(now: .seconds(4.5)) == [.fail(2), .setTimer(.seconds(11.5))])
    }

    @Test("When it becomes known, all have their answer in their order, or a second from then on")
    func becomesKnown() {
        for (standing, told) in [
            (Gate.Availability.on, [Gate.Action.grant(1), .grant(2), .setTimer(nil)]),
            (.unusable, [.fail(1), .fail(2), .setTimer(nil)]),
            (.off, [.setTimer(.seconds(4))]),
            (.unknown, []),
        ] {
            var gate = gate()
            _ = gate.wait(1, within: .seconds(10), now: .zero)
            _ = gate.wait(2, within: .seconds(10), now: .seconds(1))
            #expect(gate.changed(standing, now: .seconds(3)) == told)
            #expect(gate.changed(standing, now: .seconds(3)).isEmpty)
        }
    }

    @Test("What was off and is not known any more has the longer time")
    func forgotten() {
        var gate = gate(.off)
        _ = gate.wait(1, within: .seconds(10), now: .zero)
        #expect(gate.changed(.unknown, now: .milliseconds(500)) == [.setTimer(.seconds(10.5))])
    }

    @Test("Who leaves is not told; the last one takes the timer with him")
    func leaves() {
        var gate = gate()
        _ = gate.wait(1, within: .seconds(10), now: .zero)
        _ = gate.wait(2, within: .seconds(10), now: .seconds(1))
        #expect(gate.cancel(1) == [.setTimer(.seconds(11))])
        #expect(gate.cancel(1).isEmpty)
        #expect(gate.cancel(2) == [.setTimer(nil)])
        #expect(gate.changed(.on, now: .seconds(2)).isEmpty)
    }

    @Test("Each who waits is told once or leaves, at the right time, whatever comes")
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        for round in UInt64(0)..<1_000 {
            var play = GatePlay(seed &+ round)
            for _ in 0..<150 { play.step() }
            play.end()
            #expect(play.faults.isEmpty, "seed \(seed), round \(round)")
        }
    }
}

/// Plays random events with a gate, and records violations.
private struct GatePlay {
    private typealias Gate = BluetoothWaitStateMachine<Int>

    private(set) var faults: [String] = []
    private var dice: SeededGenerator
    private var gate = Gate()
    private var standing = Gate.Availability.unknown
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
            waiting[last] = now + limit
            take(gate.wait(last, within: .seconds(10), now: now))
        case 3:
            guard last > 0 else { return }
            let waiter = Int.random(in: 1...last, using: &dice)
            waiting[waiter] = nil
            take(gate.cancel(waiter))
        case 4: change([.unknown, .on, .off, .unusable][Int(dice.next() % 4)])
        default:
            let time = Duration.milliseconds(Int.random(in: 0...3_000, using: &dice))
            if let timer, timer <= now + time { fire() } else { now += time }
        }
    }

    mutating func end() {
        change(.off)
        while timer != nil { fire() }
        expect(waiting.isEmpty, "waits for ever")
    }

    private var limit: Duration { standing == .off ? .seconds(1) : .seconds(10) }

    private mutating func change(_ new: Gate.Availability) {
        let isAnother = new != standing
        standing = new
        if isAnother { for waiter in waiting.keys { waiting[waiter] = now + limit } }
        take(gate.changed(new, now: now))
    }

    private mutating func fire() {
        guard let due = timer else { return }
        now = max(now, due)
        timer = nil
        take(gate.timerFired(now: now))
    }

    private mutating func take(_ actions: [Gate.Action]) {
        for action in actions {
            switch action {
            case .grant(let waiter):
                expect(standing == .on && waiting.removeValue(forKey: waiter) != nil, "admitted")
            case .fail(let waiter):
                let limit = waiting.removeValue(forKey: waiter)
                let isOver = standing != .on && limit == now
                expect(limit != nil && (standing == .unusable || isOver), "refused")
            case .setTimer(let instant):
                expect(instant != timer, "the same timer again")
                timer = instant
            }
        }
        expect(timer == waiting.values.min(), "the timer is another's")
        expect(waiting.isEmpty || standing == .off || standing == .unknown, "waits for nothing")
    }
}
