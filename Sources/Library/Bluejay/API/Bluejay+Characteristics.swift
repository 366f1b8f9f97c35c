internal import FoundationEssentials

extension Bluejay {
    /// Reads the whole value of a characteristic.
    ///
    /// Joins the queue.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - type: The type of the value; it can be inferred.
    ///   - timeout: Counted from its turn in the queue; the read then fails with
    ///     ``BluejayError/operationTimedOut``. The next read, write or listen still waits for the
    ///     peripheral's answer, so requests never overlap. After 30 s without a response BlueZ drops the
    ///     connection.
    ///   - completion: Called once, with at most 512 bytes decoded (Core Specification, Vol 3, Part F,
    ///     3.2.9). Fails with the error thrown by the value's `init(bluetoothData:)`, with
    ///     ``BluejayError/notConnected``, ``BluejayError/missingService(_:)``,
    ///     ``BluejayError/missingCharacteristic(_:)``, ``BluejayError/attribute(_:)``,
    ///     ``BluejayError/notPaired``, ``BluejayError/disconnectQueued``, or with the error that cancelled
    ///     it.
    /// - Note: `org.bluez.GattCharacteristic1.ReadValue`. Listeners to the characteristic do not receive the
    ///   value of a read.
    @_specialize(where R == Data)
    public func read<R: Receivable>(
        from characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (ReadResult<R>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        // Most reads return bytes. The specialization saves a lookup of the result type: 750 instructions and
        // 16 bytes for each read.
        guard let obstacle = obstacle(to: characteristicIdentifier) else {
            return Self.read(instance, characteristicIdentifier, timeout, completion)
        }
        handle(
            obstacle,
            for: ErrorSubject(.read, characteristicIdentifier),
            onRejection: { completion(.failure($0)) }
        ) { Self.read($0, characteristicIdentifier, timeout, completion) }
    }

    /// Writes the value of a characteristic.
    ///
    /// Joins the queue. The value is converted during the call.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - value: At most 512 bytes; without response at most the MTU minus 3.
    ///   - type: With response, the write succeeds when the peripheral confirms it. Without response, it
    ///     succeeds when bluetoothd has the value, or will have it before any later call; see
    ///     ``canSendWriteWithoutResponse``.
    ///   - timeout: As for `read`.
    ///   - completion: Called once. Fails like `read`, and with ``BluejayError/valueTooLong(length:limit:)``
    ///     or ``BluejayError/notSupported(_:)``.
    /// - Note: `org.bluez.GattCharacteristic1.WriteValue`, type "request" or "command". Consecutive writes
    ///   without response use the socket of `AcquireWrite`; see ``usesWriteSockets``.
    public func write<S: BluetoothSendable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (WriteResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let data = value.toBluetoothData()
        guard let obstacle = obstacle(to: characteristicIdentifier) else {
            return Self.write(instance, characteristicIdentifier, data, type, timeout, completion)
        }
        handle(
            obstacle,
            for: ErrorSubject(.write, characteristicIdentifier),
            onRejection: { completion(.failure($0)) }
        ) { Self.write($0, characteristicIdentifier, data, type, timeout, completion) }
    }

    /// Listens to the values that a characteristic notifies or indicates.
    ///
    /// The set-up joins the queue. A listen ends with the connection, with an error only if
    /// ``broadcastErrorsToListeners`` is on. Listen again in `connected(to:)`, or set `isKept`.
    ///
    /// If another program listens to the same characteristic by signals, each value arrives twice, see
    /// ``ListenTransport/signals``; a listen through ``ListenTransport/socket`` receives each value once.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or indicates.
    ///   - type: The type of the value; it can be inferred.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - path: The transport of the values.
    ///   - isKept: Whether the listen continues after a reconnection. It is set up before observers receive
    ///     `connected(to:)`, and ends with a failure if that set-up fails. If its characteristic is removed,
    ///     the listen waits 2 s for a characteristic with the same identifier, then fails with
    ///     `missingService` or `missingCharacteristic`.
    ///   - timeout: The time limit of the set-up, as for `read`.
    ///   - completion: Called for every value, in order, and not when the set-up succeeds. A value that
    ///     cannot be decoded is a failure, and the listen continues. A failed set-up is reported once, with
    ///     the errors of `read` or with ``BluejayError/multipleListenTrapped``. A listen that is replaced
    ///     receives ``BluejayError/multipleListenReplaced``. While 4,096 values wait for the actor of the
    ///     closure, further values are discarded, and one ``BluejayError/tooManyValues(limit:)`` takes their
    ///     place.
    ///   - installed: Called at most once, after a successful set-up: before the first value, and never
    ///     inside the call. It is not called when a kept listen is set up again.
    /// - Note: `org.bluez.GattCharacteristic1.StartNotify`, or `AcquireNotify` for a socket.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        multipleListenOption: MultipleListenOption = .trap,
        through path: ListenTransport = .signals,
        isKept: Bool = false,
        timeout: Timeout = .standard,
        completion: @escaping @isolated(any) (ReadResult<R>) -> Void,
        installed: (@isolated(any) () -> Void)? = nil
    ) {
        let subject = ErrorSubject(.listen, characteristicIdentifier)
        let receive = mainLoop.context.callback(limit: Self.maximumWaitingValues, completion) {
            let error = BluejayError.tooManyValues(limit: Self.maximumWaitingValues)
            return .failure(subject.annotate(error))
        }
        let completion = mainLoop.context.callback(completion)
        let installed = installed.map { mainLoop.context.callback($0) }
        var whenInstalled = installed
        func notifyInstalled() {
            let handler = whenInstalled
            whenInstalled = nil
            handler?()
        }
        let decode = subject.decoder(for: receive)
        // Inlined, it would look up the type of the result for each value: 300 instructions.
        @inline(never)
        func fail(_ error: any Error) { completion(.failure(error)) }
        let listener = Listener(path: path) { [link = instance.link] event in
            switch event {
            case .installed: break
            case .setUpCompleted: notifyInstalled()
            case .value(let data):
                if whenInstalled != nil { notifyInstalled() }
                decode(data)
            case .failure(let error), .ended(let error):
                fail(subject.annotate(error, link.subject))
            }
        }
        call(for: subject, onRejection: fail) { instance in
            instance.listens.listen(
                characteristicIdentifier,
                multipleListenOption,
                isKept: isKept,
                timeout: timeout,
                listener
            )
        }
    }

