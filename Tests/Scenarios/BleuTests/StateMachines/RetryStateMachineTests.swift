import TestSupport
import Testing

@testable import Bleu

@Suite("Retries of a link")
struct RetryStateMachineTests {
    private static let settings = RetryStateMachine.Settings(
        initialDelay: .seconds(1),
        maximumDelay: .seconds(10),
        maximumRetryCount: 5
    )

    @Test("The delays are 1, 2, 4, 8 s and the maximum, then the link fails")
    func pauses() {
        var machine = RetryStateMachine(Self.settings, isUsable: true)
        #expect(machine.connect() == [.report(.connecting), .connect])
        for delay in [1, 2, 4, 8, 10] as [Int] {
            #expect(machine.failed(now: .zero) == [.release, .setTimer(.seconds(delay))])
            #expect(machine.timerFired(now: .seconds(delay)) == [.connect])
        }
        #expect(
            machine.failed(now: .zero) == [.release, .reportUnreachable, .report(.disconnected)]
        )
        #expect(machine.connect() == [.report(.connecting), .connect])
    }

    @Test("Delays of zero become 5 ms, so that immediate failures do not block the loop")
    func noPause() {
        let settings = RetryStateMachine.Settings(
            initialDelay: .zero,
            maximumDelay: .zero,
            maximumRetryCount: .max
        )
        var machine = RetryStateMachine(settings, isUsable: true)
        _ = machine.connect()
        for _ in 0..<100 {
            #expect(machine.failed(now: .zero) == [.release, .setTimer(.milliseconds(5))])
            #expect(machine.timerFired(now: .milliseconds(5)) == [.connect])
        }
    }

    @Test("Repeated losses of a link continue the sequence of delays")
    func shortLinks() {
        var machine = RetryStateMachine(Self.settings, isUsable: true)
        _ = machine.connect()
        for delay in [1, 2, 4] as [Int] {
            #expect(machine.linked(now: .zero) == [.report(.connected)])
            #expect(
                machine.lost(now: .milliseconds(300)) == [
                    .report(.connecting), .release,
                    .setTimer(.seconds(delay) + .milliseconds(300)),
                ]
            )
            _ = machine.timerFired(now: .seconds(60))
        }
    }

    @Test("A stable link, or one with a completed call, resets the delay")
    func provenLinks() {
        for isAnswered in [true, false] {
            var machine = RetryStateMachine(Self.settings, isUsable: true)
            _ = machine.connect()
            for _ in 0..<3 {
                _ = machine.failed(now: .zero)
                _ = machine.timerFired(now: .seconds(60))
            }
            _ = machine.linked(now: .zero)
            if isAnswered { machine.callSucceeded() }
            let end = Duration.seconds(isAnswered ? 2 : 10)
            #expect(
                machine.lost(now: end) == [
                    .report(.connecting), .release, .setTimer(end + .seconds(1)),
                ]
            )
        }
    }

    @Test("No attempt starts or counts while Bluetooth is off")
    func bluetoothOff() {
        var machine = RetryStateMachine(Self.settings, isUsable: false)
        #expect(machine.connect() == [.report(.connecting)])
        #expect(machine.bluetoothChanged(isUsable: true) == [.connect])
        #expect(machine.bluetoothChanged(isUsable: false) == [.setTimer(nil), .release])
        #expect(machine.failed(now: .zero) == [])
        #expect(machine.bluetoothChanged(isUsable: true) == [.connect])
        #expect(machine.failed(now: .zero) == [.release, .setTimer(.seconds(1))])
    }

    @Test("A disconnect ends the attempt, the delay and the link")
    func disconnection() {
        for progress in 0..<3 {
            var machine = RetryStateMachine(Self.settings, isUsable: true)
            _ = machine.connect()
            if progress == 1 { _ = machine.failed(now: .zero) }
            if progress == 2 { _ = machine.linked(now: .zero) }
            #expect(machine.disconnect() == [.setTimer(nil), .release])
            #expect(machine.isIdle)
            #expect(machine.timerFired(now: .seconds(9)) == [])
            #expect(machine.lost(now: .seconds(9)) == [])
        }
    }

    @Test("Random events never start two attempts at once, and leave no link after the end")
    func play() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var machine = RetryStateMachine(Self.settings, isUsable: dice.next() % 2 == 0)
            var (now, isHeld, faults) = (Duration.zero, false, [String]())
            func take(_ actions: [RetryStateMachine.Action]) {
                for action in actions {
                    if action == .connect {
                        if isHeld { faults.append("dialled twice") }
                        isHeld = true
                    }
                    if action == .release { isHeld = false }
                }
            }
            for _ in 0..<400 {
                now += .milliseconds(Int64(dice.next() % 5000))
                switch dice.next() % 8 {
                case 0: take(machine.connect())
                case 1...2: if isHeld { take(machine.linked(now: now)) }
                case 3: if isHeld { take(machine.failed(now: now)) }
                case 4: take(machine.lost(now: now))
                case 5: take(machine.bluetoothChanged(isUsable: dice.next() % 2 == 0))
                case 6: if dice.next() % 4 == 0 { take(machine.disconnect()) }
                default: take(machine.timerFired(now: now))
                }
            }
            take(machine.disconnect())
            #expect(faults == [] && !isHeld && machine.isIdle, "seed \(seed)")
        }
    }
}
