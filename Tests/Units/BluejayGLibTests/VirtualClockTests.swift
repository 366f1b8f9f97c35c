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

    @Test("The time jumps from timer to timer, and stops without a timer")
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

    @Test("Timers with the same deadline fire in the order of creation")
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
        "A timer created at the same instant fires in a later iteration, before the next jump"
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

    @Test("A cancelled timer does not advance the time")
    func cancelled() throws {
        var isOver = false
        clock.schedule(after: .seconds(10)) { Issue.record("a cancelled timer has fired") }.cancel()
        let timer = clock.schedule(after: .seconds(20)) { [clock] in
            #expect(clock.now == .seconds(20))
            isOver = true
        }
        try loop.wait(for: "the timer") { isOver }
        withExtendedLifetime(timer) {}
    }

    @Test("Work posted to the context runs before the next timer")
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

    @Test("The time stops until two consecutive probes are idle")
    func probes() throws {
        let probe = ScriptedProbe(loop.context, [.busy, .busy, .idle, .busy, .idle, .idle, .idle])
        clock.add(probe)
        var probeCount: Int?
        let timer = clock.schedule(after: .seconds(1)) { probeCount = probe.count }
        try loop.wait(for: "the timer") { probeCount != nil }
        #expect(probeCount == 6)
        withExtendedLifetime(timer) {}
    }

    @Test("A probe that does not return stops the time")
    func silence() throws {
        let probe = ScriptedProbe(loop.context, [.idle, .idle, .idle, .idle])
        probe.repliesAtOnce = false
        clock.add(probe)
        var hasFired = false
        let timer = clock.schedule(after: .seconds(1)) { hasFired = true }
        try loop.wait(for: "the probe") { probe.count == 1 }
        var iterations = 0
        while iterations < 100 {
            iterations += 1
            var isDone = false
            let mark = MainContextClock(on: loop.context).schedule(after: .zero) { isDone = true }
            try loop.wait(for: "an iteration") { isDone }
            withExtendedLifetime(mark) {}
        }
        #expect(!hasFired)
        probe.completeAll()
        try loop.wait(for: "the timer") { hasFired }
        withExtendedLifetime(timer) {}
    }

    @Test("A closed probe is not called again")
    func over() throws {
        let probe = ScriptedProbe(loop.context, [.closed])
        clock.add(probe)
        var hasFired = false
        let timer = clock.schedule(after: .seconds(1)) { hasFired = true }
        try loop.wait(for: "the timer") { hasFired }
        #expect(probe.count == 1)
        withExtendedLifetime(timer) {}
    }

    @Test("A timer beyond the range of time does not advance it")
    func never() throws {
        let never = clock.schedule(after: .seconds(Int64.max)) { Issue.record("it came") }
        var isOver = false
        let timer = clock.schedule(after: .seconds(1)) { isOver = true }
        try loop.wait(for: "the timer") { isOver }
        #expect(clock.now == .seconds(1))
        withExtendedLifetime((never, timer)) {}
    }
}

/// Returns scripted results, one after the other.
private final class ScriptedProbe: IdleProbe {
    private let context: MainContext
    private var results: [ProbeResult]
    private var pending: [() -> Void] = []
    private(set) var count = 0
    var repliesAtOnce = true

    init(_ context: MainContext, _ results: [ProbeResult]) {
        self.context = context
        self.results = results
    }

    func probe(_ completion: @escaping () -> Void) -> ProbeResult {
        count += 1
        let result = results.isEmpty ? .idle : results.removeFirst()
        guard result != .closed else { return result }
        pending.append(completion)
        let box = Box(self)
        context.post { if box.value.repliesAtOnce { box.value.completeAll() } }
        return result
    }

    func completeAll() {
        repliesAtOnce = true
        let all = pending
        pending = []
        for completion in all { completion() }
    }
}

/// Carries a value to the context, which the test drives on its own thread.
final class Box<Value>: @unchecked Swift.Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
