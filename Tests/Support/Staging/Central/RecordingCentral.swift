package import Bluejay
package import Foundation
package import Testing

/// A `Bluejay` on its own loop, with a record of all callbacks in order.
///
/// The record is used on the loop only; `read` copies it.
package final class RecordingCentral: ConnectionObserver, ServiceObserver, @unchecked Swift.Sendable
{
    package let loop: MainLoop
    package let bluejay: Bluejay
    /// Receives whether the event came before the end of the test's time.
    private typealias Waiter = CheckedContinuation<Bool, Never>

    /// Objects with the same lifetime; on the loop only.
    package var retainedObjects: [AnyObject] = []
    private var events: [String] = []
    private var stateWaiters: [(state: BluetoothState, continuation: Waiter)] = []
    private var waiters: [(beginning: String, continuation: Waiter)] = []
    private var isCancelled = false

    /// Creates a central and starts it.
    ///
    /// - Parameters:
    ///   - busAddress: The address of the testbed's bus.
    ///   - adapter: The name of an adapter; `nil` is any.
    ///   - loop: A loop that is shared with another central.
    ///   - reconnects: Whether it reconnects after a loss; for most scenarios, a loss is the end.
    ///   - starts: Whether to start it.
    package init(
        _ busAddress: String,
        adapter: String? = nil,
        sharing loop: MainLoop? = nil,
        reconnects: Bool = false,
        starts: Bool = true
    ) async {
        let loop = loop ?? MainLoop(threadName: "central")
        self.loop = loop
        bluejay = Bluejay(mainLoop: loop, adapter: adapter, busAddress: busAddress)
        await run { central in
            central.bluejay.register(connectionObserver: central)
            central.bluejay.register(serviceObserver: central)
            if !reconnects { central.bluejay.reconnectOptions.maximumAttempts = 0 }
            if starts { central.bluejay.start() }
        }
    }

    /// Returns a central that has not started.
    package static func stopped(_ busAddress: String) async -> RecordingCentral {
        let central = RecordingCentral(loop: MainLoop(threadName: "central"), busAddress)
        await central.run { $0.bluejay.register(connectionObserver: $0) }
        return central
    }

    private init(loop: MainLoop, _ busAddress: String) {
        self.loop = loop
        bluejay = Bluejay(mainLoop: loop, busAddress: busAddress)
    }

    package func run(_ work: @escaping @Sendable (RecordingCentral) -> Void) async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                work(self)
                continuation.resume()
            }
        }
    }

    package func read<R: Swift.Sendable>(_ work: @escaping @Sendable (RecordingCentral) -> R) async
        -> R
    {
        await withCheckedContinuation { continuation in
            loop.post { [self] in continuation.resume(returning: work(self)) }
        }
    }

    package func read<R: Swift.Sendable>(
        _ work: @escaping @Sendable (RecordingCentral) throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            loop.post { [self] in continuation.resume(with: Result { try work(self) }) }
        }
    }

    /// Adds a line to the record; on the loop only.
    package func recordEvent(_ text: String) {
        events.append(text)
        release { text.hasPrefix($0) }
    }

    /// Waits until all earlier calls are done, by queueing an `endListen` without a listen, which has no
    /// effect.
    package func settle() async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                bluejay.endListen(to: location) { _ in continuation.resume() }
            }
        }
    }

    package func record() async -> [String] {
        await read { $0.events }
    }

    /// Returns the lines of the record with this prefix.
    package func record(of beginning: String) async -> [String] {
        await record().filter { $0.hasPrefix(beginning) }
    }

    /// The record; on the loop only.
    package var recorded: [String] { events }

    package func forget() async {
        await run { $0.events = [] }
    }

    /// Waits until the record has a line with this prefix.
    ///
    /// If the test runs out of time, it records an issue and returns, and every later wait returns at once.
    package func wait(
        for beginning: String,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await untilCancelled("\"\(beginning)\"", place) { central, continuation in
            if central.events.contains(where: { $0.hasPrefix(beginning) }) {
                continuation.resume(returning: true)
            } else {
                central.waiters.append((beginning, continuation))
            }
        }
    }

    /// Waits until Bluetooth is in a state.
    ///
    /// If the test runs out of time, it records an issue and returns.
    package func wait(
        forState state: BluetoothState,
        at place: SourceLocation = #_sourceLocation
    ) async {
        await untilCancelled("the state \(state)", place) { central, continuation in
            guard central.bluejay.bluetoothState != state else {
                return continuation.resume(returning: true)
            }
            central.stateWaiters.append((state, continuation))
        }
    }

    private func untilCancelled(
        _ event: String,
        _ place: SourceLocation,
        _ begin: @escaping @Sendable (RecordingCentral, Waiter) -> Void
    ) async {
        let hasCome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.post { [self] in
                    // The wait that was interrupted has recorded the issue.
                    guard !isCancelled else { return continuation.resume(returning: true) }
                    begin(self, continuation)
                }
            }
        } onCancel: {
            loop.post { [self] in
                isCancelled = true
                releaseStates(hasCome: false) { _ in true }
                release(hasCome: false) { _ in true }
            }
        }
        if !hasCome {
            Issue.record(
                "\(event) was not recorded; events: \(await record())",
                sourceLocation: place
            )
        }
    }

    private func release(hasCome: Bool = true, _ isReady: (String) -> Bool) {
        let ready = waiters.filter { isReady($0.beginning) }
        waiters.removeAll { isReady($0.beginning) }
        for waiter in ready { waiter.continuation.resume(returning: hasCome) }
    }

    private func releaseStates(hasCome: Bool = true, _ isReady: (BluetoothState) -> Bool) {
        let ready = stateWaiters.filter { isReady($0.state) }
        stateWaiters.removeAll { isReady($0.state) }
        for waiter in ready { waiter.continuation.resume(returning: hasCome) }
    }

    package func bluetoothAvailable(_ available: Bool) {
        recordEvent("available \(available)")
        let state = bluejay.bluetoothState
        releaseStates { $0 == state }
    }
    package func connected(to peripheral: PeripheralIdentifier) {
        recordEvent("connected \(peripheral.name)")
    }
    package func disconnected(from peripheral: PeripheralIdentifier) {
        recordEvent("disconnected \(peripheral.name)")
    }
    package func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        let gone = invalidatedServices.map { " -\($0.uuid)" }.joined()
        recordEvent("services changed\(gone)")
    }
}

