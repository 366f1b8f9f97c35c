import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Streams of values", .timeLimit(.minutes(15)))
struct StreamTests {
    @Test("Values arrive in order, and a call made after the stream runs once it listens")
    func values() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement, as: UInt8.self)
        #expect(try await stage.listenerCount() == 1)
        for value in UInt8(1)...5 { try await stage.send([value]) }
        var taken: [UInt8] = []
        for try await value in stream {
            taken.append(value)
            if value == 5 { break }
        }
        #expect(taken == [1, 2, 3, 4, 5])
    }

    @Test("A slow reader of a fast stream receives every value")
    func nothingDropped() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement, as: UInt16.self)
        try await stage.settle()
        _ = try await stage.gadget { gadget in
            for number in UInt16(0)..<1000 {
                gadget.send([UInt8(number & 0xFF), UInt8(number >> 8)], on: "2A37")
            }
        }
        var taken: [UInt16] = []
        for try await value in stream {
            taken.append(value)
            if taken.count % 50 == 0 { try await stage.settle() }
            if value == 999 { break }
        }
        #expect(taken == Array(0..<1000))
    }

    @Test(
        "A stream ends with the link and throws the reason",
        arguments: ["drop", "disconnect", "off"]
    )
    func endsWithLink(_ way: String) async throws {
        // This BlueZ reports the reason of a lost link.
        let stage = try await AsyncStage.connected(.v5_86)
        let stream = stage.bluejay.values(of: measurement, as: UInt8.self)
        try await stage.settle()
        try await stage.send([1])
        var values = stream.makeAsyncIterator()
        #expect(try await values.next() == 1)
        let expected: BluejayError
        switch way {
        case "drop":
            try await stage.gadget { $0.dropLink() }
            expected = .linkLost(.remote)
        case "disconnect":
            try await stage.bluejay.disconnect()
            expected = .explicitDisconnect
        default:
            await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
            expected = .bluetoothUnavailable(.poweredOff)
        }
        await #expect(throws: expected) { try await values.next() }
    }

    @Test("Values received before the link ended are delivered before the error")
    func restBeforeEnd() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement, as: UInt8.self)
        try await stage.settle()
        for value in UInt8(1)...3 { try await stage.send([value]) }
        try await stage.settle()
        try await stage.bluejay.disconnect()
        let ended = await drain(stream)
        #expect(ended.elements == [1, 2, 3])
        #expect(ended.reason == .explicitDisconnect)
    }

    @Test("A value that cannot be decoded ends the stream and the listen with its error")
    func undecodable() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement, as: UInt16.self)
        try await stage.settle()
        try await stage.send([1, 0])
        try await stage.send([2])
        try await stage.send([3, 0])
        let ended = await drain(stream)
        #expect(ended.elements == [1])
        #expect(ended.reason == .dataOutOfBounds(start: 0, length: 2, count: 1))
        #expect(try await stage.listenerCount() == 0)
    }

    @Test("Cancelling the consumer ends the listen")
    func cancelledConsumer() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement, as: UInt8.self)
        let (taken, took) = AsyncStream<Void>.makeStream()
        let task = Task {
            for try await _ in stream { took.yield() }
        }
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([1])
        for await _ in taken { break }
        task.cancel()
        try await task.value
        #expect(try await stage.listenerCount() == 0)
    }

    @Test("Leaving the loop ends the listen, which can be started again")
    func leftLoop() async throws {
        let stage = try await AsyncStage.connected()
        func first() async throws -> UInt8? {
            for try await value in stage.bluejay.values(of: measurement, as: UInt8.self) {
                return value
            }
            return nil
        }
        for number in UInt8(1)...3 {
            async let value = first()
            try await wait { try await stage.listenerCount() == 1 }
            try await stage.send([number])
            #expect(try await value == number)
            #expect(try await stage.listenerCount() == 0)
        }
    }

    @Test("A stream that is released does not listen")
    func unheld() async throws {
        let stage = try await AsyncStage.connected()
        _ = stage.bluejay.values(of: measurement, as: UInt8.self)
        // A subscription already on its way to bluetoothd is removed after it arrives.
        try await stage.settle()
        #expect(try await stage.listenerCount() == 0)
        #expect(
            await stage.onLoop { try? $0.isListening(to: measurement) } == false
        )
    }

    @Test("endListen ends the stream without an error")
    func endListen() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement, as: UInt8.self)
        try await stage.settle()
        await stage.onLoop { $0.endListen(to: measurement) }
        let ended = await drain(stream)
        #expect(ended.error == nil)
        #expect(ended.elements == [])
    }

    @Test("A second stream is rejected, and the first continues")
    func trapped() async throws {
        let stage = try await AsyncStage.connected()
        let first = stage.bluejay.values(of: measurement, as: UInt8.self)
        let second = stage.bluejay.values(of: measurement, as: UInt8.self)
        #expect(await drain(second).reason == .multipleListenTrapped)
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([4])
        var values = first.makeAsyncIterator()
        #expect(try await values.next() == 4)
    }

    @Test("A replaced stream ends and leaves the other one running")
    func replaced() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = bluejay.values(
            of: measurement,
            as: UInt8.self,
            multipleListenOption: .replaceable
        )
        let second = bluejay.values(of: measurement, as: UInt8.self)
        #expect(await drain(first).reason == .multipleListenReplaced)
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([5])
        var values = second.makeAsyncIterator()
        #expect(try await values.next() == 5)
    }

    @Test("Ending a stream keeps a queued listen that will replace it")
    func waitingReplacement() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let first = Task.immediate {
            let stream = bluejay.values(
                of: measurement,
                as: UInt8.self,
                multipleListenOption: .replaceable
            )
            return await drain(stream)
        }
        #expect(try await stage.listenerCount() == 1)
        let reading = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let second = bluejay.values(of: measurement, as: UInt8.self)
        await stage.onLoop { _ in }
        first.cancel()
        #expect(await first.value.error == nil)
        #expect(try await reading.value == 7)
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([6])
        var values = second.makeAsyncIterator()
        #expect(try await values.next() == 6)
    }

    @Test("A failed subscription throws")
    func notListenable() async throws {
        let stage = try await AsyncStage.connected()
        let ended = await drain(stage.bluejay.values(of: quick, as: UInt8.self))
        #expect(ended.reason?.code == .notSupported)
        #expect(ended.reason?.characteristic?.uuid == BluetoothUUID(string: "2A38"))
    }
}

