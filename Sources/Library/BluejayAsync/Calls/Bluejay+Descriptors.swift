public import Bluejay
public import FoundationEssentials

/// Descriptors, as functions to await.
extension Bluejay {
    /// Reads the whole value of a descriptor.
    ///
    /// Joins the queue.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral.
    ///   - type: The type of the value; it may be left to type inference.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The decoded value, of at most 512 bytes; it is decoded on the main loop.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func read<R: Receivable & Swift.Sendable>(
        from descriptorIdentifier: DescriptorIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard
    ) async throws -> R {
        try await awaitedOperation { bluejay, completion in
            bluejay.read(from: descriptorIdentifier, timeout: timeout) { (result: ReadResult<R>) in
                completion(result.result)
            }
        }
    }

    /// Reads the whole value of a descriptor as bytes.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The value, of at most 512 bytes.
    /// - Throws: The same as the form with a type.
    public nonisolated(nonsending) func read(
        from descriptorIdentifier: DescriptorIdentifier,
        timeout: Timeout = .standard
    ) async throws -> Data {
        try await read(from: descriptorIdentifier, as: Data.self, timeout: timeout)
    }

    /// Writes the value of a descriptor; the peripheral confirms it.
    ///
    /// Joins the queue. The value is converted at the call.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral; for 2902 there is `listen`.
    ///   - value: At most 512 bytes.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`;
    ///   then the peripheral may have the value all the same.
    public nonisolated(nonsending) func write<S: BluetoothSendable>(
        to descriptorIdentifier: DescriptorIdentifier,
        value: S,
        timeout: Timeout = .standard
    ) async throws {
        let data = value.toBluetoothData()
        try await awaitedOperation { bluejay, completion in
            bluejay.write(to: descriptorIdentifier, value: data, timeout: timeout) {
                completion($0.result)
            }
        }
    }
}
