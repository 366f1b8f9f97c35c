import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Cancelling a task", .timeLimit(.minutes(15)))
struct CancellationTests {
    @Test("A call that waits is taken out of the queue, and the others go on")
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

    @Test("A call that runs is given up, and the next has its turn")
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

    @Test("Of a thousand writes that wait and are cancelled in order, none is sent")
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

    @Test("What waits behind calls that were cancelled has its turn")
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

    @Test("A call that has ended is not touched, nor is any other")
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

    @Test("A task that is cancelled already puts nothing into the queue")
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

    @Test("A connection attempt is taken back, and another can be made")
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

    @Test("A disconnect goes on, and what waits behind it has its turn")
    func disconnect() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let task = Task.immediate { try await bluejay.disconnect() }
        await stage.onLoop { #expect($0.isDisconnecting) }
        task.cancel()
        #expect(try await task.value.name == "Gadget")
        #expect(await stage.onLoop { $0.isConnected } == false)
    }

    @Test("A task that is cancelled may disconnect")
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

    @Test("A background task is given up in the call that blocks, with its notifications off")
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

    @Test("A background task that was given up makes no more calls")
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
