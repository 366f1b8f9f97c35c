import TestSupport
import TestTraits
import Testing

@testable import Bleu

@Suite("Calls to one peripheral")
struct CallStateMachineTests {
    typealias Machine = CallStateMachine<Int>

    private static let settings = Machine.Settings(
        replyTimeout: .seconds(10),
        messageTimeout: .seconds(30),
        queueCapacity: 2
    )

    private static func up() -> Machine {
        var machine = Machine(settings, isUsable: true)
        _ = machine.linkUp(now: .zero)
        return machine
    }

    @Test("A call without a link requests one, and starts when it is up")
    func connects() {
        var machine = Machine(Self.settings, isUsable: true)
        #expect(machine.add(1, now: .zero) == [.connect])
        #expect(machine.linkUp(now: .seconds(3)) == [.start(1), .setTimer(.seconds(13))])
    }

    @Test("Calls start one after the other, in their order")
    func order() {
        var machine = Self.up()
        #expect(machine.add(1, now: .zero) == [.start(1), .setTimer(.seconds(10))])
        #expect(machine.add(2, now: .zero) == [])
        #expect(machine.add(3, now: .zero) == [])
        #expect(
            machine.finished(1, now: .seconds(1)) == [.start(2), .setTimer(.seconds(11))]
        )
        #expect(
            machine.finished(2, now: .seconds(2)) == [.start(3), .setTimer(.seconds(12))]
        )
        #expect(machine.finished(3, now: .seconds(3)) == [.setTimer(nil)])
        #expect(machine.isIdle)
    }

    @Test("A call above the limit fails at once")
    func limit() {
        var machine = Self.up()
        for call in 1...3 { _ = machine.add(call, now: .zero) }
        #expect(machine.add(4, now: .zero) == [.fail(4, .tooManyCalls)])
    }

    @Test("The timeout of a call counts from its sending")
    func answerTime() {
        var machine = Self.up()
        _ = machine.add(1, now: .zero)
        #expect(machine.sending(1, now: .seconds(1)) == [.setTimer(.seconds(31))])
        #expect(machine.sent(1, now: .seconds(9)) == [.setTimer(.seconds(19))])
        #expect(machine.timerFired(now: .seconds(18)) == [.setTimer(.seconds(19))])
        #expect(
            machine.timerFired(now: .seconds(19)) == [.cancel(1), .fail(1, .timedOut)]
        )
        #expect(machine.finished(1, now: .seconds(20)) == [], "the late reply belongs to no call")
    }

    @Test("Each frame of a long call and of a long reply extends the timeout")
    func longAnswer() {
        var machine = Self.up()
        _ = machine.add(1, now: .zero)
        _ = machine.sending(1, now: .zero)
        #expect(machine.progressed(1, now: .seconds(29)) == [.setTimer(.seconds(59))])
        #expect(machine.sent(1, now: .seconds(50)) == [.setTimer(.seconds(60))])
        #expect(machine.progressed(1, now: .seconds(51)) == [])
        #expect(machine.replyStarted(1, now: .seconds(52)) == [.setTimer(.seconds(62))])
        #expect(machine.replyStarted(1, now: .seconds(53)) == [])
        #expect(machine.progressed(1, now: .seconds(61)) == [.setTimer(.seconds(71))])
        #expect(machine.sent(1, now: .seconds(62)) == [])
    }

    @Test("A call that may have arrived fails when the link ends, and is not sent again")
    func linkLost() {
        var machine = Self.up()
        _ = machine.add(1, now: .zero)
        _ = machine.add(2, now: .zero)
        _ = machine.sending(1, now: .zero)
        #expect(
            machine.linkDown(now: .seconds(1)) == [.fail(1, .linkLost), .connect, .setTimer(nil)]
        )
        #expect(machine.linkUp(now: .seconds(2)) == [.start(2), .setTimer(.seconds(12))])
    }

    @Test("A call that was not sent starts again on the next link")
    func notSent() {
        var machine = Self.up()
        _ = machine.add(1, now: .zero)
        _ = machine.add(2, now: .zero)
        #expect(machine.linkDown(now: .seconds(1)) == [.cancel(1), .connect, .setTimer(nil)])
        #expect(machine.linkUp(now: .seconds(2)) == [.start(1), .setTimer(.seconds(12))])
    }

    @Test("A waiting call that is cancelled leaves the queue")
    func cancelWaiting() {
        var machine = Self.up()
        _ = machine.add(1, now: .zero)
        _ = machine.add(2, now: .zero)
        #expect(machine.cancel(2, now: .seconds(1)) == [.fail(2, .cancelled)])
        #expect(machine.finished(1, now: .seconds(2)) == [.setTimer(nil)])
    }

    @Test("The next call starts when the running one is cancelled")
    func cancelRunning() {
        var machine = Self.up()
        _ = machine.add(1, now: .zero)
        _ = machine.add(2, now: .zero)
        #expect(
            machine.cancel(1, now: .seconds(1)) == [
                .cancel(1), .fail(1, .cancelled), .start(2), .setTimer(.seconds(11)),
            ]
        )
    }

    @Test("While Bluetooth is off a call waits until its timeout")
    func bluetoothOff() {
        var machine = Machine(Self.settings, isUsable: false)
        #expect(machine.add(1, now: .zero) == [.connect, .setTimer(.seconds(10))])
        #expect(machine.timerFired(now: .seconds(10)) == [.fail(1, .unavailable)])
        #expect(machine.add(2, now: .seconds(20)) == [.connect, .setTimer(.seconds(30))])
        #expect(machine.bluetoothChanged(isUsable: true, now: .seconds(25)) == [.setTimer(nil)])
        #expect(machine.linkUp(now: .seconds(26)) == [.start(2), .setTimer(.seconds(36))])
    }

    @Test("All calls fail when the peripheral cannot be reached")
    func unreachable() {
        var machine = Machine(Self.settings, isUsable: true)
        _ = machine.add(1, now: .zero)
        _ = machine.add(2, now: .zero)
        #expect(
            machine.unreachable(now: .seconds(9)) == [
                .fail(1, .unreachable), .fail(2, .unreachable),
            ]
        )
        #expect(machine.isIdle)
        #expect(machine.add(3, now: .seconds(10)) == [.connect])
    }

    @Test("Each call ends once, starts in order, and is sent once", .computing)
    func play() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var play = CallPlay(seed)
            for _ in 0..<400 { play.step() }
            play.end()
            #expect(play.faults == [], "seed \(seed)")
        }
    }
}

