public import Bluejay

/// Adapters, and the peripherals that bluetoothd knows, from any task.
///
/// These calls do not join the queue. A cancelled task throws `CancellationError`; the request to bluetoothd
/// still completes.
extension Bluejay {
    /// Lists the adapters of this computer as soon as bluetoothd has replied.
    ///
    /// - Returns: The adapters, in the order of their numbers.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func listAdapters() async throws -> [BluetoothAdapter] {
        try await awaitedAdapterCall { $0.listAdapters(completion: $1) }
    }

    /// Switches an adapter on or off for all programs.
    ///
    /// - Parameters:
    ///   - isOn: Whether to switch the adapter on.
    ///   - adapter: A name (`hci1`) or an address; nil is the adapter in use.
    /// - Returns: The adapter, once it is on or off.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func setPowered(
        _ isOn: Bool,
        of adapter: String? = nil
    ) async throws -> BluetoothAdapter {
        try await awaitedAdapterCall { $0.setPowered(isOn, of: adapter, completion: $1) }
    }

    /// Sets the name of an adapter for all programs and for the devices that discover it.
    ///
    /// - Parameters:
    ///   - alias: At most 248 bytes of UTF-8; an empty string restores the name of the computer.
    ///   - adapter: A name (`hci1`) or an address; nil is the adapter in use.
    /// - Returns: The adapter with its new name.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func setAdapterAlias(
        _ alias: String,
        of adapter: String? = nil
    ) async throws -> BluetoothAdapter {
        try await awaitedAdapterCall { $0.setAdapterAlias(alias, of: adapter, completion: $1) }
    }

    /// Selects the adapter for all later calls.
    ///
    /// - Parameter adapter: The name (`hci1`) or the address of an adapter that is present, on or off; nil is
    ///   the first adapter that is on.
    /// - Returns: The adapter.
    /// - Throws: `BluejayError.inUse`, the other errors of the form with a completion, or
    ///   `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func useAdapter(
        _ adapter: String?
    ) async throws -> BluetoothAdapter {
        try await awaitedAdapterCall { $0.useAdapter(adapter, completion: $1) }
    }

    /// Lists the peripherals that are connected on the adapter in use, by any program.
    ///
    /// - Parameter services: Limits the list to peripherals with one of these services; nil or empty lists
    ///   all.
    /// - Returns: Identifiers to connect to.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func connectedPeripherals(
        withServices services: [ServiceIdentifier]? = nil
    ) async throws -> [PeripheralIdentifier] {
        try await awaitedAdapterCall {
            $0.connectedPeripherals(withServices: services, completion: $1)
        }
    }

    /// Lists the peripherals that bluetoothd knows on the adapter in use, which may be off.
    ///
    /// - Parameter onlyBonded: Whether to list only peripherals whose keys are stored.
    /// - Returns: All of them, connected or not.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func knownPeripherals(
        onlyBonded: Bool = false
    ) async throws -> [KnownPeripheral] {
        try await awaitedAdapterCall { $0.knownPeripherals(onlyBonded: onlyBonded, completion: $1) }
    }

    /// Removes the keys, name and services of a peripheral from the adapter in use.
    ///
    /// - Parameter peripheral: The peripheral to forget; this instance must not be connected to it.
    /// - Throws: The errors of the form with a completion, or `CancellationError`. The peripheral may be
    ///   forgotten even if the call throws.
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
