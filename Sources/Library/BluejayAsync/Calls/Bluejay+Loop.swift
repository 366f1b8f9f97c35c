public import Bluejay

/// What needs the loop and joins no queue, from any task.
///
/// Each call is posted to the `mainLoop`, or made at once where the task is on it and nothing waits that was
/// posted before: in the order in which one task or actor makes them, also beside the calls that join the
/// queue. It returns when it was made there. None of them can be cancelled.
///
/// Any thread may call the members of `Bluejay` with the same names, too. In an `async` function Swift takes the form
/// to await.
extension Bluejay {
    /// Opens the bus and begins to follow bluetoothd; a second call does nothing.
    ///
    /// - Parameter mode: What to begin with.
    public nonisolated(nonsending) func start(
        mode: sending StartMode = .new(.default)
    ) async {
        let mode = Handed(mode)
        await onLoop { $0.start(mode: mode.value) }
    }

    /// Does something on the main loop, in one piece: nothing of another task comes in between.
    ///
    /// ```swift
    /// let isIdle = await bluejay.onLoop { !$0.isConnected && !$0.isConnecting && !$0.isScanning }
    /// ```
    ///
    /// - Parameter work: Called once, on the main loop; what takes long there holds up everything else.
    /// - Returns: What it returned.
    /// - Throws: What it threw.
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

    /// Stops the scan that runs or waits; its stream ends without an error.
    ///
    /// Without a scan nothing happens.
    public nonisolated(nonsending) func stopScanning() async {
        await onLoop { $0.stopScanning() }
    }

    /// Fails everything in the queue, and disconnects unless told not to.
    ///
    /// - Parameters:
    ///   - error: What each pending call throws.
    ///   - shouldDisconnect: Whether to disconnect too. Otherwise listens go on.
    public nonisolated(nonsending) func cancelEverything(
        error: any Error = BluejayError.cancelled,
        shouldDisconnect: Bool = true
    ) async {
        await onLoop { $0.cancelEverything(error: error, shouldDisconnect: shouldDisconnect) }
    }

    /// Stops, and hands what it has to another library or instance; no thread is blocked meanwhile.
    ///
    /// - Returns: Where bluetoothd and the adapter are, and the connected peripheral.
    @discardableResult
    public nonisolated(nonsending) func stopAndExtractBluetoothState() async -> (
        manager: CentralManager, peripheral: ConnectedPeripheral?
    ) {
        await onLoop { $0.stopAndExtractBluetoothState() }
    }

    /// Whether a characteristic is listened to, or a listen to it is being set up.
    ///
    /// - Parameter characteristicIdentifier: A characteristic of the connected peripheral.
    /// - Returns: False when there is none.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func isListening(
        to characteristicIdentifier: CharacteristicIdentifier
    ) async throws -> Bool {
        try await onLoop { try $0.isListening(to: characteristicIdentifier) }
    }

    /// The longest value that one write to the connected peripheral takes.
    ///
    /// - Parameter type: As for the call with the same name.
    /// - Returns: A number of bytes.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func maximumWriteValueLength(
        for type: WriteType
    ) async throws -> Int {
        try await onLoop { try $0.maximumWriteValueLength(for: type) }
    }
}

/// What properties have, and the signal strength.
extension Bluejay {
    /// The services of the connected peripheral, in the order of their handles.
    ///
    /// - Returns: As the property with the same name; empty while no peripheral is connected.
    @available(*, deprecated, message: "read the property services, from any thread")
    public nonisolated(nonsending) func services() async -> [PeripheralService] {
        await onLoop { $0.services }
    }

    /// Sets whether every listener is told the error that ends the connection.
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

    /// Sets how often and how soon a lost connection is made again.
    ///
    /// - Parameter options: As `reconnectOptions`.
    @available(*, deprecated, message: "set the property reconnectOptions, from any thread")
    public nonisolated(nonsending) func setReconnectOptions(_ options: ReconnectOptions) async {
        await onLoop { $0.reconnectOptions = options }
    }

    /// Sets the limits of calls that are made without one of their own.
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
    ///   `BluejayError.notSupported` where BlueZ does not tell it: it knows that of advertisements only.
    public nonisolated(nonsending) func readRSSI() async throws -> Int {
        try await awaited { bluejay, completion in
            bluejay.readRSSI { completion($0.result) }
            return nil
        }
    }
}

/// What a caller has handed over to the loop.
// It was sent, so that nobody else has it: the invariant behind `@unchecked`.
private struct Handed<Value>: @unchecked Swift.Sendable {
    let value: Value
    init(_ value: sending Value) { self.value = value }
}
