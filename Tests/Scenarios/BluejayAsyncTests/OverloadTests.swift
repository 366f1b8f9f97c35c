import Bluejay
import BluejayAsync
import Foundation
import TestSupport
import Testing

// Both kinds of calls side by side in async functions. Bluejay has not started, so all of them fail.
@Suite("Overloads with completions and with await", .serialized)
struct OverloadTests {
    private let peripheral = PeripheralIdentifier(uuid: .init(), name: "Nobody")

    @Test("A call with a completion selects the callback form, even in an async function")
    func completions() async throws {
        let caller = Caller()
        await caller.callAll(peripheral)
        // The calls complete in order on a later iteration of the loop.
        try await wait { await caller.failures.count >= 9 }
        let failures = await caller.failures
        #expect(
            failures == [
                "connect", "connect", "read", "write", "listen", "disconnect", "disconnect", "scan",
                "run",
            ]
        )
    }

    @Test("In a synchronous function, a disconnect without a completion is not awaited")
    func synchronous() async {
        let loop = MainLoop(threadName: "overload")
        let bluejay = Bluejay(mainLoop: loop)
        await withCheckedContinuation { continuation in
            loop.post {
                bluejay.disconnect()
                bluejay.disconnect(immediate: true)
                bluejay.stopScanning()
                bluejay.cancelEverything()
                bluejay.endListen(to: measurement)
                bluejay.stopAndExtractBluetoothState()
                #expect(throws: BluejayError.notConnected) {
                    try bluejay.isListening(to: measurement)
                }
                #expect(throws: BluejayError.notConnected) {
                    try bluejay.maximumWriteValueLength(for: .withResponse)
                }
                continuation.resume()
            }
        }
    }

    @Test("A call without a completion is awaited in an async function")
    func awaited() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = stage.bluejay
        let expected = BluejayError.bluetoothUnavailable(.unknown)
        await #expect(throws: expected) { try await bluejay.connect(peripheral) }
        await #expect(throws: expected) { try await bluejay.connect(peripheral, timeout: 1) }
        await #expect(throws: expected) { let _: UInt8 = try await bluejay.read(from: quick) }
        await #expect(throws: expected) { try await bluejay.write(to: control, value: UInt8(1)) }
        await #expect(throws: expected) { try await bluejay.disconnect() }
        await #expect(throws: expected) { try await bluejay.disconnect(immediate: true) }
        await #expect(throws: expected) { try await bluejay.run { _ in } }
        await #expect(throws: expected) { _ = try await bluejay.run { _ in 1 } }
    }
}

private actor Caller {
    private nonisolated let executor: LoopExecutor
    private let bluejay: Bluejay
    private(set) var failures: [String] = []

    init() {
        let loop = MainLoop(threadName: "overload")
        executor = LoopExecutor(loop)
        bluejay = Bluejay(mainLoop: loop)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func callAll(_ peripheral: PeripheralIdentifier) async {
        func note(_ name: String, _ error: any Error) {
            #expect(error as? BluejayError == .bluetoothUnavailable(.unknown))
            failures.append(name)
        }
        bluejay.connect(peripheral) { if case .failure(let error) = $0 { note("connect", error) } }
        bluejay.connect(peripheral, timeout: .seconds(1)) { result in
            if case .failure(let error) = result { note("connect", error) }
        }
        bluejay.read(from: quick) { (result: ReadResult<UInt8>) in
            if case .failure(let error) = result { note("read", error) }
        }
        bluejay.write(to: control, value: UInt8(1)) { result in
            if case .failure(let error) = result { note("write", error) }
        }
        bluejay.listen(to: measurement) { (result: ReadResult<UInt8>) in
            if case .failure(let error) = result { note("listen", error) }
        }
        bluejay.disconnect { if case .failure(let error) = $0 { note("disconnect", error) } }
        bluejay.disconnect(immediate: true) { result in
            if case .failure(let error) = result { note("disconnect", error) }
        }
        bluejay.disconnect(completion: nil)
        bluejay.scan(serviceIdentifiers: nil) { _, _ in
            .stop
        } stopped: { _, error in
            if let error { note("scan", error) }
        }
        bluejay.run { _ in
        } completionOnMainThread: { (result: RunResult<Void>) in
            if case .failure(let error) = result { note("run", error) }
        }
        #expect(failures == [])
    }
}

private final class LoopExecutor: SerialExecutor {
    private let loop: MainLoop

    init(_ loop: MainLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.post { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
