import Foundation
import TestSupport
import Testing

@testable import BluejayGLib

@Suite("Callbacks in the isolation of their closures", .timeLimit(.minutes(15)))
struct IsolatedCallbackTests {
    @Test("A closure of an actor is called on the actor, in the order of the calls")
    func actor() async throws {
        let loop = MainLoop(threadName: "callbacks")
        let journal = Journal()
        await journal.receive(from: loop, count: 100_000)
        try await wait { await journal.values.count == 100_000 }
        #expect(await journal.values == Array(0..<100_000))
        #expect(await journal.isIsolated)
    }

    @Test("A closure of the main actor is called on the main actor, and not on the loop's thread")
    @MainActor func mainActor() async throws {
        let loop = MainLoop(threadName: "callbacks")
        var values: [Int] = []
        let callback = loop.context.callback { (value: Int) in
            MainActor.assertIsolated()
            values.append(value)
        }
        post(callback, to: loop, count: 1_000)
        try await wait { values.count == 1_000 }
        #expect(values == Array(0..<1_000))
    }

    @Test("A closure without an actor is called on the loop, synchronously")
    func noActor() async throws {
        let loop = MainLoop(threadName: "callbacks")
        let isOnLoop = LockedValue<[Bool]>([])
        let callback = loop.context.callback { @Sendable (_: Int) in
            isOnLoop.value.append(loop.isCurrent)
        }
        let call = UncheckedTransfer(callback)
        let count = try await onOwnThread {
            loop.result {
                call.value(1)
                return isOnLoop.value.count
            }
        }
        #expect(count == 1)
        #expect(isOnLoop.value == [true])
    }

    @Test("A closure of an actor whose executor is the loop is called synchronously")
    func actorOfLoop() async throws {
        let loop = MainLoop(threadName: "callbacks")
        #expect(await ActorOfLoop(loop).isCalledAtOnce())
    }

    @Test("The context releases an actor after its callbacks have run")
    func released() async throws {
        let loop = MainLoop(threadName: "callbacks")
        weak var released: Journal?
        do {
            let journal = Journal()
            released = journal
            await journal.receive(from: loop, count: 10)
            try await wait { await journal.values.count == 10 }
        }
        try await wait { released == nil }
    }
}

private func post(_ callback: @escaping (Int) -> Void, to loop: MainLoop, count: Int) {
    let callback = UncheckedTransfer(callback)
    loop.post { for value in 0..<count { callback.value(value) } }
}

private actor Journal {
    private(set) var values: [Int] = []
    private(set) var isIsolated = true

    func receive(from loop: MainLoop, count: Int) {
        let callback = loop.context.callback { (value: Int) in
            self.assertIsolated()
            self.values.append(value)
            if loop.isCurrent { self.isIsolated = false }
        }
        post(callback, to: loop, count: count)
    }
}

private actor ActorOfLoop {
    private let loop: MainLoop
    private var values: [Int] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }

    init(_ loop: MainLoop) { self.loop = loop }

    func isCalledAtOnce() -> Bool {
        let callback = loop.context.callback { (value: Int) in self.values.append(value) }
        callback(1)
        return values == [1]
    }
}
