import BluejayGLib
import TestSupport
import Testing

@Suite("The clock of a context")
struct EventClockTests {
    let loop = TestLoop()
    let clock: MainContextClock

    init() {
        clock = MainContextClock(on: loop.context)
    }

    /// Blocks the thread until the instant, so that timers become due together.
    private func pass(_ duration: Duration) {
        let end = clock.now + duration
        while clock.now < end {}
    }

    @Test("A timer fires once, and not before its delay")
    func fires() throws {
        let begun = clock.now
        var instants: [Duration] = []
        let timer = clock.schedule(after: .milliseconds(20)) { [clock] in
            instants.append(clock.now)
        }
        var later = false
        let end = clock.schedule(after: .milliseconds(50)) { later = true }
        try loop.wait(for: "the timers") { later }
        #expect(instants.count == 1)
        #expect(instants.allSatisfy { $0 - begun >= .milliseconds(20) })
        withExtendedLifetime((timer, end)) {}
    }

    @Test("Timers that became due together fire in the order of their deadlines")
    func order() throws {
        var record: [Int] = []
        var timers: [ScheduledTimer] = []
        var start: Duration
        // On a busy computer a millisecond may pass between two of them.
        repeat {
            start = clock.now
            timers = [3, 1, 2].map { number in
                clock.schedule(after: .milliseconds(number)) { record.append(number) }
            }
        } while clock.now - start >= .milliseconds(1)
        pass(.milliseconds(5))
        try loop.wait(for: "the timers") { record.count == 3 }
        #expect(record == [1, 2, 3])
        withExtendedLifetime(timers) {}
    }

    @Test("Timers without a delay fire in the order of creation, in a later iteration")
    func noDelay() throws {
        var record: [Int] = []
        let timers = (0..<10).map { number in
            clock.schedule(after: .zero) { record.append(number) }
        }
        #expect(record == [])
        try loop.wait(for: "the timers") { record.count == 10 }
        #expect(record == Array(0..<10))
        withExtendedLifetime(timers) {}
    }

    @Test("A chain of timers without a delay does not starve other sources")
    func chain() throws {
        var links = 0
        var timer: ScheduledTimer?
        var isOver = false
        func next() {
            links += 1
            if !isOver { timer = clock.schedule(after: .zero) { next() } }
        }
        next()
        let end = clock.schedule(after: .milliseconds(5)) { isOver = true }
        try loop.wait(for: "the other timer") { isOver }
        #expect(links > 1)
        withExtendedLifetime((timer, end)) {}
    }

    @Test("A cancelled or released timer does not fire")
    func cancelled() throws {
        var record: [String] = []
        let cancelled = clock.schedule(after: .milliseconds(1)) { record.append("cancelled") }
        var released: ScheduledTimer? = clock.schedule(after: .milliseconds(1)) {
            record.append("released")
        }
        withExtendedLifetime(released) {}
        cancelled.cancel()
        released = nil
        let last = clock.schedule(after: .milliseconds(3)) { record.append("last") }
        try loop.wait(for: "the last") { record.last == "last" }
        #expect(record == ["last"])
        withExtendedLifetime((cancelled, last)) {}
    }

    @Test("A due timer cancelled by an earlier one does not fire")
    func cancelledByAnother() throws {
        var record: [Int] = []
        var second: ScheduledTimer?
        let first = clock.schedule(after: .milliseconds(1)) {
            record.append(1)
            second?.cancel()
        }
        second = clock.schedule(after: .milliseconds(2)) { record.append(2) }
        let third = clock.schedule(after: .milliseconds(3)) { record.append(3) }
        pass(.milliseconds(4))
        try loop.wait(for: "the last") { record.last == 3 }
        #expect(record == [1, 3])
        withExtendedLifetime((first, second, third)) {}
    }

    @Test("A timer may be cancelled and released in its own action")
    func cancelsItself() throws {
        var count = 0
        var timer: ScheduledTimer?
        timer = clock.schedule(after: .zero) {
            count += 1
            timer?.cancel()
            timer = nil
        }
        var isOver = false
        let end = clock.schedule(after: .milliseconds(2)) { isOver = true }
        try loop.wait(for: "the end") { isOver }
        #expect(count == 1)
        withExtendedLifetime((timer, end)) {}
    }

    @Test("A timer outlives its clock")
    func outlivesClock() throws {
        var hasFired = false
        let timer = MainContextClock(on: loop.context).schedule(after: .milliseconds(1)) {
            hasFired = true
        }
        try loop.wait(for: "the timer") { hasFired }
        withExtendedLifetime(timer) {}
    }

