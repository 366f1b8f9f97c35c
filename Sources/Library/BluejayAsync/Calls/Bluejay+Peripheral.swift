public import Bluejay

/// What a peripheral is, as functions to await.
extension Bluejay {
    /// Reads how full the battery of the connected peripheral is.
    ///
    /// Joins the queue.
    ///
    /// - Parameter timeout: From the call's turn in the queue.
    /// - Returns: 0 to 100 percent.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func batteryLevel(
        timeout: Timeout = .standard
    ) async throws -> Int {
        try await awaitedOperation { bluejay, completion in
            bluejay.batteryLevel(timeout: timeout) { completion($0.result) }
        }
    }

    /// Reads what the connected peripheral says of itself in the service Device Information, `180A`.
    ///
    /// Joins the queue once. What the peripheral does not have, or refuses to let be read, is nil.
    ///
    /// - Parameter timeout: Of all of it, from the call's turn in the queue.
    /// - Returns: What there is.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func deviceInformation(
        timeout: Timeout = .standard
    ) async throws -> DeviceInformation {
        try await awaitedOperation { bluejay, completion in
            bluejay.deviceInformation(timeout: timeout) { completion($0.result) }
        }
    }

    /// Names the connected peripheral on this machine, for all programs.
    ///
    /// Joins the queue, without radio traffic.
    ///
    /// - Parameter alias: The name; an empty one gives the peripheral its own name back.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func setAlias(_ alias: String) async throws {
        try await awaitedOperation { bluejay, completion in
            bluejay.setAlias(alias) { completion($0.result) }
        }
    }

    /// What bluetoothd knows of the connected peripheral, without radio traffic.
    ///
    /// - Returns: A snapshot; ``peripheralEvents`` tells the changes.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func peripheralDetails() async throws -> PeripheralDetails {
        try await onLoop { try $0.peripheralDetails() }
    }

    /// The ATT MTU that both ends agreed to, without radio traffic.
    ///
    /// - Returns: 23 to 517 bytes; nil before BlueZ 5.62, which does not tell.
    /// - Throws: `BluejayError.notConnected`.
    public nonisolated(nonsending) func mtu() async throws -> Int? {
        try await onLoop { try $0.mtu() }
    }
}