/// Plays callers, a link and a clock against a `CallStateMachine` and records violations.
private struct CallPlay {
    private(set) var faults: [String] = []
    private var dice: SeededGenerator
    private var machine: CallStateMachine<Int>
    private var now = Duration.zero
    private var timer: Duration?
    private var last = 0
    private var open: Set<Int> = []
    private var sent: Set<Int> = []
    private var running: Int?
    private var highest = 0

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        machine = CallStateMachine(
            .init(replyTimeout: .seconds(10), messageTimeout: .seconds(30), queueCapacity: 5),
            isUsable: dice.next() % 2 == 0
        )
    }

    mutating func step() {
        now += .milliseconds(Int64(dice.next() % 900))
        switch dice.next() % 16 {
        case 0...3:
            last += 1
            open.insert(last)
            take(machine.add(last, now: now))
        case 4: take(machine.cancel(Int(dice.next() % UInt64(last + 2)), now: now))
        case 5...6: take(machine.linkUp(now: now))
        case 7: linkDown()
        case 8: if dice.next() % 8 == 0 { unreachable() }
        case 9: take(machine.bluetoothChanged(isUsable: dice.next() % 2 == 0, now: now))
        case 10...11:
            if let running {
                sent.insert(running)
                take(machine.sending(running, now: now))
                if dice.next() % 2 == 0 { take(machine.sent(running, now: now)) }
            }
        case 12: if let running { take(machine.replyStarted(running, now: now)) }
        case 13...14: if let running { finish(running) }
        default: fire()
        }
    }

    mutating func end() {
        unreachable()
        expect(open.isEmpty && running == nil && machine.isIdle, "a call or a timer remains")
    }

    private mutating func finish(_ call: Int) {
        running = nil
        expect(open.remove(call) != nil, "\(call) ended twice")
        take(machine.finished(call, now: now))
    }

    private mutating func linkDown() {
        take(machine.linkDown(now: now))
    }

    private mutating func unreachable() {
        take(machine.unreachable(now: now))
    }

    private mutating func fire() {
        guard let instant = timer else { return }
        timer = nil
        now = max(now, instant)
        take(machine.timerFired(now: now))
        if let timer { expect(timer > now, "a timer is in the past") }
    }

    private mutating func take(_ actions: [CallStateMachine<Int>.Action]) {
        for action in actions {
            switch action {
            case .connect: break
            case .start(let call):
                expect(running == nil, "two calls run")
                expect(!sent.contains(call), "\(call) is sent twice")
                expect(call >= highest, "\(call) starts after \(highest)")
                highest = call
                running = call
            case .cancel(let call):
                expect(running == call, "\(call) does not run")
                running = nil
            case .fail(let call, _):
                expect(open.remove(call) != nil, "\(call) ended twice")
                if running == call { running = nil }
            case .setTimer(let instant): timer = instant
            }
        }
    }

    private mutating func expect(_ isSo: Bool, _ fault: String) {
        if !isSo { faults.append(fault) }
    }
}
