import BluejayGLib
import TestSupport
import Testing

@Suite("A hold on the virtual time")
struct ClockHoldTests {
    private let loop = TestLoop()
    private let hold: ClockHold
    private let hasTimePassed = Box(false)
    private let areThreadsFree = Box(true)
    private let waitingTasks = Box<[@Sendable () -> Void]>([])
    private let timer: ScheduledTimer

    init() throws {
        let clock = VirtualClock(on: loop.context)
        loop.context.environment.value.clock = clock
        let hold = ClockHold(on: loop.context, machineClock: loop.clock) {
            [areThreadsFree, waitingTasks] work in
            if areThreadsFree.value { work() } else { waitingTasks.value.append(work) }
        }
        self.hold = try #require(hold)
        timer = clock.schedule(after: .seconds(30)) { [hasTimePassed] in hasTimePassed.value = true
        }
    }

    /// Lets the machine's time pass in steps, and returns whether the virtual time has passed.
    private func advance(by duration: Duration) throws -> Bool {
        let step = Duration.milliseconds(100)
        for _ in 0..<Int(duration / step) {
            loop.clock.advance(by: step)
            let isHandled = Box(false)
            loop.context.post { isHandled.value = true }
            try loop.wait(for: "the work that the step posted") { isHandled.value }
        }
        // The virtual time passes while the loop is idle.
        let isOver = Box(false)
        let idle = MainContextClock(on: loop.context).schedule(after: .milliseconds(20)) {
            isOver.value = true
        }
        try loop.wait(for: "the idle loop") { isOver.value }
        withExtendedLifetime(idle) {}
        return hasTimePassed.value
    }

    @Test("Each piece of work has a separate limit of two seconds")
    func pieces() throws {
        for _ in 0..<3 { hold.startWork() }
        for _ in 0..<3 {
            #expect(try !advance(by: .milliseconds(1900)))
            hold.endWork()
        }
        #expect(try advance(by: .zero))
    }

    @Test("Endless work stops the time for at most two seconds")
    func endless() throws {
        hold.startWork()
        #expect(try !advance(by: .milliseconds(1900)))
        #expect(try advance(by: .milliseconds(100)))
    }

    @Test("Time without a free thread is not counted")
    func busyThreads() throws {
        areThreadsFree.value = false
        hold.startWork()
        #expect(try !advance(by: .seconds(10)))
        areThreadsFree.value = true
        for task in waitingTasks.value { task() }
        #expect(try !advance(by: .zero))
        #expect(try !advance(by: .milliseconds(1400)))
        #expect(try advance(by: .milliseconds(100)))
    }

    @Test("The time advances after 15 seconds without a free thread")
    func blockedThreads() throws {
        areThreadsFree.value = false
        hold.startWork()
        #expect(try !advance(by: .milliseconds(14_900)))
        #expect(try advance(by: .milliseconds(100)))
    }

    @Test("A pause ends the limit, and earlier measurements do not count later")
    func pause() throws {
        areThreadsFree.value = false
        hold.startWork()
        #expect(try !advance(by: .milliseconds(600)))
        hold.pause()
        hold.resume()
        for task in waitingTasks.value { task() }
        areThreadsFree.value = true
        #expect(try !advance(by: .milliseconds(1900)))
        #expect(try advance(by: .milliseconds(100)))
    }
}
