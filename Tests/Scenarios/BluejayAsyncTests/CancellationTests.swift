import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Cancelling a task", .timeLimit(.minutes(15)))
struct CancellationTests {
    @Test("A cancelled pending call leaves the queue, and the others continue")
    func waiting() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let second = Task.immediate { try await bluejay.write(to: control, value: UInt8(2)) }
        let third = Task.immediate { try await bluejay.write(to: control, value: UInt8(3)) }
        await stage.onLoop { _ in }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await first.value == 7)
        try await third.value
        #expect(try await stage.gadget { $0.writes.map(\.value) } == [[3]])
    }

    @Test("A cancelled running call ends, and the next one runs")
    func running() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let second = Task.immediate { () -> UInt8 in try await bluejay.read(from: quick) }
        await stage.onLoop { _ in }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await second.value == 1)
    }

    @Test("A thousand pending writes cancelled in order are never sent")
    func manyWaiting() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let writes = (0..<1000).map { number in
            Task.immediate { try await bluejay.write(to: control, value: UInt16(number)) }
        }
        await stage.onLoop { _ in
            first.cancel()
            for write in writes { write.cancel() }
        }
        await #expect(throws: CancellationError.self) { try await first.value }
        for write in writes {
            await #expect(throws: CancellationError.self) { try await write.value }
        }
        try await stage.settle()
        #expect(try await stage.gadget { $0.writes.count } == 0)
    }

    @Test("A call queued after cancelled ones runs")
    func next() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let second = Task.immediate { try await bluejay.write(to: control, value: UInt8(2)) }
        let third = Task.immediate {
            try await bluejay.write(to: control, value: UInt8(3), timeout: .seconds(5))
        }
        await stage.onLoop { _ in
            first.cancel()
            second.cancel()
        }
        try await third.value
        #expect(try await stage.gadget { $0.writes.map(\.value) } == [[3]])
    }

    @Test("Cancelling a completed call has no effect on it or on others")
    func finished() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = Task.immediate { () -> UInt8 in try await bluejay.read(from: quick) }
        #expect(try await first.value == 1)
        let second = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        first.cancel()
        #expect(try await second.value == 7)
        #expect(try await first.value == 1)
    }

    @Test("A task that is already cancelled queues nothing")
    func before() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let task = Task {
            await untilCancelled()
            try await bluejay.write(to: control, value: UInt8(1))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await stage.settle()
        #expect(try await stage.gadget { $0.writes.count } == 0)
    }

    @Test("A cancelled connection attempt ends, and another one succeeds")
    func attempt() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let found = try await bluejay.find()
        _ = try await stage.gadget { $0.leaveRange() }
        let task = Task.immediate { try await bluejay.connect(found) }
        await stage.onLoop { #expect($0.isConnecting) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await stage.onLoop { $0.isConnecting || $0.isConnected } == false)
        _ = try await stage.gadget { $0.returnToRange() }
        #expect(try await bluejay.connect(found, timeout: .seconds(10)) == found)
    }

    @Test("A disconnect completes even if its task is cancelled")
    func disconnect() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let task = Task.immediate { try await bluejay.disconnect() }
        await stage.onLoop { #expect($0.isDisconnecting) }
        task.cancel()
        #expect(try await task.value.name == "Gadget")
        #expect(await stage.onLoop { $0.isConnected } == false)
    }

    @Test("A cancelled task can disconnect")
    func tidyUp() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let task = Task {
            await untilCancelled()
            return try await bluejay.disconnect()
        }
        task.cancel()
        #expect(try await task.value.name == "Gadget")
    }

    @Test("Cancelling a background task ends its blocking call and turns notifications off")
    func backgroundTask() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let (listens, listening) = AsyncStream<Void>.makeStream()
        let task = Task.immediate {
            try await bluejay.run { peripheral in
                try peripheral.listen(to: measurement) { (_: UInt8) in
                    listening.yield()
                    return .keepListening
                }
            }
        }
        try await wait { try await stage.gadget { $0.listenerCount(of: "2A37") } == 1 }
        try await stage.send([1])
        for await _ in listens { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await stage.listenerCount() == 0)
    }

    @Test("A cancelled background task makes no more calls")
    func noMoreCalls() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let task = Task.immediate {
            try await bluejay.run { peripheral in
                let first = Result { try peripheral.read(from: slow) as UInt8 }
                let second = Result { try peripheral.write(to: control, value: UInt8(1)) }
                return [first.map { _ in }, second].map { result in
                    if case .failure(let error as BluejayError) = result { return error.errorCode }
                    return 0
                }
            }
        }
        await stage.onLoop { _ in }
        task.cancel()
        // The cancellation arrives before or during the first call; a task that returns keeps its result.
        let codes = try? await task.value
        #expect(codes == nil || codes == [9, 9])
        try await stage.settle()
        #expect(try await stage.gadget { $0.writes.count } == 0)
    }
}

private func untilCancelled() async {
    let (never, _) = AsyncStream<Void>.makeStream()
    for await _ in never {}
}
