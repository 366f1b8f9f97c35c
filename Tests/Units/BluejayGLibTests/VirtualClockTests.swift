import BluejayGLib
import TestSupport
import Testing

@Suite("A virtual clock")
struct VirtualClockTests {
    let loop = TestLoop()
    let clock: VirtualClock

    init() {
        clock = VirtualClock(on: loop.context)
    }

    @Test("The time jumps from timer to timer, and stands still without one")
    func jumps() throws {
        var instants: [Duration] = []
        let timers = [7200, 30, 600].map { seconds in
            clock.schedule(after: .seconds(seconds)) { [clock] in instants.append(clock.now) }
        }
        #expect(clock.now == .zero)
        try loop.wait(for: "the timers") { instants.count == 3 }
        #expect(instants == [.seconds(30), .seconds(600), .seconds(7200)])
        withExtendedLifetime(timers) {}
    }

    @Test("Timers of one instant fire in the order in which they were made")
    func order() throws {
        var record: [Int] = []
        let timers = (0..<10).map { number in
            clock.schedule(after: .seconds(number % 2)) { record.append(number) }
        }
        try loop.wait(for: "the timers") { record.count == 10 }
        #expect(record == [0, 2, 4, 6, 8, 1, 3, 5, 7, 9])
        withExtendedLifetime(timers) {}
    }

    @Test(
        "A timer that is made in one of the same instant comes in a later turn, before the next jump"
    )
    func noDelay() throws {
        var record: [String] = []
        let later = clock.schedule(after: .seconds(2)) { record.append("later") }
        let first = clock.schedule(after: .seconds(1)) { [clock] in
            clock.onNextIteration { record.append("then \(clock.now)") }
            record.append("first")
        }
        try loop.wait(for: "the timers") { record.count == 3 }
        #expect(record == ["first", "then 1.0 seconds", "later"])
        withExtendedLifetime((first, later)) {}
    }

    @Test("The time does not go to a cancelled timer")
    func cancelled() throws {
        var isOver = false
        clock.schedule(after: .seconds(10)) { Issue.record("it was cancelled") }.cancel()
        let timer = clock.schedule(after: .seconds(20)) { [clock] in
            #expect(clock.now == .seconds(20))
            isOver = true
        }
        try loop.wait(for: "the timer") { isOver }
        withExtendedLifetime(timer) {}
    }

    @Test("What is posted to the context comes before the next timer")
    func posts() throws {
        let record = Box<[String]>([])
        let timer = clock.schedule(after: .milliseconds(1)) { record.value.append("timer") }
        let context = loop.context
        context.post {
            context.post {
                context.post { record.value.append("post") }
            }
        }
        try loop.wait(for: "both") { record.value.count == 2 }
        #expect(record.value == ["post", "timer"])
        withExtendedLifetime(timer) {}
    }

    @Test("The time stands still until two probes in a row came back with nothing sent between")
    func witnesses() throws {
        let witness = Witness(loop.context, [.busy, .busy, .idle, .busy, .idle, .idle, .idle])
        clock.add(witness)
        var probes: Int?
        let timer = clock.schedule(after: .seconds(1)) { probes = witness.count }
        try loop.wait(for: "the timer") { probes != nil }
        #expect(probes == 6)
        withExtendedLifetime(timer) {}
    }

    @Test("A probe that does not come back holds the time")
    func silence() throws {
        let witness = Witness(loop.context, [.idle, .idle, .idle, .idle])
        witness.answers = false
        clock.add(witness)
        var hasFired = false
        let timer = clock.schedule(after: .seconds(1)) { hasFired = true }
        try loop.wait(for: "the probe") { witness.count == 1 }
        var turns = 0
        while turns < 100 {
            turns += 1
            var isDone = false
            let mark = MainContextClock(on: loop.context).schedule(after: .zero) { isDone = true }
            try loop.wait(for: "a turn") { isDone }
            withExtendedLifetime(mark) {}
        }
        #expect(!hasFired)
        witness.answerAll()
        try loop.wait(for: "the timer") { hasFired }
        withExtendedLifetime(timer) {}
    }

    @Test("A witness that is over is not asked again")
    func over() throws {
        let witness = Witness(loop.context, [.closed])
        clock.add(witness)
        var hasFired = false
        let timer = clock.schedule(after: .seconds(1)) { hasFired = true }
        try loop.wait(for: "the timer") { hasFired }
        #expect(witness.count == 1)
        withExtendedLifetime(timer) {}
    }

    @Test("A timer that never comes does not move the time")
    func never() throws {
        let never = clock.schedule(after: .seconds(Int64.max)) { Issue.record("it came") }
        var isOver = false
        let timer = clock.schedule(after: .seconds(1)) { isOver = true }
        try loop.wait(for: "the timer") { isOver }
        #expect(clock.now == .seconds(1))
        withExtendedLifetime((never, timer)) {}
    }
}

/// Gives scripted answers, one after the other.
private final class Witness: IdleProbe {
    private let context: MainContext
    private var results: [ProbeResult]
    private var open: [() -> Void] = []
    private(set) var count = 0
    var answers = true

    init(_ context: MainContext, _ results: [ProbeResult]) {
        self.context = context
        self.results = results
    }

    func probe(_ answered: @escaping () -> Void) -> ProbeResult {
        count += 1
        let result = results.isEmpty ? .idle : results.removeFirst()
        guard result != .closed else { return result }
        open.append(answered)
        let held = Box(self)
        context.post { if held.value.answers { held.value.answerAll() } }
        return result
    }

    func answerAll() {
        answers = true
        let all = open
        open = []
        for answered in all { answered() }
    }
}

/// Carries a value to the context, which the test drives on its own thread.
private final class Box<Value>: @unchecked Swift.Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
