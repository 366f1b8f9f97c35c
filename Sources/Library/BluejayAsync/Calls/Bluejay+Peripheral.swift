public import Bluejay

/// Properties of the connected peripheral, as `async` functions.
extension Bluejay {
    /// Reads the battery level of the connected peripheral.
    ///
    /// Joins the queue.
    ///
    /// - Parameter timeout: From the call's turn in the queue.
    /// - Returns: 0 to 100 percent.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func batteryLevel(
        timeout: Timeout = .standard
    ) async throws -> Int {
        try await awaitedOperation { bluejay, completion in
            bluejay.batteryLevel(timeout: timeout) { completion($0.result) }
        }
    }

    /// Reads the Device Information service, `180A`, of the connected peripheral.
    ///
    /// Joins the queue once. A field that the peripheral lacks or refuses to return is nil.
    ///
    /// - Parameter timeout: For all reads together, from the call's turn in the queue.
    /// - Returns: The available information.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func deviceInformation(
        timeout: Timeout = .standard
    ) async throws -> DeviceInformation {
        try await awaitedOperation { bluejay, completion in
            bluejay.deviceInformation(timeout: timeout) { completion($0.result) }
        }
    }

    /// Sets the name of the connected peripheral on this machine, for all programs.
    ///
    /// Joins the queue, without radio traffic.
    ///
    /// - Parameter alias: The name; an empty string restores the peripheral's own name.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func setAlias(_ alias: String) async throws {
        try await awaitedOperation { bluejay, completion in
            bluejay.setAlias(alias) { completion($0.result) }
        }
    }

    /// Returns bluetoothd's information about the connected peripheral, without radio traffic.
    ///
    /// - Returns: A snapshot; ``peripheralEvents`` reports the changes.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func peripheralDetails() async throws -> PeripheralDetails {
        try await onLoop { try $0.peripheralDetails() }
    }

    /// Returns the ATT MTU that both ends agreed on, without radio traffic.
    ///
    /// - Returns: 23 to 517 bytes; nil before BlueZ 5.62, which does not report it.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func mtu() async throws -> Int? {
        try await onLoop { try $0.mtu() }
    }
}
