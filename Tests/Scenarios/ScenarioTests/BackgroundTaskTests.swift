import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Tests `CallGate`.
@Suite("Background tasks", .timeLimit(.minutes(15)))
struct BackgroundTaskTests {
    private let echo = CharacteristicIdentifier(uuid: "FFE1", service: heartRateService)

    /// A gadget with a value, a write-only register and an echo.
    private static let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic("2A38", ["read"], .value([7])),
        ScriptedCharacteristic("2A39", ["write"], .accepts([[1]], otherwise: 0x80)),
        ScriptedCharacteristic("FFE1", ["read", "write", "notify"], .echoes([0])),
    ])

    @Test("Reads and writes block until they complete, and throw their errors")
    func readsAndWrites() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let echo = echo
            let values = try await central.task { peripheral -> [UInt8] in
                let first = try peripheral.read(from: location, as: UInt8.self)
                try peripheral.write(to: controlPoint, value: UInt8(1))
                let second: UInt8 = try peripheral.writeAndRead(
                    writeTo: echo,
                    value: UInt8(42),
                    readFrom: echo
                )
                let limit = peripheral.maximumWriteValueLength(for: .withResponse)
                return [first, second, limit == 512 ? 1 : 0]
            }
            #expect(values == [7, 42, 1])
            await #expect(throws: BluejayError.self) {
                try await central.task { try $0.write(to: controlPoint, value: UInt8(2)) }
            }
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
        }
    }

    @Test("A listen returns when its closure is done, with notifications off")
    func listen() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let (central, echo) = (connected.central, echo)
            let values = try await central.task { peripheral -> [UInt8] in
                var values: [UInt8] = []
                try peripheral.writeAndListen(
                    writeTo: echo,
                    value: UInt8(1),
                    listenTo: echo,
                    timeoutInSeconds: .seconds(15)
                ) { (value: UInt8) -> ListenAction in
                    values.append(value)
                    return .done
                }
                try peripheral.writeAndListen(
                    writeTo: echo,
                    value: UInt8(2),
                    listenTo: echo,
                    timeoutInSeconds: 15
                ) { (value: UInt8) -> ListenAction in
                    values.append(value)
                    return .done
                }
                return values
            }
            #expect(values == [1, 2])
            #expect(await central.isListening(to: echo) == false)
        }
    }

    @Test(
        "A listen without values times out after a fraction of a second if its timeout is that short"
    )
    func fractionalLimit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let echo = echo
            await #expect(throws: BluejayError.listenTimedOut) {
                try await central.task { peripheral in
                    try peripheral.listen(to: echo, timeout: .seconds(0.3)) { (_: UInt8) in .done }
                }
            }
            #expect(await central.isListening(to: echo) == false)
        }
    }

    @Test(
        "Packets are assembled to the expected length, and excess bytes throw an error that holds them"
    )
    func assembling() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let (central, echo) = (connected.central, echo)
            let texts = Received()
            async let assembled: Void = central.task { peripheral in
                try peripheral.writeAndAssemble(
                    writeTo: echo,
                    value: Data("ab".utf8),
                    listenTo: echo,
                    expectedLength: 4
                ) { (text: String) -> ListenAction in
                    central.recordEvent("assembled \(text)")
                    return texts.add(text) == 2 ? .done : .keepListening
                }
            }
            // The echo of the write is the first piece.
            try await wait { try await connected.peripheral.writes().isEmpty == false }
            try await connected.peripheral.send(Array("cd".utf8), on: "FFE1")
            await central.wait(for: "assembled abcd")
            try await connected.peripheral.send(Array("ef".utf8), on: "FFE1")
            try await connected.peripheral.send(Array("gh".utf8), on: "FFE1")
            try await assembled
            #expect(texts.all == ["abcd", "efgh"])
            let tooMuch = BluejayError.tooMuchData(expected: 2, received: Data("xyz".utf8))
            await #expect(throws: tooMuch) {
                try await central.task { peripheral in
                    try peripheral.writeAndAssemble(
                        writeTo: echo,
                        value: "xyz",
                        listenTo: echo,
                        expectedLength: 2
                    ) { (_: Data) -> ListenAction in .done }
                }
            }
            #expect(await central.isListening(to: echo) == false)
        }
    }

    @Test("A flush discards values until none has arrived for the given time")
    func flushing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let (central, echo) = (connected.central, echo)
            try await central.task { peripheral in
                try peripheral.flushListen(to: echo, nonZeroTimeout: .seconds(0.3)) {
                    central.noteLater("flushed")
                }
                central.noteLater("returned")
            }
            await central.wait(for: "returned")
            #expect(await central.record().suffix(2) == ["flushed", "returned"])
            await #expect(throws: BluejayError.indefiniteFlush) {
                try await central.task { peripheral in
                    try peripheral.flushListen(to: echo, nonZeroTimeout: .none) {}
                }
            }
            try await central.task { try $0.endListen(to: echo) }
        }
    }

    @Test(
        "A lost link wakes a listening task, and observers are notified after the task has completed",
        .fault(.linkLost, during: .backgroundTask)
    )
    func woken() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let (central, echo) = (connected.central, echo)
            await central.forget()
            await central.run { central in
                central.bluejay.run { (peripheral: SynchronizedPeripheral) -> Void in
                    do {
                        try peripheral.listen(to: echo) { (_: UInt8) in .keepListening }
                    } catch {
                        central.noteLater("task: \(errorName(error))")
                    }
                } completionOnMainThread: { _ in
                    central.recordEvent("completed")
                }
            }
            try await wait { await central.read { try? $0.bluejay.isListening(to: echo) } == true }
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected Gadget")
            #expect(
                await central.record()
                    == ["task: notConnected", "completed", "disconnected Gadget"]
            )
        }
    }

    @Test("A task started in the completion of another runs alone and completes")
    func oneAfterTheOther() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            await central.forget()
            await central.run { central in
                central.recordTask(
                    "first",
                    then: {
                        central.recordTask("second") { peripheral in
                            central.noteLater("second begins")
                            for _ in 1...20 { let _: UInt8 = try peripheral.read(from: location) }
                        }
                        central.loop.post {
                            central.recordTask("beside") { _ in }
                            central.recordRead("regular")
                        }
                    }
                ) { _ in }
            }
            await central.wait(for: "second ok")
            #expect(
                Set(await central.record()) == [
                    "first ok", "second begins", "beside multipleBackgroundTaskNotSupported",
                    "regular backgroundTaskRunning", "second ok",
                ]
            )
        }
    }

    @Test(
        "cancelEverything without a disconnect ends a task's listen and turns notifications off",
        arguments: [false, true]
    )
    func cancelledListen(broadcasts: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.bluejay.broadcastErrorsToListeners = broadcasts
                central.recordTask("task") { peripheral in
                    try peripheral.listen(to: measurement) { (_: Data) -> ListenAction in
                        .keepListening
                    }
                }
            }
            try await wait { await central.isListening(to: measurement) == true }
            await central.run { $0.bluejay.cancelEverything(shouldDisconnect: false) }
            await central.wait(for: "task")
            await central.expect(["task cancelled"])
            #expect(await central.isListening(to: measurement) == false)
            await central.listen(measurement)
            try await wait {
                try await connected.peripheral.send([9], on: "2A37")
                return await central.record().contains("value 9")
            }
        }
    }

    @Test("After a lost link, cancelEverything in a task cancels the reconnection")
    func cancelledAfterLoss() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordTask("task") { peripheral in
                    do {
                        try peripheral.listen(to: measurement) { (_: Data) -> ListenAction in
                            .keepListening
                        }
                    } catch {
                        // The end of the connection is reported after the task.
                        central.bluejay.cancelEverything()
                        throw error
                    }
                }
            }
            try await wait { await central.isListening(to: measurement) == true }
            try await connected.peripheral.dropLink()
            await central.wait(for: "handler")
            await central.settle()
            await central.expect(["task notConnected"] + ObservedEvent.end("false linkLost"))
            #expect(await central.reconnects() == false)
            #expect(await central.isConnecting() == false)
        }
    }

    @Test("A scan that delays a task can be stopped", arguments: [false, true])
    func behindScan(stopsInside: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            await central.forget()
            await central.run { central in
                central.recordScan("scan")
                central.recordTask("task") { peripheral in
                    if stopsInside { central.bluejay.stopScanning() }
                    let _: UInt8 = try peripheral.read(from: location)
                }
                if !stopsInside { central.bluejay.stopScanning() }
            }
            await central.wait(for: "task")
            let record = await central.record().filter { !$0.hasPrefix("scan found") }
            #expect(record == ["scan stopped ok", "task ok"])
        }
    }

    @Test("Stopping the loop disconnects and wakes the waiting task")
    func loopEnds() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let (central, loop) = (connected.central, connected.central.loop)
            let errors = await withCheckedContinuation { continuation in
                loop.post {
                    central.bluejay.run { peripheral in
                        var errors: [String] = []
                        for _ in 1...2 {
                            do {
                                loop.post { loop.stop() }
                                let _: UInt8 = try peripheral.read(from: location)
                            } catch {
                                errors.append(errorName(error))
                            }
                        }
                        continuation.resume(returning: errors)
                    } completionOnMainThread: { (_: RunResult<Void>) in
                    }
                }
            }
            #expect(errors.first == "stopped")
            #expect(errors.count == 2)
            try await wait { try await !connected.peripheral.isConnected() }
        }
    }

    @Test("Any thread can read the state")
    func anyThread() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let bluejay = connected.central.bluejay
            #expect(bluejay.isConnected && bluejay.hasStarted && !bluejay.isDisconnecting)
            #expect(bluejay.bluetoothState == .poweredOn)
            #expect(bluejay.shouldAutoReconnect && bluejay.reconnectOptions.maximumAttempts == 0)
            try await connected.central.disconnect()
            #expect(!bluejay.isConnected && !bluejay.shouldAutoReconnect)
        }
    }

    @Test("Misplaced calls fail without blocking the loop")
    func rules() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let inside = try await central.task { peripheral -> Bool in
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("inside \(result.text)")
                }
                central.bluejay.run(
                    backgroundTask: { (_: SynchronizedPeripheral) in },
                    completionOnMainThread: { (result: RunResult<Void>) in
                        if case .failure(let error) = result {
                            central.recordEvent(
                                "second \((error as? BluejayError)?.errorCode ?? 0)"
                            )
                        }
                    }
                )
                _ = try peripheral.read(from: location) as UInt8
                return central.bluejay.isConnected
            }
            #expect(inside)
            // A task must not block the loop that delivers its results.
            let onLoop = await central.read { central -> String in
                var text = "no peripheral"
                central.bluejay.run { (peripheral: SynchronizedPeripheral) -> Void in
                    let held = Held(peripheral)
                    central.loop.post {
                        do {
                            _ = try held.peripheral.read(from: location) as UInt8
                        } catch {
                            central.recordEvent(
                                "on the loop \((error as? BluejayError)?.errorCode ?? 0)"
                            )
                        }
                    }
                    _ = try peripheral.read(from: location) as UInt8
                } completionOnMainThread: { _ in
                    central.recordEvent("over")
                }
                text = "begun"
                return text
            }
            #expect(onLoop == "begun")
            await central.wait(for: "over")
            let record = await central.record().filter { !$0.hasPrefix("connected") }
            #expect(record.contains("inside backgroundTaskRunning"))
            #expect(record.contains("second 22"))
            #expect(record.contains("on the loop 43"))
        }
    }
}

/// Written by a closure on the loop and read after its end.
private final class Received: @unchecked Swift.Sendable {
    private(set) var all: [String] = []

    func add(_ text: String) -> Int {
        all.append(text)
        return all.count
    }
}

private struct Held: @unchecked Swift.Sendable {
    let peripheral: SynchronizedPeripheral
    init(_ peripheral: SynchronizedPeripheral) { self.peripheral = peripheral }
}
