import BluejayGLib
import Foundation
import TestSupport
import Testing

/// What a test collects on one thread; read on another only after the writer has ended.
final class Record<Element>: @unchecked Swift.Sendable {
    var entries: [Element] = []
}

@Suite("A main context")
struct MainContextTests {
    @Test("Posted work runs in the order of the posts, and never inside post")
    func order() throws {
        let loop = TestLoop()
        let record = Record<Int>()
        for number in 0..<100 { loop.context.post { record.entries.append(number) } }
        #expect(record.entries == [])
        try loop.wait(for: "the work") { record.entries.count == 100 }
        #expect(record.entries == Array(0..<100))
    }

    @Test("Work posted by posted work runs in a later turn")
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

    @Test("While the context runs it is current on its thread and on no other")
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

    @Test("A context that another thread runs is not current here")
    func startedThread() {
        let context = MainContext()
        // Two threads and no loop of this one to wait in: the test blocks until the other has said so.
        let isRunning = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        context.startThread(named: "test")
        context.post { isRunning.signal() }
        isRunning.wait()
        #expect(!context.isCurrent)
        context.post {
            context.quit()
            hasEnded.signal()
        }
        hasEnded.wait()
    }

    @Test("A quit before run ends the run, after the work posted before it")
    func quitBeforeRun() {
        let context = MainContext()
        let record = Record<Int>()
        context.post { record.entries.append(1) }
        context.quit()
        context.run()
        #expect(record.entries == [1])
    }

    @Test("A context that was quit runs again")
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

    @Test("The closure of posted work is released when it has run")
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

    @Test("A released context releases the work that never ran")
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

    @Test("One key gives the same object as long as somebody holds it")
    func shared() {
        let context = MainContext()
        let first = context.attachment("engine") { Engine() }
        #expect(context.attachment("engine") { Engine() } === first)
        #expect(context.attachment("other") { Engine() } !== first)
        #expect(MainContext().attachment("engine") { Engine() } !== first)
    }

    @Test("The context does not keep an attachment alive, and makes a new one afterwards")
    func weakness() {
        let context = MainContext()
        weak var witness: Engine?
        do {
            let engine = context.attachment("engine") { Engine() }
            witness = engine
        }
        #expect(witness == nil)
        var makes = 0
        let second = context.attachment("engine") {
            makes += 1
            return Engine()
        }
        #expect(makes == 1)
        withExtendedLifetime(second) {}
    }

    @Test("A key that names an object of another type is given a new one")
    func otherType() {
        let context = MainContext()
        let engine = context.attachment("engine") { Engine() }
        let other = context.attachment("engine") { OtherEngine() }
        #expect(context.attachment("engine") { OtherEngine() } === other)
        withExtendedLifetime(engine) {}
    }
}
