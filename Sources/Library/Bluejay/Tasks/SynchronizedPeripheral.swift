internal import FoundationEssentials

/// The connected peripheral inside a background task; every call blocks until it completes.
///
/// Calls may be made on the task's thread, or on threads that the task starts. On the main loop they throw
/// ``BluejayError/blockedMainLoop``. Each call joins the queue. If the connection ends, blocked calls throw
/// ``BluejayError/notConnected``, ``BluejayError/bluetoothUnavailable(_:)``, or the error passed to
/// `cancelEverything`. After the end of the task every call throws ``BluejayError/cancelled``; when the loop
/// ends, calls throw ``BluejayError/stopped``.
public final class SynchronizedPeripheral: @unchecked Swift.Sendable {
    // Mutable state is used on the loop only. This is the invariant behind `@unchecked`.

    let instance: Instance
    let loop: MainLoop
    private var isValid = true

    init(_ instance: Instance, _ loop: MainLoop) {
        self.instance = instance
        self.loop = loop
    }

    /// Fails all later calls, because the task has ended; called on the loop.
    func invalidate() {
        isValid = false
    }

    /// Reads the whole value of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - type: The type of the value; it can be inferred.
    ///   - timeout: Counted from its turn in the queue.
    /// - Returns: The decoded value.
    /// - Throws: The errors of the regular call.
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard
    ) throws -> R {
        let value: ReadResult<Data> = try wait { instance, resume in
            if let rejection = instance.gate.rejection(.read, inTask: characteristicIdentifier) {
                return resume(.failure(rejection))
            }
            let details = instance.queue.details(of: .read, characteristicIdentifier)
            instance.queue.enqueue(
                ReadOperation(details, instance.link, timeout: timeout, completion: resume)
            )
        }
        let data = try value.get()
        return try ErrorSubject(.read, characteristicIdentifier).decode(.success(data)).get()
    }

    /// Writes the value of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - value: At most ``maximumWriteValueLength(for:)`` bytes.
    ///   - type: With response, the peripheral confirms the write; without response, bluetoothd has the
    ///     value.
    ///   - timeout: Counted from its turn in the queue.
    /// - Throws: The errors of the regular call.
    public func write<S: BluetoothSendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        timeout: Timeout = .standard
    ) throws {
        let data = value.toBluetoothData()
        let result: WriteResult = try wait { instance, resume in
            if let rejection = instance.gate.rejection(.write, inTask: characteristicIdentifier) {
                return resume(.failure(rejection))
            }
            instance.queue.enqueue(
                instance.makeWrite(
                    characteristicIdentifier,
                    data,
                    type,
                    timeout,
                    completion: resume
                )
            )
        }
        if case .failure(let error) = result { throw error }
    }

    /// Writes one characteristic, then reads another.
    ///
    /// - Parameters:
    ///   - charToWriteTo: The characteristic to write.
    ///   - value: The value to write.
    ///   - type: Whether the peripheral confirms the write.
    ///   - charToReadFrom: The characteristic to read.
    /// - Returns: The decoded value.
    /// - Throws: The errors of the two calls.
    public func writeAndRead<R: Receivable, S: BluetoothSendable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        readFrom charToReadFrom: CharacteristicIdentifier
    ) throws -> R {
        try write(to: charToWriteTo, value: value, type: type)
        return try read(from: charToReadFrom)
    }

    /// Returns the length of the longest value that one write can carry, in bytes.
    ///
    /// - Parameter type: Whether the peripheral confirms the write.
    /// - Returns: With response 512, without response the ATT MTU minus 3; 0 if no peripheral is connected.
    public func maximumWriteValueLength(for type: WriteType) -> Int {
        let length: Int? = try? wait { instance, resume in
            resume(instance.link.maximumWriteValueLength(type) ?? 0)
        }
        return length ?? 0
    }

    /// Starts work on the loop and blocks until it resumes.
    func wait<Value>(
        _ work: @escaping (Instance, @escaping (Value) -> Void) -> Void
    ) throws -> Value {
        guard !loop.isCurrent else { throw BluejayError.blockedMainLoop }
        let result: Result<Value, any Error> = try TaskThread.wait(loop) { [self] resume in
            guard isValid else { return resume(.failure(BluejayError.cancelled)) }
            work(instance) { resume(.success($0)) }
        }
        return try result.get()
    }
}
