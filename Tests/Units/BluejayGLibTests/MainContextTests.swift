import BluejayGLib
import Foundation
import TestSupport
import Testing

/// Entries that a test collects on one thread; another one may read them after the writer has ended.
final class Record<Element>: @unchecked Swift.Sendable {
    var entries: [Element] = []
}

@Suite("A main context")
struct MainContextTests {
    @Test("Posted work runs in order, and never inside post")
    func order() throws {
        let loop = TestLoop()
        let record = Record<Int>()
        for number in 0..<100 { loop.context.post { record.entries.append(number) } }
        #expect(record.entries == [])
        try loop.wait(for: "the work") { record.entries.count == 100 }
        #expect(record.entries == Array(0..<100))
    }

    @Test("Work posted by posted work runs in a later iteration")
    func nestedPost() throws {
        let context = MainContext()
        let record = Record<String>()
        context.post {
            context.post { record.entries.append("inner") }
            record.entries.append("outer")
        }
        context.post { record.entries.append("second") }
        context.post { context.post { context.quit() } }
        context.run()
        #expect(record.entries == ["outer", "second", "inner"])
    }

    @Test("Work posted from another thread wakes a sleeping context, and keeps its order")
    func otherThread() throws {
        let loop = TestLoop()
        let record = Record<Int>()
        let context = loop.context
        loop.context.post {
            Thread {
                for number in 0..<1000 { context.post { record.entries.append(number) } }
            }.start()
        }
        try loop.wait(for: "the work") { record.entries.count == 1000 }
        #expect(record.entries == Array(0..<1000))
    }

    @Test("A running context is current only on its thread")
    func isCurrent() throws {
        let context = MainContext()
        let record = Record<String>()
        #expect(context.isCurrent)
        context.post {
            record.entries.append("own \(context.isCurrent)")
            Thread {
                let isCurrent = context.isCurrent
                context.post {
                    record.entries.append("foreign \(isCurrent)")
                    context.quit()
                }
            }.start()
        }
        context.run()
        #expect(record.entries == ["own true", "foreign false"])
    }

    @Test("A new context becomes current on the first thread that asks, and on no other")
    func isCurrentBeforeRun() throws {
        let context = MainContext()
        #expect(context.isCurrent)
        #expect(result(of: { context.isCurrent }) == false)
        #expect(context.isCurrent)
        let other = MainContext()
        #expect(result(of: { other.isCurrent }) == true)
        #expect(!other.isCurrent)
    }

    @Test("A context that was run on one thread can be run on another")
    func isCurrentAfterRun() throws {
        let context = MainContext()
        #expect(result(of: { context.isCurrent }) == true)
        context.quit()
        context.run()
        #expect(context.isCurrent)
        #expect(result(of: { context.isCurrent }) == false)
    }

    @Test("The default context is current only on the main thread while it is not running")
    func mainThread() {
        #expect(result(of: { MainContext.main.isCurrent }) == false)
    }

    @Test("A context with its own thread is current only on this thread, from the start")
    func startedThread() throws {
        let loop = TestLoop()
        let record = Record<Bool>()
        for _ in 0..<1000 {
            let context = MainContext()
            context.startThread(named: "test")
            #expect(!context.isCurrent)
            let outer = loop.context
            context.post {
                let isCurrent = context.isCurrent
                outer.post { record.entries.append(isCurrent) }
            }
            context.quit()
        }
        try loop.wait(for: "the threads") { record.entries.count == 1000 }
        #expect(!record.entries.contains(false))
    }

    @Test("The kernel shows the name of a context's thread, truncated to its limit")
    func threadName() throws {
        let loop = TestLoop()
        let record = Record<String?>()
        let outer = loop.context
        let context = MainContext()
        context.startThread(named: "heart rate monitor")
        context.post {
            let path = "/proc/thread-self/comm"
            let name = try? String(contentsOfFile: path, encoding: .utf8)
            outer.post { record.entries.append(name) }
        }
        try loop.wait(for: "the name") { !record.entries.isEmpty }
        context.quit()
        #expect(record.entries == ["heart rate moni\n"])
    }

    /// Returns the result from another thread, while this one waits.
    private func result(of request: @escaping @Sendable () -> Bool) -> Bool? {
        let loop = TestLoop()
        let outer = loop.context
        let record = Record<Bool>()
        Thread {
            let result = request()
            outer.post { record.entries.append(result) }
        }.start()
        try? loop.wait(for: "the other thread") { !record.entries.isEmpty }
        return record.entries.first
    }

