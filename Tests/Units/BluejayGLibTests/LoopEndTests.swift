import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("The end of a loop", .serialized)
struct LoopEndTests {
    private let context = MainContext()

    @Test("The hooks run in order, and the loop ends when the last one has completed")
    func waits() {
        var record: [String] = []
        let clock = MainContextClock(on: context)
        let hooks = [
            context.addShutdownHook { completion in
                record.append("first")
                completion()
            },
            context.addShutdownHook { completion in
                record.append("second")
                clock.onNextIteration {
                    record.append("second has done")
                    completion()
                }
            },
        ]
        context.post { [context] in context.shutDown() }
        context.run()
        #expect(record == ["first", "second", "second has done"])
        withExtendedLifetime(hooks) {}
    }

    @Test("Work posted before the end, and by a hook, runs before the loop ends")
    func postedWork() {
        let record = Record<Int>()
        let context = context
        let hook = context.addShutdownHook { completion in
            context.post { record.entries.append(2) }
            completion()
        }
        context.post { record.entries.append(1) }
        context.shutDown()
        context.run()
        #expect(record.entries == [1, 2])
        withExtendedLifetime(hook) {}
    }

    @Test("A hook that never completes delays the end at most for the timeout")
    func limit() {
        let clock = MainContextClock(on: context)
        let hook = context.addShutdownHook { _ in }
        let start = clock.now
        context.shutDown(within: .milliseconds(20))
        context.run()
        #expect(clock.now - start >= .milliseconds(20))
        withExtendedLifetime(hook) {}
    }

    @Test("The final callbacks of the hooks run when all hooks have completed or timed out")
    func ended() {
        var record: [String] = []
        let hooks = [
            context.addShutdownHook { _ in
                record.append("first")
            } ended: {
                record.append("first has ended")
            },
            context.addShutdownHook { completion in
                record.append("second")
                completion()
            } ended: {
                record.append("second has ended")
            },
        ]
        context.shutDown(within: .milliseconds(20))
        context.run()
        #expect(record == ["first", "second", "first has ended", "second has ended"])
        withExtendedLifetime(hooks) {}
    }

    @Test("A released hook does not run, and the loop does not wait for one that is running")
    func released() {
        var record: [String] = []
        var released: ShutdownHook? = context.addShutdownHook { _ in record.append("released") }
        var waitedFor: ShutdownHook?
        let clock = MainContextClock(on: context)
        waitedFor = context.addShutdownHook { _ in
            record.append("asked")
            clock.onNextIteration { waitedFor = nil }
        }
        withExtendedLifetime((released, waitedFor)) {}
        released = nil
        context.shutDown(within: .seconds(600))
        context.run()
        #expect(record == ["asked"])
    }

    @Test("A second shutdown during the first does not run the hooks again; a new run does")
    func again() {
        var count = 0
        let context = context
        let clock = MainContextClock(on: context)
        let hook = context.addShutdownHook { completion in
            count += 1
            context.shutDown()
            clock.onNextIteration { completion() }
        }
        for round in 1...2 {
            context.shutDown()
            context.run()
            #expect(count == round)
        }
        withExtendedLifetime(hook) {}
    }

    @Test("A signal runs the hooks and ends the loop; a second one after 300 ms ends the program")
    func signal() {
        let loop = MainLoop(context)
        var record: [String] = []
        let clock = MainContextClock(on: context)
        var timers: [ScheduledTimer] = []
        let hook = context.addShutdownHook { completion in
            record.append("closing")
            // A repetition is the same signal.
            kill(getpid(), SIGUSR1)
            clock.onNextIteration { record.append(isDefault(SIGUSR1) ? "free" : "taken") }
            timers.append(
                clock.schedule(after: .milliseconds(400)) {
                    record.append(isDefault(SIGUSR1) ? "free" : "taken")
                    completion()
                }
            )
        }
        context.post {
            kill(getpid(), SIGUSR1)
        }
        loop.run(stoppingOn: [SIGUSR1])
        #expect(record == ["closing", "taken", "free"])
        withExtendedLifetime(hook) {}
    }

    @Test("The loop handles the signals only while it runs")
    func taken() {
        let loop = MainLoop(context)
        var wasTaken = false
        let clock = MainContextClock(on: context)
        clock.onNextIteration {
            wasTaken = !isDefault(SIGUSR2)
            loop.stop()
        }
        #expect(isDefault(SIGUSR2))
        loop.run(stoppingOn: [SIGUSR2, SIGKILL])
        #expect(wasTaken)
        #expect(isDefault(SIGUSR2))
    }

    @Test("A signal that the program handles or ignores is left alone")
    func own() {
        let loop = MainLoop(context)
        Foundation.signal(SIGHUP, SIG_IGN)
        defer { Foundation.signal(SIGHUP, SIG_DFL) }
        var record: [String] = []
        let clock = MainContextClock(on: context)
        clock.onNextIteration {
            kill(getpid(), SIGHUP)
            clock.onNextIteration {
                record.append("still here")
                loop.stop()
            }
        }
        loop.run(stoppingOn: [SIGHUP])
        #expect(record == ["still here"])
    }

    @Test("Work posted after the end of a loop's thread runs in order and is released")
    func lateWork() throws {
        let outer = TestLoop()
        let record = Record<String>()
        weak var witness: Record<String>?
        do {
            let loop = MainLoop(threadName: "short")
            let context = loop.context
            loop.stop()
            // No event reports its end: the timer keeps the outer loop running until then.
            let clock = MainContextClock(on: outer.context)
            try outer.wait(for: "the end") {
                clock.onNextIteration {}
                return context.hasEnded
            }
            let held = Record<String>()
            witness = held
            loop.post {
                record.entries.append("first \(context.isCurrent)")
                loop.post { record.entries.append("third") }
                record.entries.append("second")
                held.entries.append("")
            }
        }
        #expect(record.entries == ["first true", "second", "third"])
        #expect(witness == nil)
    }
}

private func isDefault(_ signal: Int32) -> Bool {
    var action = sigaction()
    return unsafe sigaction(signal, nil, &action) == 0
        && action.__sigaction_handler.sa_handler == nil
}

@Suite("A loop that no thread runs")
struct UnusedLoopTests {
    @Test("One warning appears after the timeout, however often the loop is used")
    func said() throws {
        let outer = TestLoop()
        let context = MainContext()
        let record = Record<String>()
        let outerContext = outer.context
        for _ in 0..<3 {
            context.warnIfNotRun(within: .milliseconds(20)) { warning in
                outerContext.post { record.entries.append(warning) }
            }
        }
        #expect(record.entries == [])
        try outer.wait(for: "the warning") { !record.entries.isEmpty }
        #expect(record.entries == [UnrunLoopDetector.warning])
        #expect(UnrunLoopDetector.warning.contains("MainLoop.main.run()"))
    }

    @Test("No warning appears for a loop that is already running or starts within the timeout")
    func silent() throws {
        let outer = TestLoop()
        let record = Record<String>()
        let outerContext = outer.context
        let report: @Sendable (String) -> Void = { warning in
            outerContext.post { record.entries.append(warning) }
        }
        let context = MainContext()
        context.warnIfNotRun(within: .milliseconds(100), report: report)
        context.quit()
        context.run()
        let other = MainContext()
        other.post {
            other.warnIfNotRun(within: .zero, report: report)
            other.quit()
        }
        other.run()
        var isOver = false
        let end = MainContextClock(on: outer.context).schedule(after: .milliseconds(200)) {
            isOver = true
        }
        try outer.wait(for: "a moment") { isOver }
        #expect(record.entries == [])
        withExtendedLifetime(end) {}
    }
}
