public import Bluejay
public import FoundationEssentials

/// The calls of `Bluejay` as functions to await.
///
/// They may be made from any task, actor or thread, unlike those with completions: each is posted to the
/// `mainLoop`, or made at once by a task that is on it already, joins the same queue, and throws what the
/// completion would fail with.
/// The loop must run: while it does not, nothing returns. A call that is pending keeps its `Bluejay`
/// alive.
///
/// Cancelling the task cancels its one operation, which throws `CancellationError`: one that waits is
/// taken out of the queue, one that runs is given up, and what was sent to the peripheral is not taken
/// back. The others go on; the next waits until no more cancellations have come for 10 ms, so that of
/// many tasks that are cancelled together none has its turn. A task that is cancelled already puts
/// nothing into the queue.
extension Bluejay {
    /// Connects to a peripheral; it counts as connected when its services are known.
    ///
    /// Joins the queue and ends a scan. When the task is cancelled the attempt is taken back first.
    ///
    /// If the peripheral is connected already, the call succeeds at once; if it is being connected, also
    /// by a reconnection, the call ends with that attempt. If the limit or the cancellation of another
    /// call ends a shared attempt, this call makes its own. The form with a completion fails instead.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: What to connect to.
    ///   - timeout: From the attempt's turn in the queue; `.none` tries until it is cancelled.
    /// - Returns: The same peripheral, with the name that is known now.
    /// - Throws: `BluejayError.multipleConnectNotSupported` beside another peripheral, else what the
    ///   completion of the call with the same name fails with, or `CancellationError`.
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

    /// Disconnects, or ends the attempts to connect to a lost peripheral again.
    ///
    /// It cannot be cancelled, and a task that is cancelled may use it to tidy up.
    ///
    /// - Parameter immediate: Whether everything in the queue fails first.
    /// - Returns: What was disconnected.
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
    ///   - type: The type of the value; it may be left to type inference.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The decoded value, of at most 512 bytes; it is decoded on the main loop.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
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
    ///   - value: At most 512 bytes; without response at most the MTU less 3.
    ///   - type: With response the peripheral confirms; without, bluetoothd has taken the value.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`;
    ///   then the peripheral may have the value all the same.
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

    /// Ends a listen: its listener hears nothing from this call on, and its stream ends.
    ///
    /// Joins the queue with the switching-off. Without a listen it succeeds all the same. It cannot be
    /// cancelled, and a task that is cancelled may use it to tidy up.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: What the completion of the call with the same name fails with.
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

    /// Runs a longer series of reads, writes and listens on a thread of its own.
    ///
    /// Regular calls fail meanwhile with `BluejayError.backgroundTaskRunning`. When the task is
    /// cancelled, the call of the `SynchronizedPeripheral` that blocks and all later ones throw; this
    /// returns when `backgroundTask` has.
    ///
    /// - Parameter backgroundTask: Called at most once, on its own thread.
    /// - Returns: What it returned.
    /// - Throws: What it threw, what the completion of the call with the same name fails with, or
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
