internal import FoundationEssentials

extension Bluejay {
    /// Reads the whole value of a descriptor.
    ///
    /// Joins the queue.
    ///
    /// ```swift
    /// bluejay.read(from: .userDescription(of: temperature), as: String.self) { print($0) }
    /// bluejay.read(from: .presentationFormat(of: temperature), as: PresentationFormat.self) {
    ///     print($0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral.
    ///   - type: The type of the value; it can be inferred.
    ///   - timeout: Counted from its turn in the queue, as for a characteristic.
    ///   - completion: Called once, with at most 512 bytes decoded. Fails like the read of a characteristic,
    ///     and with ``BluejayError/missingDescriptor(_:)``.
    /// - Note: `org.bluez.GattDescriptor1.ReadValue`.
    public func read<R: Receivable>(
        from descriptorIdentifier: DescriptorIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (ReadResult<R>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.read, descriptorIdentifier)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(
                DescriptorOperation(descriptorIdentifier, instance.link, timeout: timeout) {
                    result in
                    completion(subject.decode(result))
                }
            )
        }
    }

    /// Writes the value of a descriptor; the peripheral confirms the write.
    ///
    /// Joins the queue. The value is converted during the call.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral. The Client Characteristic
    ///     Configuration, 2902, must not be written; use `listen`.
    ///   - value: At most 512 bytes.
    ///   - timeout: Counted from its turn in the queue, as for a characteristic.
    ///   - completion: Called once. Fails like the read, and with
    ///     ``BluejayError/valueTooLong(length:limit:)``, or ``BluejayError/notSupported(_:)`` for 2902.
    /// - Note: `org.bluez.GattDescriptor1.WriteValue`.
    public func write<S: BluetoothSendable>(
        to descriptorIdentifier: DescriptorIdentifier,
        value: S,
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (WriteResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.write, descriptorIdentifier)
        let data = value.toBluetoothData()
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(
                DescriptorOperation(
                    descriptorIdentifier,
                    instance.link,
                    writing: data,
                    timeout: timeout
                ) {
                    completion(WriteResult($0))
                }
            )
        }
    }
}

extension SynchronizedPeripheral {
    /// Reads the whole value of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral.
    ///   - type: The type of the value; it can be inferred.
    ///   - timeout: Counted from its turn in the queue.
    /// - Returns: The decoded value.
    /// - Throws: The errors of the regular call.
    public func read<R: Receivable>(
        from descriptorIdentifier: DescriptorIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard
    ) throws -> R {
        let value = try perform(descriptorIdentifier, writing: nil, timeout)
        return try ErrorSubject(.read, descriptorIdentifier).decode(.success(value)).get()
    }

    /// Writes the value of a descriptor; the peripheral confirms the write.
    ///
    /// - Parameters:
    ///   - descriptorIdentifier: A descriptor of the connected peripheral.
    ///   - value: At most 512 bytes.
    ///   - timeout: Counted from its turn in the queue.
    /// - Throws: The errors of the regular call.
    public func write<S: BluetoothSendable>(
        to descriptorIdentifier: DescriptorIdentifier,
        value: S,
        timeout: Timeout = .standard
    ) throws {
        let data = value.toBluetoothData()
        _ = try perform(descriptorIdentifier, writing: data, timeout)
    }

    private func perform(
        _ descriptor: DescriptorIdentifier,
        writing data: Data?,
        _ timeout: Timeout
    ) throws -> Data {
        let result: Result<Data, any Error> = try wait { instance, resume in
            let call = data == nil ? BluejayError.Call.read : .write
            if let rejection = instance.gate.rejection(call, inTask: descriptor) {
                return resume(.failure(rejection))
            }
            instance.queue.enqueue(
                DescriptorOperation(
                    descriptor,
                    instance.link,
                    writing: data,
                    timeout: timeout,
                    completion: resume
                )
            )
        }
        return try result.get()
    }
}

extension WriteResult {
    /// Converts a result and discards its value.
    init<Value>(_ result: Result<Value, any Error>) {
        switch result {
        case .success: self = .success
        case .failure(let error): self = .failure(error)
        }
    }
}
