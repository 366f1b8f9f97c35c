public import Bluejay
public import FoundationEssentials

/// Descriptors, as `async` functions.
extension Bluejay {
    /// Reads the whole value of a descriptor.
    ///
    /// Joins the queue.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral.
    ///   - type: The type of the value, which Swift may infer.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The decoded value, of at most 512 bytes; it is decoded on the main loop.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
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

    /// Writes the value of a descriptor and waits for the peripheral to confirm it.
    ///
    /// Joins the queue. The value is converted at the call.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral; to write 2902, use `listen`.
    ///   - value: At most 512 bytes.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: The errors of the form with a completion, or `CancellationError`. The peripheral may have
    ///   received the value even if the call throws.
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
