import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("The end of a loop", .serialized)
struct LoopEndTests {
    private let context = MainContext()

    @Test("Everybody is asked in order, and the loop ends when the last has done")
    func waits() {
        var record: [String] = []
        let clock = MainContextClock(on: context)
        let closers = [
            context.addShutdownHook { done in
                record.append("first")
                done()
            },
            context.addShutdownHook { done in
                record.append("second")
                clock.onNextIteration {
                    record.append("second has done")
                    done()
                }
            },
        ]
        context.post { [context] in context.shutDown() }
        context.run()
        #expect(record == ["first", "second", "second has done"])
        withExtendedLifetime(closers) {}
    }

    @Test("Work posted before the end, and by a closer, is done before the loop ends")
    func postedWork() {
        let record = Record<Int>()
        let context = context
        let closer = context.addShutdownHook { done in
            context.post { record.entries.append(2) }
            done()
        }
        context.post { record.entries.append(1) }
        context.shutDown()
        context.run()
        #expect(record.entries == [1, 2])
        withExtendedLifetime(closer) {}
    }

    @Test("A closer that never has done holds the loop no longer than the limit")
    func limit() {
        let clock = MainContextClock(on: context)
        let closer = context.addShutdownHook { _ in }
        let begun = clock.now
        context.shutDown(within: .milliseconds(20))
        context.run()
        #expect(clock.now - begun >= .milliseconds(20))
        withExtendedLifetime(closer) {}
    }

    @Test("A closer that is released is not asked, and not waited for when it was")
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

    @Test("A second end while the first waits does not ask again; a loop that runs again does")
    func again() {
        var count = 0
        let context = context
        let clock = MainContextClock(on: context)
        let closer = context.addShutdownHook { done in
            count += 1
            context.shutDown()
            clock.onNextIteration { done() }
        }
        for round in 1...2 {
            context.shutDown()
            context.run()
            #expect(count == round)
        }
        withExtendedLifetime(closer) {}
    }

    @Test("A signal closes what is open and ends the run; the next one would end the program")
    func signal() {
        let loop = MainLoop(context)
        var record: [String] = []
        let closer = context.addShutdownHook { done in
            record.append("closed, signal \(isDefault(SIGUSR1) ? "free" : "taken")")
            done()
        }
        context.post {
            kill(getpid(), SIGUSR1)
        }
        loop.run(endingAt: [SIGUSR1])
        #expect(record == ["closed, signal free"])
        withExtendedLifetime(closer) {}
    }

    @Test("The signals are taken while the loop runs, and not afterwards")
    func taken() {
        let loop = MainLoop(context)
        var wasTaken = false
        let clock = MainContextClock(on: context)
        clock.onNextIteration {
            wasTaken = !isDefault(SIGUSR2)
            loop.stop()
        }
        #expect(isDefault(SIGUSR2))
        loop.run(endingAt: [SIGUSR2, SIGKILL])
        #expect(wasTaken)
        #expect(isDefault(SIGUSR2))
    }

    @Test("A signal that the program handles or ignores is left to it")
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
        loop.run(endingAt: [SIGHUP])
        #expect(record == ["still here"])
    }

    @Test("What lives longer than its loop's thread can still be taken apart, in order")
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

@Suite("A loop that nobody runs")
struct UnusedLoopTests {
    @Test("It is said once, when the limit is over, though it is used again and again")
    func said() throws {
        let outer = TestLoop()
        let context = MainContext()
        let record = Record<String>()
        let outerContext = outer.context
        for _ in 0..<3 {
            context.warnIfNotRun(within: .milliseconds(20)) { sentence in
                outerContext.post { record.entries.append(sentence) }
            }
        }
        #expect(record.entries == [])
        try outer.wait(for: "the sentence") { !record.entries.isEmpty }
        #expect(record.entries == [UnrunLoopDetector.warning])
        #expect(UnrunLoopDetector.warning.contains("MainLoop.main.run()"))
    }

    @Test("A loop that is run meanwhile is not spoken of, nor one that runs already")
    func silent() throws {
        let outer = TestLoop()
        let record = Record<String>()
        let outerContext = outer.context
        let say: @Sendable (String) -> Void = { sentence in
            outerContext.post { record.entries.append(sentence) }
        }
        let context = MainContext()
        context.warnIfNotRun(within: .milliseconds(100), report: say)
        context.quit()
        context.run()
        let other = MainContext()
        other.post {
            other.warnIfNotRun(within: .zero, report: say)
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
