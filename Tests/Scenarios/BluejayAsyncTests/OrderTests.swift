import Bluejay
import BluejayAsync
import BluejaySimulator
import Testing

@Suite("Order of calls", .timeLimit(.minutes(15)))
struct OrderTests {
    @Test(
        "Awaited calls and those with a completion run in the order in which one actor made them"
    )
    @MainActor func firstInFirstOut() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let tasks = (UInt8(0)..<50).map { number in
            let task = Task.immediate { try await bluejay.write(to: control, value: 2 * number) }
            bluejay.mainLoop.post {
                bluejay.write(to: control, value: 2 * number + 1) { _ in }
            }
            return task
        }
        for task in tasks { try await task.value }
        try await stage.settle()
        #expect(try await stage.gadget { $0.writes.flatMap(\.value) } == Array(0..<100))
    }

    @Test("Concurrent tasks are served one call at a time, each in its own order")
    func parallel() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in UInt8(0)..<20 {
                group.addTask {
                    for number in UInt8(0)..<10 {
                        try await bluejay.write(to: control, value: task * 10 + number)
                        let location: UInt8 = try await bluejay.read(from: quick)
                        #expect(location == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        let writes = try await stage.gadget { $0.writes.flatMap(\.value) }
        #expect(writes.sorted() == Array(0..<200))
        for task in UInt8(0)..<20 {
            #expect(writes.filter { $0 / 10 == task } == (0..<10).map { task * 10 + $0 })
        }
    }

    @Test("Cancelling half of many calls affects only these", arguments: [1, 2, 3] as [UInt64])
    func manyCancelled(_ seed: UInt64) async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let tasks = (UInt8(0)..<60).map { number in
            Task.immediate { try await bluejay.write(to: control, value: number) }
        }
        var cancelled: Set<UInt8> = []
        for (number, task) in tasks.enumerated() where (UInt64(number) &* 7 &+ seed) % 2 == 0 {
            task.cancel()
            cancelled.insert(UInt8(number))
        }
        var written: [UInt8] = []
        for (number, task) in tasks.enumerated() {
            switch await task.result {
            case .success: written.append(UInt8(number))
            case .failure(let error):
                #expect(error is CancellationError)
                #expect(cancelled.contains(UInt8(number)))
            }
        }
        #expect(written.filter { !cancelled.contains($0) }.count == 60 - cancelled.count)
        // A write that was cancelled while it ran may have been sent.
        let writes = try await stage.gadget { $0.writes.flatMap(\.value) }
        #expect(writes.filter { written.contains($0) } == written)
    }
}
