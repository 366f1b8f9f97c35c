public import Bluejay
internal import BluejayGLib

/// Calls that need the loop but do not join the queue, from any task.
///
/// Each call is posted to the `mainLoop`, or made at once if the task runs there and no earlier post is
/// pending. The calls of one task or actor keep their order, including calls that join the queue. A call
/// returns once it has been made on the loop, and cannot be cancelled.
///
/// Any thread may also call the members of `Bluejay` with the same names; in an `async` function Swift
/// chooses the `async` form.
extension Bluejay {
    /// Opens the bus, begins to follow bluetoothd, and returns when the state of Bluetooth is known.
    ///
    /// It never fails: `bluetoothState` has the reason if Bluetooth cannot be used, and ``waitUntilReady(within:)``
    /// throws it. A second call only waits. A cancelled task does not wait.
    ///
    /// - Parameter mode: The state to begin with.
    public nonisolated(nonsending) func start(
        mode: sending StartMode = .new(.default)
    ) async {
        let mode = UncheckedTransfer(mode)
        await onLoop { $0.start(mode: mode.value) }
        _ = try? await listAdapters()
    }

    /// Waits until Bluetooth can be used.
    ///
    /// Other calls need not wait: they wait by themselves while the state is being determined.
    ///
    /// - Parameter limit: The time limit; without one, the call waits until Bluetooth is switched on.
    /// - Throws: `BluejayError.bluetoothUnavailable` with the reason when the time has passed,
    ///   `BluejayError.stopped` if the loop or the instance has ended, or `CancellationError`.
    public nonisolated(nonsending) func waitUntilReady(within limit: Timeout = .none) async throws {
        try Task.checkCancellation()
        try await awaited { $0.whenReady(within: limit, $1) }
    }

    /// Runs a closure on the main loop, without interleaving with other tasks.
    ///
    /// ```swift
    /// let isIdle = await bluejay.onLoop { !$0.isConnected && !$0.isConnecting && !$0.isScanning }
    /// ```
    ///
    /// - Parameter work: Called once, on the main loop; slow work delays everything else there.
    /// - Returns: The value that `work` returned.
    /// - Throws: The error that `work` threw.
    public nonisolated(nonsending) func onLoop<Value: Swift.Sendable, Failure: Error>(
        _ work: @escaping @Sendable (Bluejay) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            mainLoop.perform { [self] in
                continuation.resume(
                    returning: Result { () throws(Failure) in try work(self) }
                )
            }
        }
        return try result.get()
    }

    /// Stops the running or waiting scan; its stream ends without an error.
    ///
    /// Without a scan this call does nothing.
    public nonisolated(nonsending) func stopScanning() async {
        await onLoop { $0.stopScanning() }
    }

    /// Fails everything in the queue and, by default, disconnects.
    ///
    /// - Parameters:
    ///   - error: The error that each pending call throws.
    ///   - shouldDisconnect: Whether to disconnect too. Otherwise listens continue.
    public nonisolated(nonsending) func cancelEverything(
        error: any Error = BluejayError.cancelled,
        shouldDisconnect: Bool = true
    ) async {
        await onLoop { $0.cancelEverything(error: error, shouldDisconnect: shouldDisconnect) }
    }

    /// Stops, and hands the connection over to another library or instance; no thread is blocked meanwhile.
    ///
    /// - Returns: The locations of bluetoothd and the adapter, and the connected peripheral.
    @discardableResult
    public nonisolated(nonsending) func stopAndExtractBluetoothState() async -> (
        manager: CentralManager, peripheral: ConnectedPeripheral?
    ) {
        await onLoop { $0.stopAndExtractBluetoothState() }
    }

    /// Returns whether a characteristic is being listened to.
    ///
    /// - Parameter characteristicIdentifier: A characteristic of the connected peripheral.
    /// - Returns: True also while the listen is being set up.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func isListening(
        to characteristicIdentifier: CharacteristicIdentifier
    ) async throws -> Bool {
        try await onLoop { try $0.isListening(to: characteristicIdentifier) }
    }

    /// Returns the maximum length of one write to the connected peripheral.
    ///
    /// - Parameter type: With or without response.
    /// - Returns: A number of bytes.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func maximumWriteValueLength(
        for type: WriteType
    ) async throws -> Int {
        try await onLoop { try $0.maximumWriteValueLength(for: type) }
    }
}

/// Deprecated accessors of properties, and the signal strength.
extension Bluejay {
    /// The services of the connected peripheral, in the order of their handles.
    ///
    /// - Returns: As the property with the same name; empty while no peripheral is connected.
    @available(*, deprecated, message: "read the property services, from any thread")
    public nonisolated(nonsending) func services() async -> [PeripheralService] {
        await onLoop { $0.services }
    }

    /// Sets whether every listener receives the error that ends the connection.
    ///
    /// - Parameter isOn: As `broadcastErrorsToListeners`.
    @available(
        *,
        deprecated,
        message: "set the property broadcastErrorsToListeners, from any thread"
    )
    public nonisolated(nonsending) func setBroadcastErrorsToListeners(_ isOn: Bool) async {
        await onLoop { $0.broadcastErrorsToListeners = isOn }
    }

    /// Sets how often, and after which delays, a lost connection is retried.
    ///
    /// - Parameter options: As `reconnectOptions`.
    @available(*, deprecated, message: "set the property reconnectOptions, from any thread")
    public nonisolated(nonsending) func setReconnectOptions(_ options: ReconnectOptions) async {
        await onLoop { $0.reconnectOptions = options }
    }

    /// Sets the time limits of calls made without an explicit limit.
    ///
    /// - Parameter timeouts: As `defaultTimeouts`.
    @available(*, deprecated, message: "set the property defaultTimeouts, from any thread")
    public nonisolated(nonsending) func setDefaultTimeouts(_ timeouts: DefaultTimeouts) async {
        await onLoop { $0.defaultTimeouts = timeouts }
    }

    /// Reads the signal strength of the connected peripheral.
    ///
    /// - Returns: The strength in dBm.
    /// - Throws: `BluejayError.notConnected`, `BluejayError.backgroundTaskRunning`, or
    ///   `BluejayError.notSupported` if BlueZ does not report it: it measures advertisements only.
    public nonisolated(nonsending) func readRSSI() async throws -> Int {
        try await awaited { bluejay, completion in
            bluejay.readRSSI { completion($0.result) }
            return nil
        }
    }
}
