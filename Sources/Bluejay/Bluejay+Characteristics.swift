internal import Foundation

extension Bluejay {
    /// Reads the whole value of a characteristic.
    ///
    /// Joins the queue.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - completion: Called once, with at most 512 bytes decoded (Core Specification, Vol 3, Part F,
    ///     3.2.9). Fails with what the value's `init(bluetoothData:)` throws,
    ///     ``BluejayError/notConnected``, ``BluejayError/missingService(_:)``,
    ///     ``BluejayError/missingCharacteristic(_:)``, ``BluejayError/attribute(_:message:)``,
    ///     ``BluejayError/notPaired``, ``BluejayError/disconnectQueued``, or what cancelled it.
    /// - Note: `org.bluez.GattCharacteristic1.ReadValue`. A value read while it is listened to is not
    ///   told to the listener.
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        completion: @escaping (ReadResult<R>) -> Void
    ) {
        checkLoop()
        if let refusal = runner.refusal(characteristicIdentifier) {
            return completion(.failure(refusal))
        }
        runner.enqueue(
            ReadOperation(characteristicIdentifier) { result in
                completion(decode(result))
            }
        )
    }

    /// Writes the value of a characteristic.
    ///
    /// Joins the queue. The value is converted at the call.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - value: At most 512 bytes; without response at most the MTU less 3.
    ///   - type: With response the peripheral confirms; without, bluetoothd has taken the value.
    ///   - completion: Called once. Fails as `read` does, and with
    ///     ``BluejayError/valueTooLong(length:limit:)`` or ``BluejayError/notSupported(_:)``.
    /// - Note: `org.bluez.GattCharacteristic1.WriteValue`, type "request" or "command".
    public func write<S: BluetoothSendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        completion: @escaping (WriteResult) -> Void
    ) {
        checkLoop()
        if let refusal = runner.refusal(characteristicIdentifier) {
            return completion(.failure(refusal))
        }
        runner.enqueue(
            WriteOperation(
                characteristicIdentifier,
                value: value.toBluetoothData(),
                type: type,
                completion: completion
            )
        )
    }

    /// Listens to the values that a characteristic sends by itself.
    ///
    /// Joins the queue with its set-up. A listen ends with the connection, without a word; listen again
    /// in `connected(to:)`.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or
    ///     indicates.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - completion: Called for every value, in order, and not when the set-up succeeds. A value that
    ///     cannot be decoded is a failure, and the listen goes on. A set-up that fails is told once, as
    ///     `read` does, and with ``BluejayError/multipleListenTrapped``; a listen that was replaced is
    ///     told ``BluejayError/multipleListenReplaced``.
    /// - Note: `org.bluez.GattCharacteristic1.StartNotify`.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        multipleListenOption: MultipleListenOption = .trap,
        completion: @escaping (ReadResult<R>) -> Void
    ) {
        checkLoop()
        if let refusal = runner.refusal(characteristicIdentifier) {
            return completion(.failure(refusal))
        }
        runner.listen(characteristicIdentifier, multipleListenOption) { event in
            switch event {
            case .value(let data): completion(decode(.success(data)))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Ends a listen: its listener hears nothing from this call on.
    ///
    /// Joins the queue with the switching-off. Without a listen it succeeds all the same.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - completion: Called once, when the peripheral sends no more. Fails as `read` does.
    /// - Note: `org.bluez.GattCharacteristic1.StopNotify`.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        completion: ((WriteResult) -> Void)? = nil
    ) {
        checkLoop()
        if let refusal = runner.refusal(characteristicIdentifier) {
            completion?(.failure(refusal))
            return
        }
        runner.endListen(characteristicIdentifier, completion)
    }

    /// Whether a characteristic is listened to, or a listen to it is being set up.
    ///
    /// - Parameter characteristicIdentifier: A characteristic of the connected peripheral.
    /// - Returns: False when there is none.
    /// - Throws: ``BluejayError/notConnected``.
    public func isListening(to characteristicIdentifier: CharacteristicIdentifier) throws -> Bool {
        checkLoop()
        guard isConnected else { throw BluejayError.notConnected }
        return runner.listens.isListening(to: characteristicIdentifier)
    }
}

private func decode<R: Receivable>(_ result: Result<Data, any Error>) -> ReadResult<R> {
    do {
        return .success(try R(bluetoothData: result.get()))
    } catch {
        return .failure(error)
    }
}
