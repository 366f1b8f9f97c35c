import BluejaySimulator
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import PocketMesh

@Suite("Values sent to and received from a radio", .timeLimit(.minutes(15)))
struct ValueTests {
    // MARK: Sending

    @Test("Values are written one at a time, in the order of the calls")
    func order() async throws {
        try await RadioStage.play(holds: true) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let calls = await stage.sendAll((0..<5).map { [UInt8($0)] })
            for count in 1...5 {
                try await wait { await stage.heldCount(.write, of: tx) == 1 }
                #expect(await stage.written().count == count - 1)
                await stage.on {
                    $0.release(.write, of: tx)
                    $0.hold(.write, of: tx)
                }
                try await wait { await stage.written().count == count }
            }
            for call in calls { try await call.value }
            #expect(await stage.written() == (0..<5).map { [UInt8($0)] })
        }
    }

    @Test("A value has at most 512 bytes and may be empty; a longer one is rejected")
    func sizes() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            let long = [UInt8](repeating: 7, count: 512)
            try await stage.radio.send(Data(long))
            try await stage.radio.send(Data())
            #expect(await stage.written() == [long, []])
            let error = await failure { try await stage.radio.send(Data(long + [7])) }
            guard case .writeError(let text) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("513"))
        }
    }

    @Test("A write without a reply in time fails alone, and a late reply completes no other write")
    func late() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                settings.writeTimeout = .seconds(2)
                options.timeScale = 1
            }
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let first = await failure { try await stage.radio.send(Data([1])) }
            #expect(first as? BLEError == .operationTimeout)
            #expect(await stage.radio.isConnected)
            let second = await stage.sendAll([[2]])[0]
            // The answer to the first arrives while the second waits for the radio.
            await stage.on { $0.release(.write, of: tx, refusingWith: 0x80) }
            try await second.value
            #expect(await stage.written() == [[2]])
            #expect(stage.journal.count("lost") == 0)
        }
    }

    @Test(
        "Each write to a silent radio fails at its own timeout, and none is sent twice",
        .fault(.silent, during: .write)
    )
    func silent() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                settings.writeTimeout = .seconds(1)
                // bluetoothd itself times out after 30 s.
                options.timeScale = 1
            }
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let calls = await stage.sendAll([[1], [2], [3]])
            for call in calls {
                let error = await failure { try await call.value }
                #expect(error as? BLEError == .operationTimeout)
            }
            #expect(await stage.heldCount(.write, of: tx) == 1)
            await stage.on { $0.release(.write, of: tx) }
            try await stage.radio.send(Data([4]))
            #expect(await stage.written() == [[1], [4]])
        }
    }

    @Test("A cancelled write leaves the queue; one already sent still blocks the next")
    func cancelled() async throws {
        try await RadioStage.play(holds: true) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let calls = await stage.sendAll([[1], [2], [3]])
            try await wait { await stage.heldCount(.write, of: tx) == 1 }
            for call in calls[0...1] { call.cancel() }
            for call in calls[0...1] {
                await #expect(throws: CancellationError.self) { try await call.value }
            }
            #expect(await stage.heldCount(.write, of: tx) == 1)
            await stage.on { $0.release(.write, of: tx) }
            try await calls[2].value
            #expect(await stage.written() == [[1], [3]])
        }
    }

    @Test("The configured pause separates two writes")
    func pacing() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, _ in settings.writePacingDelay = .milliseconds(100) }
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            let start = ContinuousClock.now
            for call in await stage.sendAll([[1], [2], [3]]) { try await call.value }
            #expect(ContinuousClock.now - start >= .milliseconds(200))
        }
    }

    enum End: CaseIterable {
        case drop, disconnect, off, killed
    }

    @Test(
        "The end of the link ends all waiting writes, in order",
        arguments: End.allCases
    )
    func ends(end: End) async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                // The first call waits until all are made, on a busy machine too.
                settings.writeTimeout = .seconds(60)
                options.timeScale = 1
            }
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let ended = Journal()
            let radio = stage.radio
            var calls: [Task<Void, Never>] = []
            for number in 0..<4 {
                calls.append(
                    Task {
                        let error = await failure { try await radio.send(Data([UInt8(number)])) }
                        ended.note("\(number) \((error as? BLEError).map(caseName) ?? "sent")")
                    }
                )
                try await wait { await radio.waitingValueCount == number + 1 }
            }
            switch end {
            case .drop: await stage.on { $0.dropLink() }
            case .disconnect: await radio.disconnect()
            case .off: await stage.setPowered(false)
            case .killed: await stage.system.killDaemon()
            }
            for call in calls { await call.value }
            #expect(ended.lines.sorted() == (0..<4).map { "\($0) notConnected" })
            let error = await failure {
                guard end != .drop else { throw BLEError.notConnected }
                try await radio.send(Data([9]))
            }
            #expect(error as? BLEError == .notConnected)
            #expect(await radio.waitingValueCount == 0)
        }
    }

    @Test("A refused write fails with its ATT code, and the link stays")
    func refused() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.setBehavior(.refuses(0x81), of: tx) }
            let error = await failure { try await stage.radio.send(Data([1])) }
            guard case .writeError(let text) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("0x81"))
            #expect(await stage.radio.isConnected)
        }
    }

    // MARK: Receiving

    @Test(
        "A slow reader has at most 512 waiting values, in order, and dropped ones are counted"
    )
    func slowReader() async throws {
        try await RadioStage.play { stage in
            let stream = try await stage.radio.connect(to: RadioStage.device)
            let count = 700
            await stage.on { device in
                for number in 0..<count {
                    device.send([UInt8(number & 255), UInt8(number >> 8)], on: rx)
                }
            }
            try await wait { await stage.radio.droppedValueCount == count - 512 }
            var values: [Int] = []
            for await value in stream {
                values.append(Int(value[0]) | Int(value[1]) << 8)
                if values.count == 512 { break }
            }
            #expect(values == Array(0..<512))
            #expect(await stage.radio.droppedValueCount == count - 512)
            await stage.radio.disconnect()
            #expect(await stage.radio.droppedValueCount == count - 512)
        }
    }

    @Test("A fast reader receives all values")
    func fastReader() async throws {
        try await RadioStage.play { stage in
            let stream = try await stage.radio.connect(to: RadioStage.device)
            let read = Journal()
            let reader = Task {
                var sum = 0
                for await value in stream {
                    sum += 1
                    read.note("value")
                    if value == Data([0xFF]) { break }
                }
                return sum
            }
            for start in stride(from: 0, to: 2_000, by: 400) {
                await stage.on { device in
                    for number in start..<start + 400 { device.send([UInt8(number & 127)], on: rx) }
                }
                try await read.wait(for: "value", count: start + 400)
            }
            await stage.send([0xFF])
            #expect(await reader.value == 2_001)
            #expect(await stage.radio.droppedValueCount == 0)
        }
    }

    @Test("Values of 512 bytes arrive complete")
    func longValues() async throws {
        try await RadioStage.play { stage in
            let stream = try await stage.radio.connect(to: RadioStage.device)
            let long = [UInt8](repeating: 9, count: 512)
            await stage.send(long)
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data(long))
        }
    }
}

extension RadioStage {
    /// Sends values in this order, each in its own task.
    func sendAll(_ values: [[UInt8]]) async -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for value in values {
            let known = await radio.lastID
            tasks.append(Task { [radio] in try await radio.send(Data(value)) })
            try? await TestSupport.wait { await self.radio.lastID > known }
        }
        return tasks
    }
}

extension BLEStateMachine {
    fileprivate var waitingValueCount: Int { writes.count }
}
