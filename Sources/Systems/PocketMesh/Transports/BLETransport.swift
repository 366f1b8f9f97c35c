internal import Bluejay
internal import BluejayAsync
public import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

/// The simple transport: one radio over the queue of a `Bluejay`, without reconnection.
///
/// It suits a program that has a radio in range and reconnects when it likes. It has no phases; the limits
/// are 10 s for a connection and 5 s for a value.
public actor BLETransport: OwnedTransport {
    /// The loop of the host.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    private nonisolated let host: BluetoothHost
    private nonisolated let bluejay: Bluejay
    private let deviceID: UUID
    private let noReconnectHandler = NoReconnectHandler()
    private let log = Log("bluejay.pocketmesh", to: nil)
    private var inbox: ReceivedValues?
    /// Whether the radio has accepted the subscription.
    private var isListening = false
    private var isConnecting = false
    private var callers = CallerQueue()
    /// The number of calls of `disconnect()`.
    private var disconnectCount = 0

    /// Creates a transport, which does not connect yet.
    ///
    /// - Parameters:
    ///   - deviceID: As in ``BLEStateMachine/connect(to:)``.
    ///   - host: The loop, the adapter and the bus.
    public init(deviceID: UUID, host: BluetoothHost = BluetoothHost()) {
        self.deviceID = deviceID
        self.host = host
        bluejay = Bluejay(host: host)
    }

    isolated deinit { inbox?.continuation.finish() }

    /// The values of the present connection, of which 512 are kept unread; after its end, a stream that has
    /// ended.
    public var receivedData: AsyncStream<Data> {
        isConnected ? inbox?.elements ?? Self.endedStream : Self.endedStream
    }

    private static var endedStream: AsyncStream<Data> { AsyncStream { $0.finish() } }

    /// Whether values can be sent and received.
    public var isConnected: Bool { inbox != nil && isListening }

    /// Connects; waits for another call that is connecting, and returns at once if connected.
    ///
    /// - Throws: ``BLEError`` or `CancellationError`.
    public func connect() async throws {
        _ = try await open()
    }

    func open() async throws -> Bool {
        while isConnecting { try await waitInQueue() }
        guard !isConnected else { return false }
        isConnecting = true
        defer {
            isConnecting = false
            callers.resumeAll()
        }
        try await connectAndListen()
        return true
    }

    private func waitInQueue() async throws {
        let caller = callers.makeID()
        try await awaitCall(on: host.mainLoop) {
            callers.add(caller, $0)
        } cancel: {
            $0.callers.cancel(caller)
        }
    }

    private func connectAndListen() async throws {
        let radio = PeripheralIdentifier(uuid: deviceID, name: nil)
        guard radio.address != nil else { throw BLEError.deviceNotFound }
        let before = disconnectCount
        await bluejay.start()
        bluejay.broadcastErrorsToListeners = true
        bluejay.registerDisconnectHandler(handler: noReconnectHandler)
        do {
            try await bluejay.connect(
                radio,
                timeout: .seconds(RadioSettings().connectionTimeout / .seconds(1))
            )
            let found = bluejay.services.first { $0.identifier == NordicUART.service }
            let tx = found?.characteristics.first { $0.identifier == NordicUART.tx }
            let rx = found?.characteristics.first { $0.identifier == NordicUART.rx }
            guard let tx, !tx.properties.isDisjoint(with: .writable), rx != nil else {
                throw BLEError.characteristicNotFound
            }
            try await listen()
            guard before == disconnectCount else { throw CancellationError() }
        } catch {
            // A call of `disconnect()` has ended the attempt.
            guard before == disconnectCount else {
                throw BLEError.connectionFailed("disconnect() was called")
            }
            await end()
            throw error.ofConnection
        }
    }

    private func listen() async throws {
        try await withCheckedThrowingContinuation { listen(ListenSetup($0)) }
    }

    private func listen(_ installation: ListenSetup) {
        let inbox = ReceivedValues.receivedValues()
        self.inbox = inbox
        isListening = false
        let (values, log) = (inbox.continuation, log)
        bluejay.listen(to: NordicUART.rx, multipleListenOption: .replaceable) {
            [weak self] (result: ReadResult<Data>) in
            switch result {
            case .success(let value): values.receive(value, log)
            case .failure(let error):
                installation.end(error)
                values.finish()
                self?.assumeIsolated { $0.closed(inbox) }
            }
        } installed: { [weak self] in
            self?.assumeIsolated { $0.installed(inbox) }
            installation.end(nil)
        }
    }

    private func installed(_ values: ReceivedValues) {
        if inbox === values { isListening = true }
    }

    private func closed(_ values: ReceivedValues) {
        if inbox === values { inbox = nil }
    }

    /// Ends the connection, and a call that is connecting.
    public func disconnect() async {
        disconnectCount += 1
        await end()
    }

    private func end() async {
        inbox?.continuation.finish()
        inbox = nil
        // Without a connection the call fails, which is harmless.
        _ = try? await bluejay.disconnect(immediate: true)
    }

    /// Sends a value with response.
    ///
    /// - Parameter data: Up to 512 bytes.
    /// - Throws: ``BLEError`` or `CancellationError`.
    public func send(_ data: Data) async throws {
        guard isConnected else { throw BLEError.notConnected }
        do {
            try await bluejay.write(
                to: NordicUART.tx,
                value: data,
                timeout: .seconds(RadioSettings().writeTimeout / .seconds(1))
            )
        } catch {
            throw error.ofTransport
        }
    }
}

/// Ends the wait for a listen once.
private final class ListenSetup {
    private var continuation: CheckedContinuation<Void, any Error>?

    init(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    func end(_ error: (any Error)?) {
        if let error {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume()
        }
        continuation = nil
    }
}

private final class NoReconnectHandler: DisconnectHandler {
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        .change(shouldAutoReconnect: false)
    }
}

extension Error {
    /// The reason for a failed connection.
    fileprivate var ofConnection: any Error {
        switch ofTransport {
        case BLEError.notConnected: BLEError.connectionFailed("the link was lost")
        case BLEError.operationTimeout: BLEError.connectionTimeout
        case BLEError.writeError(let text): BLEError.connectionFailed(text)
        case let error: error
        }
    }

    /// The same error as an error of a transport.
    fileprivate var ofTransport: any Error {
        guard let error = self as? BluejayError else { return self }
        return switch error.code {
        case .notConnected, .linkLost: BLEError.notConnected
        case .connectionTimedOut: BLEError.connectionTimeout
        case .operationTimedOut: BLEError.operationTimeout
        case .peripheralNotFound: BLEError.deviceNotFound
        case .missingCharacteristic, .missingService: BLEError.characteristicNotFound
        case .notPaired, .pairingFailed: BLEError.pairingFailed("\(error)")
        case .pairingRejected: BLEError.pairingCancelled
        case .connectionFailed, .unexpectedDisconnect: BLEError.connectionFailed("\(error)")
        case .bluetoothUnavailable: BLEError(error.bluetoothState ?? .unknown)
        default: BLEError.writeError("\(error)")
        }
    }
}