    @Test("An action is released after it has run, and when it is cancelled")
    func releases() throws {
        final class Witness {}
        weak var ran: Witness?
        weak var cancelled: Witness?
        var hasFired = false
        let timers: [ScheduledTimer]
        do {
            let first = Witness()
            let second = Witness()
            ran = first
            cancelled = second
            timers = [
                clock.schedule(after: .zero) { withExtendedLifetime(first) { hasFired = true } },
                clock.schedule(after: .zero) { withExtendedLifetime(second) {} },
            ]
        }
        timers[1].cancel()
        #expect(cancelled == nil)
        try loop.wait(for: "the timer") { hasFired }
        #expect(ran == nil)
        withExtendedLifetime(timers) {}
    }

    @Test("A scaled clock runs faster, for its timers and its time")
    func scaled() throws {
        let fast = MainContextClock(on: loop.context, scale: 0.01)
        let begun = (real: clock.now, scaled: fast.now)
        var hasFired = false
        let timer = fast.schedule(after: .seconds(1)) { hasFired = true }
        try loop.wait(for: "the timer") { hasFired }
        #expect(clock.now - begun.real >= .milliseconds(10))
        #expect(fast.now - begun.scaled >= .seconds(1))
        withExtendedLifetime(timer) {}
    }

    @Test("A scale that is zero, negative or not finite runs as fast as possible")
    func scaledToNothing() throws {
        for scale in [0, -1, .nan, .infinity] {
            let clock = MainContextClock(on: loop.context, scale: scale)
            #expect(clock.now >= .zero)
            var hasFired = false
            let delay: Duration = scale == .infinity ? .zero : .seconds(1000)
            let timer = clock.schedule(after: delay) { hasFired = true }
            try loop.wait(for: "the timer") { hasFired }
            #expect(clock.now >= .zero)
            withExtendedLifetime(timer) {}
        }
    }

    @Test("Releasing an action also cancels the timers that only this action retains")
    func releasesOwnedTimer() throws {
        final class Owner {
            var timer: ScheduledTimer?
        }
        var record: [String] = []
        weak var witness: Owner?
        var cancelled: ScheduledTimer?
        do {
            let owner = Owner()
            witness = owner
            owner.timer = clock.schedule(after: .milliseconds(1)) { record.append("owned") }
            cancelled = clock.schedule(after: .milliseconds(1)) {
                withExtendedLifetime(owner) { record.append("cancelled") }
            }
        }
        #expect(witness != nil)
        cancelled?.cancel()
        #expect(witness == nil)
        let last = clock.schedule(after: .milliseconds(3)) { record.append("last") }
        try loop.wait(for: "the last") { record.last == "last" }
        #expect(record == ["last"])
        withExtendedLifetime(last) {}
    }

    @Test("onNextIteration calls run in order in the next iteration, without a retained timer")
    func later() throws {
        var record: [Int] = []
        var clock: MainContextClock? = MainContextClock(on: loop.context)
        for number in 0..<10 { clock?.onNextIteration { record.append(number) } }
        clock = nil
        #expect(record == [])
        try loop.wait(for: "the work") { record.count == 10 }
        #expect(record == Array(0..<10))
    }

    @Test("Of 20,000 timers those that were not cancelled fire, in order")
    func many() throws {
        var generator = SeededGenerator(seed: 31)
        var record: [Int] = []
        var timers = (0..<20_000).map { number in
            let delay = Int.random(in: 0..<20, using: &generator)
            return (
                delay,
                number,
                clock.schedule(after: .milliseconds(delay)) { record.append(number) }
            )
        }
        timers.removeAll { _ in Int.random(in: 0..<4, using: &generator) > 0 }
        let left = timers.map { ($0.0, $0.1) }
        try loop.wait(for: "the timers") { record.count >= left.count }
        #expect(record.count == left.count)
        // Of two timers with the same delay, the first one has the earlier instant, or number.
        for delay in 0..<20 {
            let numbers = left.filter { $0.0 == delay }.map(\.1)
            let wanted = Set(numbers)
            #expect(record.filter { wanted.contains($0) } == numbers)
        }
        withExtendedLifetime(timers) {}
    }

    @Test("A huge delay neither fires nor traps, and a negative one fires at once")
    func extremes() throws {
        var record: [String] = []
        let never = clock.schedule(after: .seconds(Int64.max)) { record.append("never") }
        let past = clock.schedule(after: .seconds(-5)) { record.append("past") }
        try loop.wait(for: "the timer") { !record.isEmpty }
        #expect(record == ["past"])
        withExtendedLifetime((never, past)) {}
    }
}
