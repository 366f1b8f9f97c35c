import TestSupport
import Testing

@testable import MeshPeer

@Suite("The rotation of an identity")
struct RotationStateMachineTests {
    @Test("A rotation withdraws, advertises again, and counts the next from its deadline")
    func order() {
        var machine = RotationStateMachine(interval: .seconds(900))
        #expect(machine.start(now: .zero) == [.setTimer(.seconds(900))])
        #expect(machine.start(now: .seconds(1)) == [])
        #expect(machine.timerFired(now: .seconds(899)) == [.setTimer(.seconds(900))])
        #expect(machine.timerFired(now: .seconds(901)) == [.withdraw])
        #expect(machine.isWithdrawing)
        #expect(machine.timerFired(now: .seconds(902)) == [])
        #expect(machine.withdrawn() == [.advertise, .setTimer(.seconds(1800))])
        #expect(machine.withdrawn() == [])
    }

    @Test("After a suspension of the computer a single rotation follows")
    func suspension() {
        var machine = RotationStateMachine(interval: .seconds(900))
        _ = machine.start(now: .zero)
        #expect(machine.timerFired(now: .seconds(5000)) == [.withdraw])
        #expect(machine.withdrawn() == [.advertise, .setTimer(.seconds(5900))])
    }

    @Test("A new interval counts from now on, also during a rotation")
    func newInterval() {
        var machine = RotationStateMachine(interval: .seconds(900))
        #expect(machine.setInterval(.seconds(60), now: .seconds(1)) == [])
        #expect(machine.start(now: .seconds(10)) == [.setTimer(.seconds(70))])
        #expect(
            machine.setInterval(.seconds(100), now: .seconds(50)) == [.setTimer(.seconds(150))]
        )
        _ = machine.timerFired(now: .seconds(150))
        #expect(machine.setInterval(.seconds(10), now: .seconds(151)) == [])
        #expect(machine.withdrawn() == [.advertise, .setTimer(.seconds(161))])
    }

    @Test("Without an interval nothing rotates, and a stop ends a pending rotation")
    func stop() {
        var machine = RotationStateMachine(interval: nil)
        #expect(machine.start(now: .zero) == [.setTimer(nil)])
        #expect(machine.setInterval(.seconds(1), now: .zero) == [.setTimer(.seconds(1))])
        _ = machine.timerFired(now: .seconds(1))
        #expect(machine.stop() == [.setTimer(nil)])
        #expect(machine.withdrawn() == [])
        #expect(machine.stop() == [])
    }

    @Test("Random events advertise after each withdrawal, unless they stop")
    func play() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var machine = RotationStateMachine(interval: .seconds(5))
            var (now, timer) = (Duration.zero, Duration?.none)
            var (isStarted, isWithdrawn) = (false, false)
            for _ in 0..<300 {
                now += .milliseconds(Int64(dice.next() % 900))
                let actions: [RotationStateMachine.Action]
                switch dice.next() % 8 {
                case 0:
                    isStarted = true
                    actions = machine.start(now: now)
                case 1:
                    guard dice.next() % 4 == 0 else { continue }
                    (isStarted, isWithdrawn) = (false, false)
                    actions = machine.stop()
                case 2:
                    let seconds = Int64(dice.next() % 9)
                    let interval = seconds == 0 ? nil : Duration.seconds(seconds)
                    actions = machine.setInterval(interval, now: now)
                case 3...5:
                    guard let instant = timer, instant <= now else { continue }
                    timer = nil
                    actions = machine.timerFired(now: now)
                default: actions = machine.withdrawn()
                }
                for action in actions {
                    switch action {
                    case .withdraw:
                        #expect(isStarted && !isWithdrawn, "seed \(seed)")
                        isWithdrawn = true
                    case .advertise:
                        #expect(isStarted && isWithdrawn, "seed \(seed)")
                        isWithdrawn = false
                    case .setTimer(let instant): timer = instant
                    }
                }
                #expect(machine.isWithdrawing == isWithdrawn, "seed \(seed)")
            }
        }
    }
}
