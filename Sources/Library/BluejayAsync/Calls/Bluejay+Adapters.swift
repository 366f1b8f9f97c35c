public import Bluejay

/// The adapters, and the peripherals that bluetoothd knows, from any task.
///
/// These calls join no queue. A task that is cancelled gets `CancellationError`; what was asked of
/// bluetoothd goes on.
extension Bluejay {
    /// Lists the adapters of this computer, as soon as bluetoothd has answered.
    ///
    /// - Returns: In the order of their numbers.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func listAdapters() async throws -> [BluetoothAdapter] {
        try await awaitedAdapterCall { $0.listAdapters(completion: $1) }
    }

    /// Switches an adapter on or off, for all programs.
    ///
    /// - Parameters:
    ///   - isOn: What it is to be.
    ///   - adapter: A name (`hci1`) or an address; nil is the one in use.
    /// - Returns: The adapter, when it is on or off.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func setPowered(
        _ isOn: Bool,
        of adapter: String? = nil
    ) async throws -> BluetoothAdapter {
        try await awaitedAdapterCall { $0.setPowered(isOn, of: adapter, completion: $1) }
    }

    /// Names an adapter, for all programs and for everybody who sees it.
    ///
    /// - Parameters:
    ///   - alias: At most 248 bytes of UTF-8; an empty text is the computer's name again.
    ///   - adapter: A name (`hci1`) or an address; nil is the one in use.
    /// - Returns: The adapter with its new name.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func setAdapterAlias(
        _ alias: String,
        of adapter: String? = nil
    ) async throws -> BluetoothAdapter {
        try await awaitedAdapterCall { $0.setAdapterAlias(alias, of: adapter, completion: $1) }
    }

    /// Uses another adapter for what is called from now on.
    ///
    /// - Parameter adapter: A name (`hci1`) or an address of one that is there, on or not; nil is the
    ///   first adapter that is on.
    /// - Returns: The adapter.
    /// - Throws: `BluejayError.inUse`, what else the completion of the call with the same name fails
    ///   with, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func useAdapter(
        _ adapter: String?
    ) async throws -> BluetoothAdapter {
        try await awaitedAdapterCall { $0.useAdapter(adapter, completion: $1) }
    }

    /// Lists the peripherals that are connected on the adapter in use, whoever connected them.
    ///
    /// - Parameter services: Peripherals that have one of them; nil or empty is all.
    /// - Returns: What to connect to.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func connectedPeripherals(
        withServices services: [ServiceIdentifier]? = nil
    ) async throws -> [PeripheralIdentifier] {
        try await awaitedAdapterCall {
            $0.connectedPeripherals(withServices: services, completion: $1)
        }
    }

    /// Lists the peripherals that bluetoothd knows on the adapter in use, which may be off.
    ///
    /// - Parameter onlyBonded: Whether to leave out those without kept keys.
    /// - Returns: All of them, connected or not.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func knownPeripherals(
        onlyBonded: Bool = false
    ) async throws -> [KnownPeripheral] {
        try await awaitedAdapterCall { $0.knownPeripherals(onlyBonded: onlyBonded, completion: $1) }
    }

    /// Forgets a peripheral on the adapter in use: its keys, its name and its services.
    ///
    /// - Parameter peripheral: Whom to forget; not what this instance is connected to.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`;
    ///   then it may be forgotten all the same.
    public nonisolated(nonsending) func forget(_ peripheral: PeripheralIdentifier) async throws {
        try await awaitedAdapterCall { $0.forget(peripheral, completion: $1) }
    }

    nonisolated(nonsending) func awaitedAdapterCall<Value: Swift.Sendable>(
        _ start:
            @escaping @Sendable (Bluejay, @escaping (Result<Value, BluejayError>) -> Void) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await awaited { bluejay, completion in
            let id = bluejay.adapterCall {
                start(bluejay) { result in completion(result.mapError { $0 }) }
            }
            return id.map { id in { bluejay.cancelAdapterCall(id) } }
        }
    }
}
