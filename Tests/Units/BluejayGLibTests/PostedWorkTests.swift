import Foundation
import TestSupport
import Testing

@testable import BluejayGLib

@Suite("Posted work")
struct PostedWorkTests {
    @Test("In one iteration, posted work runs after the existing timers and sources")
    func last() throws {
        let context = MainContext()
        let record = Record<String>()
        context.post { record.entries.append("posted") }
        let clock = MainContextClock(on: context)
        clock.onNextIteration { record.entries.append("timer") }
        context.iterate { record.entries.count == 2 }
        #expect(record.entries == ["timer", "posted"])
    }

    @Test("A nested loop in posted work runs the work posted after it")
    func nested() throws {
        let context = MainContext()
        let record = Record<String>()
        context.post {
            MainContext(nestedIn: context).iterate { !record.entries.isEmpty }
            record.entries.append("first")
        }
        context.post { record.entries.append("second") }
        context.post { record.entries.append("third") }
        context.iterate { record.entries.count == 3 }
        #expect(record.entries == ["second", "third", "first"])
    }

    @Test("perform runs synchronously on the loop's thread, unless earlier work is waiting")
    func performed() {
        let context = MainContext()
        let record = Record<Int>()
        #expect(context.isCurrent)
        context.perform { record.entries.append(1) }
        #expect(record.entries == [1])
        context.post { record.entries.append(2) }
        context.perform { record.entries.append(3) }
        #expect(record.entries == [1])
        context.iterate { record.entries.count == 3 }
        #expect(record.entries == [1, 2, 3])
    }

    @Test("perform on another thread runs the work on the running loop")
    func performedElsewhere() throws {
        let loop = TestLoop()
        let context = loop.context
        let record = Record<Bool>()
        let own = pthread_self()
        // The loop owns its context while the other thread asks; the caller would take a free context.
        context.post {
            let asked = DispatchSemaphore(value: 0)
            Thread {
                context.perform { record.entries.append(pthread_equal(pthread_self(), own) != 0) }
                asked.signal()
            }.start()
            asked.wait()
        }
        try loop.wait(for: "the work") { !record.entries.isEmpty }
        #expect(record.entries == [true])
    }

    @Test("Work posted by a released owner of the context still runs")
    func leftBehind() {
        let context = MainContext()
        let record = Record<Int>()
        do {
            let other = unsafe MainLoop(adopting: context.pointer)
            for number in 0..<3 { other.context.post { record.entries.append(number) } }
        }
        context.iterate { record.entries.count == 3 }
        #expect(record.entries == [0, 1, 2])
    }

    @Test("A sleeping context runs all work that many threads post at once")
    func manyThreads() throws {
        let loop = TestLoop()
        let context = loop.context
        let record = Record<Int>()
        for thread in 0..<4 {
            Thread {
                for number in 0..<2_000 {
                    context.post { record.entries.append(thread * 2_000 + number) }
                    // Lets the context fall asleep in between.
                    if number % 100 == 0 { Thread.sleep(forTimeInterval: 0.0005) }
                }
            }.start()
        }
        try loop.wait(for: "the work") { record.entries.count == 8_000 }
        #expect(record.entries.sorted() == Array(0..<8_000))
        for thread in 0..<4 {
            let own = record.entries.filter { $0 / 2_000 == thread }
            #expect(own == own.sorted())
        }
    }
}
