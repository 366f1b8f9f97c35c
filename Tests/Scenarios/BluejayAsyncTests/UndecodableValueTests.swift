import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Streams with values that cannot be decoded", .timeLimit(.minutes(15)))
struct UndecodableValueTests {
    @Test("A skipping stream omits and counts values that cannot be decoded")
    func skip() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(
            of: measurement,
            as: UInt16.self,
            undecodableValues: .skip
        )
        try await stage.settle()
        for value in [[1, 0], [2], [3, 0, 0], [4, 0]] as [[UInt8]] { try await stage.send(value) }
        try await stage.settle()
        #expect(try await stage.listenerCount() == 1)
        try await stage.bluejay.disconnect()
        let ended = await drain(stream)
        #expect(ended.elements == [1, 4])
        #expect(stream.skippedCount == 2)
        #expect(stream.droppedCount == 0)
        #expect(ended.reason == .explicitDisconnect)
    }

    @Test("A stream of results delivers decoding errors and continues")
    func results() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.results(of: measurement, as: HeartRateReading.self)
        try await stage.settle()
        for value in [[0, 60], [1, 60], [0, 61]] as [[UInt8]] { try await stage.send(value) }
        try await stage.settle()
        try await stage.bluejay.disconnect()
        let ended = await drain(stream)
        #expect(ended.elements.map { try? $0.get().beatsPerMinute } == [60, nil, 61])
        #expect(throws: BluejayError.dataOutOfBounds(start: 1, length: 2, count: 2)) {
            try ended.elements[1].get()
        }
        #expect(stream.skippedCount == 0)
        #expect(ended.reason == .explicitDisconnect)
    }

    @Test("A read without a type returns the bytes")
    func readBytes() async throws {
        let stage = try await AsyncStage.connected()
        let value = try await stage.bluejay.read(from: quick)
        #expect(value == Data([1]))
        let typed: UInt8 = try await stage.bluejay.read(from: quick)
        #expect(typed == 1)
    }

    @Test("A stream without a type delivers the bytes")
    func bytes() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.values(of: measurement)
        let typed: ValueStream<UInt8> = stage.bluejay.values(of: control)
        _ = typed
        try await stage.settle()
        try await stage.send([1, 2, 3])
        for try await value in stream {
            #expect(value == Data([1, 2, 3]))
            break
        }
    }

    @Test(
        "A kept stream survives a lost link and ends with a disconnect",
        arguments: [false, true]
    )
    func kept(isBroadcasting: Bool) async throws {
        let stage = try await AsyncStage.connected()
        await stage.onLoop {
            $0.reconnectOptions.maximumAttempts = 3
            $0.broadcastErrorsToListeners = isBroadcasting
        }
        let stream = stage.bluejay.values(of: measurement, as: UInt8.self, isKept: true)
        var events = stage.bluejay.connectionEvents.makeAsyncIterator()
        try await stage.settle()
        try await stage.send([1])
        try await stage.settle()
        try await stage.gadget { $0.dropLink() }
        var isAway = false
        while let event = await events.next() {
            if case .disconnected = event { isAway = true }
            if isAway, case .connected = event { break }
        }
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([2])
        try await stage.settle()
        try await stage.bluejay.disconnect()
        let ended = await drain(stream)
        #expect(ended.elements == [1, 2])
        #expect(ended.reason == .explicitDisconnect)
    }

    @Test("A kept stream that is released while disconnected ends")
    func keptIsLeft() async throws {
        let stage = try await AsyncStage.connected()
        await stage.onLoop { $0.reconnectOptions.maximumAttempts = 3 }
        var stream: ValueStream<UInt8>? = stage.bluejay.values(of: measurement, isKept: true)
        var events = stage.bluejay.connectionEvents.makeAsyncIterator()
        try await stage.settle()
        try await stage.gadget { $0.dropLink() }
        var isAway = false
        while let event = await events.next() {
            if case .disconnected = event { isAway = true }
            if isAway, stream != nil { stream = nil }
            if isAway, case .connected = event { break }
        }
        _ = stream
        #expect(try await stage.listenerCount() == 0)
    }
}