// MARK: Calls as functions

extension RecordingCentral {
    /// Scans for a service until the first discovery.
    ///
    /// The emulated air delivers one advertisement per scan and may lose it; the scan then restarts after a
    /// while.
    package func find(_ service: String = "180D") async throws -> PeripheralIdentifier {
        while true {
            if let found = try await scan(service, duration: isRealBlueZ ? 10 : 0) { return found }
            try Task.checkCancellation()
            let line = "find: no advertisement of \(service) within 10 s; restarting the scan\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
    }

    /// Returns the first discovery, or `nil` at the end of the duration.
    private func scan(_ service: String, duration: Double) async throws -> PeripheralIdentifier? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.post { [self] in
                    bluejay.scan(
                        duration: duration,
                        serviceIdentifiers: [ServiceIdentifier(uuid: service)]
                    ) { _, _ in
                        .stop
                    } stopped: { found, error in
                        if let error {
                            continuation.resume(throwing: error)
                        } else {
                            continuation.resume(returning: found.first?.peripheralIdentifier)
                        }
                    }
                }
            }
        } onCancel: {
            loop.post { [self] in bluejay.stopScanning() }
        }
    }

    @discardableResult
    package func connect(
        _ peripheral: PeripheralIdentifier,
        timeout: Timeout = .seconds(10)
    ) async throws -> PeripheralIdentifier {
        try await withCheckedThrowingContinuation { continuation in
            loop.post { [self] in
                bluejay.connect(peripheral, timeout: timeout) { result in
                    switch result {
                    case .success(let identifier): continuation.resume(returning: identifier)
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    package func disconnect(immediate: Bool = false) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                bluejay.disconnect(immediate: immediate) { result in
                    switch result {
                    case .disconnected: continuation.resume()
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    package func value<R: Receivable & Swift.Sendable>(
        of characteristic: CharacteristicIdentifier,
        as type: R.Type = R.self
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            loop.post { [self] in
                bluejay.read(from: characteristic) { (result: ReadResult<R>) in
                    switch result {
                    case .success(let value): continuation.resume(returning: value)
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    package func write(
        _ value: Data,
        to characteristic: CharacteristicIdentifier,
        type: WriteType = .withResponse
    ) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                bluejay.write(to: characteristic, value: value, type: type) { result in
                    switch result {
                    case .success: continuation.resume()
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    package func endListen(_ characteristic: CharacteristicIdentifier) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                bluejay.endListen(to: characteristic) { result in
                    switch result {
                    case .success: continuation.resume()
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    /// Listens, and notes each value as `value 003c`, each failure as `listen failed …`.
    package func listen(
        _ characteristic: CharacteristicIdentifier,
        option: MultipleListenOption = .trap,
        as name: String = "value"
    ) async {
        await run { central in
            central.bluejay.listen(to: characteristic, multipleListenOption: option) {
                [weak central] (result: ReadResult<Data>) in
                switch result {
                case .success(let value):
                    let hex = value.map { String($0, radix: 16) }.joined(separator: " ")
                    central?.recordEvent("\(name) \(hex)")
                case .failure(let error):
                    central?.recordEvent("\(name) failed: \(errorName(error))")
                }
            }
        }
    }
}

package let heartRateService = ServiceIdentifier(uuid: "180D")
package let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)
package let location = CharacteristicIdentifier(uuid: "2A38", service: heartRateService)
package let controlPoint = CharacteristicIdentifier(uuid: "2A39", service: heartRateService)

/// Returns the name of the error's code, for the record.
package func errorName(_ error: any Error) -> String {
    guard let error = error as? BluejayError else { return "\(type(of: error))" }
    let names = [
        1: "bluetoothUnavailable", 2: "multipleScanNotSupported", 3: "multipleConnectNotSupported",
        4: "multipleDisconnectNotSupported", 5: "connectionTimedOut", 6: "notConnected",
        7: "missingService", 8: "missingCharacteristic", 9: "cancelled", 10: "explicitDisconnect",
        11: "unexpectedDisconnect", 12: "disconnectQueued", 13: "listenTimedOut",
        17: "dataOutOfBounds", 21: "backgroundTaskRunning",
        22: "multipleBackgroundTaskNotSupported",
        23: "indefiniteFlush", 24: "stopped", 27: "multipleListenTrapped",
        28: "multipleListenReplaced", 29: "tooMuchData", 33: "operationTimedOut", 34: "attribute",
        36: "notSupported", 37: "connectionFailed", 38: "peripheralNotFound", 41: "linkLost",
        43: "blockedMainLoop", 54: "missingDescriptor", 55: "noPeripheralFound", 56: "inUse",
        58: "notSubscribed", 59: "notAddressable", 60: "tooManyValues",
        35: "notPaired", 42: "pairingFailed", 57: "pairingRejected",
        61: "invalidPSM", 62: "channelRefused", 63: "psmInUse", 64: "psmNotPermitted",
        65: "channelClosed", 66: "channelFull", 67: "systemError", 68: "ambiguousCharacteristic",
        25: "backgroundRestorationInProgress",
    ]
    return names[error.errorCode] ?? "error \(error.errorCode)"
}
