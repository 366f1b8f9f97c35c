import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("Calls from any thread, and properties of a loop", .timeLimit(.minutes(15)))
struct LoopCallTests {
    @Test(
        "A call runs synchronously on the loop's thread, otherwise after the thread's earlier posts"
    )
    func order() async throws {
        let loop = MainLoop(threadName: "calls")
        let journal = LockedValue<[Int]>([])
        try await onOwnThread {
            loop.post { journal.value.append(1) }
            loop.callOrPost { journal.value.append(2) }
            loop.post {
                loop.callOrPost { journal.value.append(3) }
                journal.value.append(4)
            }
            #expect(loop.result { journal.value } == [1, 2, 3, 4])
        }
    }

    @Test("A call that the loop does not begin in time is abandoned and never runs")
    func givenUp() async throws {
        let loop = MainLoop(threadName: "calls")
        let isHeld = DispatchSemaphore(value: 0)
        let isMade = LockedValue(false)
        loop.post { isHeld.wait() }
        let result: Void? = try await onOwnThread {
            loop.result(within: .milliseconds(20)) { isMade.value = true }
        }
        #expect(result == nil)
        isHeld.signal()
        #expect(try await onOwnThread { loop.result { 1 } } == 1)
        #expect(!isMade.value)
    }

    @Test("A call that the loop has begun is awaited, however long it takes")
    func begun() async throws {
        let loop = MainLoop(threadName: "calls")
        let hasBegun = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        async let result = onOwnThread {
            loop.result(within: .seconds(1)) {
                hasBegun.signal()
                isHeld.wait()
                return 7
            }
        }
        try await onOwnThread {
            hasBegun.wait()
            // Longer than the limit, which covers the wait for the start only.
            _ = loop.result(within: .milliseconds(1_100)) {}
            isHeld.signal()
        }
        #expect(try await result == 7)
    }

    @Test("A call on a loop that is not running, or has ended, does not block its caller")
    func notRunning() async throws {
        let idle = MainLoop(MainContext())
        #expect(idle.isCurrent)
        let result = try await onOwnThread { idle.result(within: .milliseconds(20)) { 1 } }
        #expect(result == nil)
        let ended = MainLoop(threadName: "calls")
        ended.stop()
        #expect(try await onOwnThread { ended.result { 1 } } == 1)
    }

    @Test("A call posted while the loop's thread ends is executed")
    func posted() async throws {
        let loop = MainLoop(threadName: "calls")
        let isHeld = DispatchSemaphore(value: 0)
        loop.post { isHeld.wait() }
        loop.context.quit()
        async let result = onOwnThread { loop.result { 1 } }
        // The call should be posted behind the end by then; otherwise it is a call after the end.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { isHeld.signal() }
        #expect(try await result == 1)
    }

    @Test("Concurrent calls during the end of the loop's thread are all executed")
    func manyPosted() async throws {
        for _ in 0..<20 {
            let loop = MainLoop(threadName: "calls")
            let results = LockedValue<[Int?]>([])
            try await onOwnThreads(10) { number in
                if number == 0 { loop.stop() }
                let result = loop.result { 1 }
                results.update { $0.append(result) }
            }
            #expect(results.value == Array(repeating: 1, count: 10))
        }
    }

    @Test("A wait that is never resumed ends with its loop, or at once after the end")
    func notResumed() async throws {
        let loop = MainLoop(threadName: "calls")
        let hasBegun = DispatchSemaphore(value: 0)
        let resumes = LockedValue<[@Sendable (Int) -> Void]>([])
        let call: @Sendable () -> Int? = {
            loop.context.wait { resume in
                let resume = UncheckedTransfer(resume)
                resumes.value.append { resume.value($0) }
                hasBegun.signal()
            }
        }
        async let result = onOwnThread(call)
        try await onOwnThread { hasBegun.wait() }
        loop.stop()
        #expect(try await result == nil)
        #expect(try await onOwnThread(call) == nil)
        #expect(resumes.value.count == 2)
    }

    @Test("The last value set is read, and the loop applies each thread's values in order")
    func property() async throws {
        let loop = MainLoop(threadName: "calls")
        let property = LoopProperty(0)
        let isHeld = DispatchSemaphore(value: 0)
        let journal = LockedValue<[Int]>([])
        loop.post {
            isHeld.wait()
            // Set after those of the other thread, which arrive later.
            property.set(9, on: loop) { journal.value.append($0) }
        }
        try await onOwnThread {
            property.set(1, on: loop) { journal.value.append($0) }
            #expect(property.latest == 1)
            property.set(2, on: loop) { journal.value.append($0) }
            #expect(property.latest == 2)
            isHeld.signal()
            #expect(loop.result { property.applied } == 9)
            #expect(property.latest == 9)
            property.set(3, on: loop) { journal.value.append($0) }
            property.set(4, on: loop) { journal.value.append($0) }
            #expect(loop.result { property.replace(with: 0) } == 4)
            #expect(property.latest == 0)
        }
        #expect(journal.value == [9, 3, 4])
    }
}
