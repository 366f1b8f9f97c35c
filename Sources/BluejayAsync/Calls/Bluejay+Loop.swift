public import Bluejay

/// What needs the loop and joins no queue, from any task.
///
/// Each call is posted to the `mainLoop`, in the order in which one task or actor makes them, also beside
/// the calls that join the queue; it returns when it was made there. None of them can be cancelled.
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

    /// Does something on the main loop: settings, and whatever else has no function to await.
    ///
    /// ```swift
    /// await bluejay.onLoop { $0.reconnectOptions.limit = 3 }
    /// ```
    ///
    /// - Parameter work: Called once, on the main loop; what takes long there holds up everything else.
    /// - Returns: What it returned.
    /// - Throws: What it threw.
    public nonisolated(nonsending) func onLoop<Value: Swift.Sendable, Failure: Error>(
        _ work: @escaping @Sendable (Bluejay) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            mainLoop.post { [self] in
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

    /// Stops, and hands what it has to another library or instance.
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

/// What a caller has handed over to the loop.
// It was sent, so that nobody else has it: the invariant behind `@unchecked`.
private struct Handed<Value>: @unchecked Swift.Sendable {
    let value: Value
    init(_ value: sending Value) { self.value = value }
}