    /// The number of values of a listen that wait for the actor of its closure.
    private static let maximumWaitingValues = 4_096

    /// Ends a listen; its listener receives nothing from this call on.
    ///
    /// Switching off notifications joins the queue. Without a listen the call succeeds.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: As for `read`.
    ///   - completion: Called once, when the peripheral has stopped sending. Fails like `read`. With `nil` an
    ///     error is logged.
    /// - Note: `org.bluez.GattCharacteristic1.StopNotify`.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .standard,
        completion: (@isolated(any) (WriteResult) -> Void)?
    ) {
        let failureLog: (Result<Void, any Error>) -> Void = failureLog()
        let completion =
            completion.map { mainLoop.context.callback($0) } ?? { failureLog($0.result) }
        let subject = ErrorSubject(.endListen, characteristicIdentifier)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.listens.endListen(characteristicIdentifier, timeout: timeout, completion)
        }
    }

    /// Returns whether a listen to a characteristic is active or being set up.
    ///
    /// - Parameter characteristicIdentifier: A characteristic of the connected peripheral.
    /// - Returns: False without a listen.
    /// - Throws: ``BluejayError/notConnected``.
    public func isListening(to characteristicIdentifier: CharacteristicIdentifier) throws -> Bool {
        let isListening: Bool? = state(
            otherwise: nil,
            published: { $0.listens?.containsMatch(of: characteristicIdentifier) }
        ) { instance in
            instance.queue.isConnected
                ? instance.listens.isListening(to: characteristicIdentifier) : nil
        }
        guard let isListening else {
            throw BluejayError.notConnected.during(.listen, of: characteristicIdentifier)
        }
        return isListening
    }

    /// Returns the length of the longest value that one write can carry.
    ///
    /// - Parameter type: With response the limit is 512 (Core Specification, Vol 3, Part F, 3.2.9), which
    ///   BlueZ sends in parts. Without response it is the ATT MTU minus 3, or 20 if BlueZ does not report the
    ///   MTU.
    /// - Returns: A number of bytes.
    /// - Throws: ``BluejayError/notConnected``.
    public func maximumWriteValueLength(for type: WriteType) throws -> Int {
        let length: Int? = state(
            otherwise: nil,
            published: { $0.isUp ? type.longestValue(mtu: $0.mtu) : nil }
        ) { instance in
            instance.link.maximumWriteValueLength(type)
        }
        guard let length else { throw BluejayError.notConnected }
        return length
    }
}

extension Bluejay {
    private static func read<R: Receivable>(
        _ instance: Instance,
        _ characteristic: CharacteristicIdentifier,
        _ timeout: Timeout,
        _ completion: @escaping (ReadResult<R>) -> Void
    ) {
        let details = instance.queue.details(of: .read, characteristic)
        instance.queue.enqueue(
            ReadOperation(details, instance.link, timeout: timeout, completion: completion)
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
