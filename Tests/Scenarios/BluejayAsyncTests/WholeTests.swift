import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("State and settings with await", .timeLimit(.minutes(15)))
struct WholeTests {
    @Test("Any task can read the services, the connected peripheral and the settings")
    func states() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        #expect(bluejay.services.isEmpty)
        #expect(bluejay.connectedPeripheral == nil)
        try await bluejay.connect(bluejay.find())
        #expect(bluejay.services.map(\.identifier).contains(service))
        #expect(bluejay.connectedPeripheral?.name == "Gadget")
        bluejay.reconnectOptions = ReconnectOptions(maximumAttempts: 7)
        bluejay.broadcastErrorsToListeners = true
        #expect(bluejay.reconnectOptions.maximumAttempts == 7)
        #expect(bluejay.broadcastErrorsToListeners)
        try await bluejay.disconnect()
        #expect(bluejay.connectedPeripheral == nil)
    }

    @Test("readRSSI fails without a connection, and concurrent calls end")
    func signalStrength() async throws {
        let stage = try await AsyncStage()
        await #expect(throws: BluejayError.notConnected) { try await stage.bluejay.readRSSI() }
        try await stage.bluejay.connect(stage.bluejay.find())
        let strength = try? await stage.bluejay.readRSSI()
        if let strength { #expect(strength < 0) }
        async let first = stage.bluejay.readRSSI()
        async let second = stage.bluejay.readRSSI()
        _ = (try? await first, try? await second)
    }

    @Test("A lost link is reported with its reason, and each attempt with its number and delay")
    func reasons() async throws {
        let stage = try await AsyncStage(.v5_86)
        let bluejay = stage.bluejay
        bluejay.reconnectOptions = ReconnectOptions(
            maximumAttempts: 2,
            initialDelay: .milliseconds(10),
            attemptTimeout: .milliseconds(100)
        )
        let gadget = try await bluejay.connect(bluejay.find())
        var events = bluejay.connectionEvents.makeAsyncIterator()
        #expect(await events.next() == .bluetoothAvailable(true))
        #expect(await events.next() == .connected(gadget))
        try await stage.gadget { $0.leaveRange() }
        #expect(await events.next() == .disconnected(gadget, reason: .linkLost(.timeout)))
        #expect(await events.next() == .reconnecting(gadget, attempt: 1, after: .zero))
        guard case .disconnected(gadget, let reason?) = await events.next() else {
            Issue.record("the failed attempt was not reported")
            return
        }
        #expect(reason.operation == .connect && reason.peripheral == gadget)
        #expect(
            await events.next() == .reconnecting(gadget, attempt: 2, after: .milliseconds(10))
        )
    }

    @Test("A call without a timeout uses the default, and a call with one keeps it")
    func defaultTimeouts() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        bluejay.defaultTimeouts = DefaultTimeouts(characteristics: .seconds(0.05))
        #expect(bluejay.defaultTimeouts.characteristics == .seconds(0.05))
        await #expect(throws: BluejayError.operationTimedOut) {
            let _: UInt8 = try await bluejay.read(from: slow)
        }
        #expect(try await bluejay.read(from: slow, timeout: .none) == UInt8(7))
        bluejay.defaultTimeouts = DefaultTimeouts()
        #expect(try await bluejay.read(from: slow) == UInt8(7))
    }

    @Test("A connect without a timeout uses the default")
    func defaultConnectTimeout() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        bluejay.defaultTimeouts = DefaultTimeouts(connect: .seconds(0.05))
        let gadget = try await bluejay.find()
        try await stage.gadget { $0.leaveRange() }
        await #expect(throws: BluejayError.connectionTimedOut) { try await bluejay.connect(gadget) }
    }
}

/// An actor on the loop of its `Bluejay` that uses the forms with completions.
private actor Reader {
    private let bluejay: Bluejay
    private(set) var values: [UInt8] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        bluejay.mainLoop.executor
    }

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func read() async -> UInt8? {
        let value: UInt8? = await withCheckedContinuation { continuation in
            bluejay.read(from: quick) { (result: ReadResult<UInt8>) in
                self.assumeIsolated { reader in
                    if case .success(let value) = result { reader.values.append(value) }
                }
                continuation.resume(returning: try? result.get())
            }
        }
        return value
    }
}

@Suite("Main loops and tasks", .timeLimit(.minutes(15)))
struct LoopAndTaskTests {
    @Test("An actor on the loop's executor can call the callback forms")
    func executor() async throws {
        let stage = try await AsyncStage.connected()
        let reader = Reader(stage.bluejay)
        #expect(await reader.read() == 1)
        #expect(await reader.read() == 1)
        #expect(await reader.values == [1, 1])
    }

    @Test("Jobs of an actor on the loop run in order")
    func order() async throws {
        actor Notes {
            let loop: MainLoop
            var lines: [Int] = []
            nonisolated var unownedExecutor: UnownedSerialExecutor {
                loop.executor
            }
            init(_ loop: MainLoop) { self.loop = loop }
            func add(_ line: Int) { lines.append(line) }
        }
        let notes = Notes(MainLoop(threadName: "notes"))
        for number in 0..<100 { await notes.add(number) }
        #expect(await notes.lines == Array(0..<100))
        #expect(!notes.loop.isCurrent)
    }

    @Test("A loop runs until its work is done and returns the value or throws the error")
    func work() async throws {
        struct Reason: Error {}
        let (value, thrown): (Int, Bool) = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let loop = MainLoop(.init())
                let value = try? loop.run { 42 }
                var thrown = false
                do {
                    try loop.run { throw Reason() }
                } catch {
                    thrown = error is Reason
                }
                continuation.resume(returning: (value ?? 0, thrown))
            }
        }
        #expect(value == 42)
        #expect(thrown)
    }

    @Test(
        "Work that is running when the loop stops is cancelled, and the caller receives the error"
    )
    func stopped() async throws {
        let (thrown, ended) = await withCheckedContinuation {
            (continuation: CheckedContinuation<(Bool, AsyncStream<Void>), Never>) in
            Thread.detachNewThread {
                let (ended, end) = AsyncStream<Void>.makeStream()
                let loop = MainLoop(.init())
                do {
                    try loop.run {
                        loop.stop()
                        await withTaskCancellationHandler {
                            await never()
                        } onCancel: {
                            end.finish()
                        }
                    }
                    continuation.resume(returning: (false, ended))
                } catch {
                    continuation.resume(returning: (error is CancellationError, ended))
                }
            }
        }
        #expect(thrown)
        for await _ in ended {}
    }
}

private func never() async {
    let (stream, _) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
}
