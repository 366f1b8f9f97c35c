public import Bluejay
public import FoundationEssentials

/// The calls of `Bluejay` as `async` functions.
///
/// Unlike the forms with completions, they may be called from any task, actor or thread. Each call is posted
/// to the `mainLoop`, or made at once by a task that already runs there, joins the same queue, and throws the
/// error that the completion would receive. The loop must run: otherwise no call returns. A pending call
/// keeps its `Bluejay` alive.
///
/// Cancelling the task cancels its operation, which throws `CancellationError`: a waiting operation leaves
/// the queue, a running one is abandoned, and data already sent is not revoked. The next operation waits
/// until no cancellation has arrived for 10 ms, so that of many tasks cancelled together none gets its turn.
/// A task that is already cancelled adds nothing to the queue.
extension Bluejay {
    /// Connects to a peripheral and returns when its services are known.
    ///
    /// Joins the queue and ends a scan. If the task is cancelled, the attempt is cancelled before the call
    /// throws.
    ///
    /// If the peripheral is already connected, the call succeeds at once. It shares a connection or
    /// reconnection attempt in progress; if another call's limit or cancellation ends that attempt, this call
    /// starts its own. The form with a completion fails instead.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: The peripheral to connect to.
    ///   - timeout: From the attempt's turn in the queue; `.none` tries until it is cancelled.
    /// - Returns: The same peripheral, with the name that is known now.
    /// - Throws: `BluejayError.multipleConnectNotSupported` if another peripheral is connected or connecting,
    ///   otherwise the errors of the form with a completion, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func connect(
        _ peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .standard
    ) async throws -> PeripheralIdentifier {
        try await awaitedOperation { bluejay, completion in
            bluejay.connectOrJoin(peripheralIdentifier, timeout: timeout) { result in
                switch result {
                case .success(let identifier): completion(.success(identifier))
                case .failure(let error): completion(.failure(error))
                }
            }
        }
    }

    /// Disconnects, or stops reconnecting to a lost peripheral.
    ///
    /// It cannot be cancelled, so that a cancelled task can clean up.
    ///
    /// - Parameter immediate: Whether everything in the queue fails first.
    /// - Returns: The peripheral that was disconnected.
    /// - Throws: `BluejayError.notConnected` or `BluejayError.multipleDisconnectNotSupported`.
    @discardableResult
    public nonisolated(nonsending) func disconnect(
        immediate: Bool = false
    ) async throws -> PeripheralIdentifier {
        try await awaited { bluejay, completion in
            bluejay.disconnect(immediate: immediate) { result in
                switch result {
                case .disconnected(let identifier): completion(.success(identifier))
                case .failure(let error): completion(.failure(error))
                }
            }
            return nil
        }
    }

    /// Reads the whole value of a characteristic.
    ///
    /// Joins the queue.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - type: The type of the value, which Swift may infer.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The decoded value, of at most 512 bytes; it is decoded on the main loop.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func read<R: Receivable & Swift.Sendable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard
    ) async throws -> R {
        try await awaitedOperation { bluejay, completion in
            bluejay.read(from: characteristicIdentifier, timeout: timeout) {
                (result: ReadResult<R>) in
                switch result {
                case .success(let value): completion(.success(value))
                case .failure(let error): completion(.failure(error))
                }
            }
        }
    }

    /// Reads the whole value of a characteristic as bytes.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The value, of at most 512 bytes.
    /// - Throws: The same as the form with a type.
    public nonisolated(nonsending) func read(
        from characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .standard
    ) async throws -> Data {
        try await read(from: characteristicIdentifier, as: Data.self, timeout: timeout)
    }

    /// Writes the value of a characteristic.
    ///
    /// Joins the queue. The value is converted at the call.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - value: At most 512 bytes; without response at most the MTU minus 3.
    ///   - type: With response, the call returns when the peripheral confirms; without, when bluetoothd has
    ///     accepted the value.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: The errors of the form with a completion, or `CancellationError`. The peripheral may have
    ///   received the value even if the call throws.
    public nonisolated(nonsending) func write<S: BluetoothSendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        timeout: Timeout = .standard
    ) async throws {
        let data = value.toBluetoothData()
        try await awaitedOperation { bluejay, completion in
            bluejay.write(to: characteristicIdentifier, value: data, type: type, timeout: timeout) {
                result in
                switch result {
                case .success: completion(.success(()))
                case .failure(let error): completion(.failure(error))
                }
            }
        }
    }

    /// Ends a listen: its listener receives nothing after this call, and its stream ends.
    ///
    /// Joins the queue to disable notifications. Succeeds even without a listen. It cannot be cancelled, so
    /// that a cancelled task can clean up.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: The errors of the form with a completion.
    public nonisolated(nonsending) func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .standard
    ) async throws {
        try await awaited { bluejay, completion in
            bluejay.endListen(to: characteristicIdentifier, timeout: timeout) { result in
                switch result {
                case .success: completion(.success(()))
                case .failure(let error): completion(.failure(error))
                }
            }
            return nil
        }
    }

    /// Runs a long series of reads, writes and listens on a separate thread.
    ///
    /// Meanwhile regular calls fail with `BluejayError.backgroundTaskRunning`. If the task is cancelled, the
    /// blocked call of the `SynchronizedPeripheral` and all later ones throw; this call returns when
    /// `backgroundTask` does.
    ///
    /// - Parameter backgroundTask: Called at most once, on its own thread.
    /// - Returns: The value that `backgroundTask` returned.
    /// - Throws: The error that `backgroundTask` threw, the errors of the form with a completion, or
    ///   `CancellationError`.
    public nonisolated(nonsending) func run<Value: Swift.Sendable>(
        backgroundTask: @escaping @Sendable (SynchronizedPeripheral) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await awaited { bluejay, completion in
            let task = bluejay.run(backgroundTask) { (result: RunResult<Value>) in
                switch result {
                case .success(let value): completion(.success(value))
                case .failure(let error): completion(.failure(error))
                }
            }
            return { task.cancel() }
        }
    }
}