@Suite("Streams of discoveries", .timeLimit(.minutes(15)))
struct ScanStreamTests {
    @Test("A scan ends without an error after its duration, by a stop and by a connect")
    func ends() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let brief = await drain(bluejay.scan(duration: 0.2, serviceIdentifiers: [service]))
        #expect(brief.error == nil)
        #expect(brief.elements.map(\.peripheralIdentifier.name) == ["Gadget"])
        let stopped = bluejay.scan(serviceIdentifiers: nil)
        await stage.onLoop { $0.stopScanning() }
        #expect(await drain(stopped).error == nil)
        let ended = bluejay.scan(serviceIdentifiers: nil)
        try await bluejay.connect(brief.elements[0].peripheralIdentifier)
        #expect(await drain(ended).error == nil)
    }

    @Test("A scan stream throws the error that stopped its scan")
    func throwsReason() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let first = bluejay.scan(serviceIdentifiers: nil)
        let second = await drain(bluejay.scan(serviceIdentifiers: nil))
        #expect(second.reason == .multipleScanNotSupported)
        #expect(await stage.onLoop { $0.isScanning })
        await stage.onLoop { $0.cancelEverything() }
        #expect(await drain(first).reason == .cancelled)
    }

    @Test("A scan stops when its loop ends, and the queued calls run")
    func stops() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        _ = try await bluejay.find()
        #expect(await stage.onLoop { $0.isScanning } == false)
        let task = Task.immediate { await drain(bluejay.scan(serviceIdentifiers: nil)) }
        #expect(await stage.onLoop { $0.isScanning })
        task.cancel()
        #expect(await task.value.error == nil)
        #expect(await stage.onLoop { $0.isScanning } == false)
        let gadget = try await bluejay.find()
        #expect(gadget.name == "Gadget")
    }
}
