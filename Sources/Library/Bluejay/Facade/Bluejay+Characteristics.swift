internal import FoundationEssentials

extension Bluejay {
    /// Reads the whole value of a characteristic.
    ///
    /// Joins the queue.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - type: The type of the value; it may be left to type inference.
    ///   - timeout: From the call's turn in the queue; then it fails with
    ///     ``BluejayError/operationTimedOut``. The peripheral is asked for nothing else until it has
    ///     answered, so that no two requests overlap: the next read, write or listen has its turn then.
    ///     BlueZ ends a request that is not answered after 30 s by itself, and the connection with it.
    ///   - completion: Called once, with at most 512 bytes decoded (Core Specification, Vol 3, Part F,
    ///     3.2.9). Fails with what the value's `init(bluetoothData:)` throws,
    ///     ``BluejayError/notConnected``, ``BluejayError/missingService(_:)``,
    ///     ``BluejayError/missingCharacteristic(_:)``, ``BluejayError/attribute(_:)``,
    ///     ``BluejayError/notPaired``, ``BluejayError/disconnectQueued``, or what cancelled it.
    /// - Note: `org.bluez.GattCharacteristic1.ReadValue`. A value read while it is listened to is not
    ///   told to the listener.
    @_specialize(where R == Data)
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard,
        completion: @escaping (ReadResult<R>) -> Void
    ) {
        // Bytes are what is read most: compiled for them, the type of the result is not looked up at
        // each read.
        if takes(characteristicIdentifier) {
            return Self.read(instance, characteristicIdentifier, timeout, completion)
        }
        call(
            for: ErrorSubject(.read, characteristicIdentifier),
            refuse: { completion(.failure($0)) }
        ) { Self.read($0, characteristicIdentifier, timeout, completion) }
    }

    /// Writes the value of a characteristic.
    ///
    /// Joins the queue. The value is converted at the call.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - value: At most 512 bytes; without response at most the MTU less 3.
    ///   - type: With response the peripheral confirms; without, bluetoothd has taken the value, or will:
    ///     nothing that is called later overtakes it. ``canSendWriteWithoutResponse`` says when not to
    ///     make more of them.
    ///   - timeout: As for `read`.
    ///   - completion: Called once. Fails as `read` does, and with
    ///     ``BluejayError/valueTooLong(length:limit:)`` or ``BluejayError/notSupported(_:)``.
    /// - Note: `org.bluez.GattCharacteristic1.WriteValue`, type "request" or "command"; several in a row
    ///   without response go through the socket of `AcquireWrite`, see ``usesWriteSockets``.
    public func write<S: BluetoothSendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        timeout: Timeout = .standard,
        completion: @escaping (WriteResult) -> Void
    ) {
        let data = value.toBluetoothData()
        if takes(characteristicIdentifier) {
            return Self.write(instance, characteristicIdentifier, data, type, timeout, completion)
        }
        call(
            for: ErrorSubject(.write, characteristicIdentifier),
            refuse: { completion(.failure($0)) }
        ) { Self.write($0, characteristicIdentifier, data, type, timeout, completion) }
    }

    /// Listens to the values that a characteristic sends by itself.
    ///
    /// Joins the queue with its set-up. A listen ends with the connection, without a word unless
    /// ``broadcastErrorsToListeners`` is on; listen again in `connected(to:)`, or ask for it to be
    /// kept.
    ///
    /// If another program listens to the same characteristic by signals, each value comes twice, see
    /// ``ListenPath/signals``; a listen through ``ListenPath/socket`` receives each value once.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or
    ///     indicates.
    ///   - type: The type of the value; it may be left to type inference.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - path: By which way the values come.
    ///   - isKept: Whether it goes on when a connection that was lost is made again. It is set up
    ///     before the observers hear `connected(to:)`, and ends with a failure when that fails.
    ///     If its characteristic is removed, it waits 2 s for a characteristic with the same identifier,
    ///     and fails with `missingService` or `missingCharacteristic` if none comes.
    ///   - timeout: Of the set-up, as for `read`.
    ///   - completion: Called for every value, in order, and not when the set-up succeeds. A value that
    ///     cannot be decoded is a failure, and the listen goes on. A set-up that fails is told once, as
    ///     `read` does, and with ``BluejayError/multipleListenTrapped``; a listen that was replaced is
    ///     told ``BluejayError/multipleListenReplaced``.
    ///   - installed: Called at most once, when the set-up has succeeded: before the first value, and
    ///     never inside the call. A kept listen that is set up again is not told so.
    /// - Note: `org.bluez.GattCharacteristic1.StartNotify`, or `AcquireNotify` where `path` says so.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        multipleListenOption: MultipleListenOption = .trap,
        through path: ListenPath = .signals,
        isKept: Bool = false,
        timeout: Timeout = .standard,
        completion: @escaping (ReadResult<R>) -> Void,
        installed: (() -> Void)? = nil
    ) {
        let subject = ErrorSubject(.listen, characteristicIdentifier)
        var whenInstalled = installed
        func tellInstalled() {
            let tell = whenInstalled
            whenInstalled = nil
            tell?()
        }
        let decode = subject.decoder(for: completion)
        let listener = Listener(path: path) { [link = instance.link] event in
            switch event {
            case .installed: break
            case .settled: tellInstalled()
            case .value(let data):
                if whenInstalled != nil { tellInstalled() }
                decode(data)
            case .failure(let error), .ended(let error):
                completion(.failure(subject.named(error, link.subject)))
            }
        }
        call(for: subject, refuse: { completion(.failure($0)) }) { instance in
            instance.listens.listen(
                characteristicIdentifier,
                multipleListenOption,
                isKept: isKept,
                timeout: timeout,
                listener
            )
        }
    }

    /// Ends a listen: its listener hears nothing from this call on.
    ///
    /// Joins the queue with the switching-off. Without a listen it succeeds all the same.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: As for `read`.
    ///   - completion: Called once, when the peripheral sends no more. Fails as `read` does.
    /// - Note: `org.bluez.GattCharacteristic1.StopNotify`.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .standard,
        completion: ((WriteResult) -> Void)? = nil
    ) {
        let subject = ErrorSubject(.endListen, characteristicIdentifier)
        call(for: subject, refuse: { completion?(.failure($0)) }) { instance in
            instance.listens.endListen(characteristicIdentifier, timeout: timeout, completion)
        }
    }

    /// Whether a characteristic is listened to, or a listen to it is being set up.
    ///
    /// - Parameter characteristicIdentifier: A characteristic of the connected peripheral.
    /// - Returns: False when there is none.
    /// - Throws: ``BluejayError/notConnected``.
    public func isListening(to characteristicIdentifier: CharacteristicIdentifier) throws -> Bool {
        let isListening: Bool? = state(
            otherwise: nil,
            published: { $0.listens?.isListening(to: characteristicIdentifier) }
        ) { instance in
            instance.queue.isConnected
                ? instance.listens.isListening(to: characteristicIdentifier) : nil
        }
        guard let isListening else {
            throw BluejayError.notConnected.during(.listen, of: characteristicIdentifier)
        }
        return isListening
    }

    /// The longest value that one write to the connected peripheral takes.
    ///
    /// - Parameter type: With response it is 512 (Core Specification, Vol 3, Part F, 3.2.9), which
    ///   BlueZ sends in parts; without, the ATT MTU less 3, or 20 when BlueZ does not tell the MTU.
    /// - Returns: A number of bytes.
    /// - Throws: ``BluejayError/notConnected``.
    public func maximumWriteValueLength(for type: WriteType) throws -> Int {
        let length: Int? = state(
            otherwise: nil,
            published: { $0.isUp ? WriteOperation.longestValue(type, mtu: $0.mtu) : nil }
        ) { instance in
            instance.link.maximumWriteValueLength(type)
        }
        guard let length else { throw BluejayError.notConnected }
        return length
    }
}

extension Bluejay {
    @inline(__always)
    private static func read<R: Receivable>(
        _ instance: Instance,
        _ characteristic: CharacteristicIdentifier,
        _ timeout: Timeout,
        _ completion: @escaping (ReadResult<R>) -> Void
    ) {
        instance.queue.enqueue(
            instance.makeRead(characteristic, timeout) { result, operation in
                completion(ErrorSubject.decode(result, operation.subject))
            }
        )
    }

    private static func write(
        _ instance: Instance,
        _ characteristic: CharacteristicIdentifier,
        _ data: Data,
        _ type: WriteType,
        _ timeout: Timeout,
        _ completion: @escaping (WriteResult) -> Void
    ) {
        instance.queue.enqueue(
            instance.makeWrite(
                characteristic,
                data,
                type,
                timeout,
                isCounted: true,
                completion: completion
            )
        )
    }
}
