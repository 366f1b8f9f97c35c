internal import FoundationEssentials

/// The connected peripheral inside a background task: every call blocks until it is done.
///
/// Calls may be made on the task's thread, or on another that the task starts; on the main loop they
/// throw ``BluejayError/blockedMainLoop``. Each joins the queue. Every end of the connection wakes what
/// waits: it throws ``BluejayError/notConnected``, ``BluejayError/bluetoothUnavailable(_:)``, or what
/// `cancelEverything` was given. After the task has ended every call throws
/// ``BluejayError/cancelled``, and when the loop ends ``BluejayError/stopped``.
public final class SynchronizedPeripheral: @unchecked Swift.Sendable {
    // What changes is used on the loop only: that is the invariant behind `@unchecked`.

    let instance: Instance
    let loop: MainLoop
    private var isValid = true

    init(_ instance: Instance, _ loop: MainLoop) {
        self.instance = instance
        self.loop = loop
    }

    /// The task has ended; on the loop.
    func invalidate() {
        isValid = false
    }

    /// Reads the whole value of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - type: The type of the value; it may be left to type inference.
    ///   - timeout: From the call's turn in the queue.
    /// - Returns: The decoded value.
    /// - Throws: What the regular call fails with.
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard
    ) throws -> R {
        let value: Result<Data, any Error> = try wait { instance, resume in
            if let refusal = instance.gate.refusal(.read, inTask: characteristicIdentifier) {
                return resume(.failure(refusal))
            }
            instance.queue.enqueue(
                instance.makeRead(characteristicIdentifier, timeout) { result, _ in resume(result) }
            )
        }
        return try ErrorSubject(.read, characteristicIdentifier).decode(value).get()
    }

    /// Writes the value of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - value: At most ``maximumWriteValueLength(for:)`` bytes.
    ///   - type: With response the peripheral confirms; without, bluetoothd has taken the value.
    ///   - timeout: From the call's turn in the queue.
    /// - Throws: What the regular call fails with.
    public func write<S: BluetoothSendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        timeout: Timeout = .standard
    ) throws {
        let data = value.toBluetoothData()
        let result: WriteResult = try wait { instance, resume in
            if let refusal = instance.gate.refusal(.write, inTask: characteristicIdentifier) {
                return resume(.failure(refusal))
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
    ///   - charToWriteTo: Where to write.
    ///   - value: What to write.
    ///   - type: Whether the peripheral confirms the write.
    ///   - charToReadFrom: What to read.
    /// - Returns: The decoded value.
    /// - Throws: What the two calls throw.
    public func writeAndRead<R: Receivable, S: BluetoothSendable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        readFrom charToReadFrom: CharacteristicIdentifier
    ) throws -> R {
        try write(to: charToWriteTo, value: value, type: type)
        return try read(from: charToReadFrom)
    }

    /// The longest value that one write takes, in bytes.
    ///
    /// - Parameter type: Whether the peripheral confirms the write.
    /// - Returns: With response 512, without the ATT MTU less 3; 0 when no peripheral is connected.
    public func maximumWriteValueLength(for type: WriteType) -> Int {
        let length: Int? = try? wait { instance, resume in
            resume(instance.link.maximumWriteValueLength(type) ?? 0)
        }
        return length ?? 0
    }

    /// Begins something on the loop and blocks until it resumes.
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