    @Test("A main loop nested in posted work, a timer or a report does not block the others")
    func nestedLoop() throws {
        let loop = TestLoop()
        let clock = MainContextClock(on: loop.context)
        let pipe = Pipe()
        var record: [String] = []
        var isOver = false
        var timers: [ScheduledTimer] = []
        let source = FileDescriptorSource(
            pipe.fileHandleForReading.fileDescriptor,
            .readable,
            on: loop.context
        ) { _ in
            record.append("report \(pipe.fileHandleForReading.availableData.count)")
        }
        /// Acts as a dialog inside a callback: returns when the timers and the descriptor have fired.
        func runDialog(_ name: String) {
            let dialog = MainContext(nestedIn: loop.context)
            timers.append(
                clock.schedule(after: .milliseconds(1)) {
                    record.append("timer in \(name)")
                    try? pipe.fileHandleForWriting.write(contentsOf: Data([1, 2]))
                    clock.onNextIteration {
                        record.append("later in \(name)")
                        timers.append(clock.schedule(after: .milliseconds(2)) { dialog.quit() })
                    }
                }
            )
            // Only if the loop is blocked, so that the test fails instead of hanging.
            DispatchQueue.global().asyncAfter(deadline: .now() + 10) { dialog.quit() }
            dialog.run()
            record.append("end of \(name)")
        }
        timers.append(
            clock.schedule(after: .zero) {
                runDialog("timer")
                clock.onNextIteration {
                    runDialog("later")
                    isOver = true
                }
            }
        )
        try loop.wait(for: "the end") { isOver }
        let expected = ["timer", "later"].flatMap {
            ["timer in \($0)", "report 2", "later in \($0)", "end of \($0)"]
        }
        #expect(record.sorted() == expected.sorted())
        #expect(record.filter { $0.hasPrefix("end") } == ["end of timer", "end of later"])
        source.cancel()
    }

    @Test("A quit before run ends the run, after the earlier posts")
    func quitBeforeRun() {
        let context = MainContext()
        let record = Record<Int>()
        context.post { record.entries.append(1) }
        context.quit()
        context.run()
        #expect(record.entries == [1])
    }

    @Test("A context runs again after a quit")
    func runsAgain() {
        let context = MainContext()
        let record = Record<Int>()
        for round in 0..<3 {
            context.post { record.entries.append(round) }
            context.quit()
            context.run()
        }
        #expect(record.entries == [0, 1, 2])
    }

    @Test("The closure of posted work is released after it has run")
    func releasesWork() {
        let context = MainContext()
        weak var witness: Record<Int>?
        do {
            let record = Record<Int>()
            witness = record
            context.post { record.entries.append(1) }
        }
        #expect(witness != nil)
        context.quit()
        context.run()
        #expect(witness == nil)
    }

    @Test("A released context releases work that never ran")
    func releasesContext() {
        weak var witness: Record<Int>?
        do {
            let context = MainContext()
            let record = Record<Int>()
            witness = record
            context.post { record.entries.append(1) }
        }
        #expect(witness == nil)
    }
}

@Suite("Attachments of a context")
struct AttachmentTests {
    private final class Engine {}
    private final class OtherEngine {}

    @Test("A key returns the same object as long as a caller retains it")
    func shared() {
        let context = MainContext()
        let first = context.sharedObject("engine") { Engine() }
        #expect(context.sharedObject("engine") { Engine() } === first)
        #expect(context.sharedObject("other") { Engine() } !== first)
        #expect(MainContext().sharedObject("engine") { Engine() } !== first)
    }

    @Test("The context does not retain a shared object, and creates a new one after its release")
    func weakness() {
        let context = MainContext()
        weak var witness: Engine?
        do {
            let engine = context.sharedObject("engine") { Engine() }
            witness = engine
        }
        #expect(witness == nil)
        var makes = 0
        let second = context.sharedObject("engine") {
            makes += 1
            return Engine()
        }
        #expect(makes == 1)
        withExtendedLifetime(second) {}
    }

    @Test("A key used with another type creates a new object")
    func otherType() {
        let context = MainContext()
        let engine = context.sharedObject("engine") { Engine() }
        let other = context.sharedObject("engine") { OtherEngine() }
        #expect(context.sharedObject("engine") { OtherEngine() } === other)
        withExtendedLifetime(engine) {}
    }
}
