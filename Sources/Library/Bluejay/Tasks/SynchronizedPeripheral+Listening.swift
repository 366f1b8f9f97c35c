internal import FoundationEssentials

extension SynchronizedPeripheral {
    /// Listens until `completion` returns ``ListenAction/done``.
    ///
    /// The values arrive by signals: if another program listens to the same characteristic, each value
    /// arrives twice, see ``ListenTransport/signals``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic without a listen.
    ///   - timeout: The limit for the whole listen, even while values arrive.
    ///   - completion: Called on the main loop for every value.
    /// - Throws: ``BluejayError/listenTimedOut``, ``BluejayError/multipleListenTrapped``, the error of a
    ///   value that cannot be decoded, or the errors of the regular call. The notifications are then off.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .none,
        completion: @escaping (R) -> ListenAction
    ) throws {
        try listen(characteristicIdentifier, timeout) { value in
            verdict { completion(try R(bluetoothData: value)) }
        }
    }

    /// Ends a listen, including one that started outside the task.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - error: An error for the listener; with `nil` the listener receives nothing.
    ///   - completion: Called once on the main loop, before this method returns.
    /// - Throws: The errors of the regular call.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        error: (any Error)? = nil,
        completion: ((WriteResult) -> Void)? = nil
    ) throws {
        let result: WriteResult = try wait { instance, resume in
            if let rejection = instance.gate.rejection(.listen, inTask: characteristicIdentifier) {
                completion?(.failure(rejection))
                return resume(.failure(rejection))
            }
            instance.listens.endListen(characteristicIdentifier, error: error) { result in
                completion?(result)
                resume(result)
            }
        }
        if case .failure(let error) = result { throw error }
    }

    /// Discards the values that a peripheral still sends, until it has been silent for a while.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic without a listen.
    ///   - nonZeroTimeout: The silence that ends the flush, counted from the start of the notifications and
    ///     again from each value.
    ///   - completion: Called on the task's thread, before this method returns.
    /// - Throws: ``BluejayError/indefiniteFlush`` if the time is `.none` or 0,
    ///   ``BluejayError/multipleListenTrapped``, or the errors of the regular calls.
    public func flushListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        nonZeroTimeout: Timeout = .seconds(3),
        completion: () -> Void
    ) throws {
        guard let silence = nonZeroTimeout.duration, silence > .zero else {
            throw BluejayError.indefiniteFlush
        }
        let error: (any Error)? = try wait { instance, resume in
            if let rejection = instance.gate.rejection(.listen, inTask: characteristicIdentifier) {
                return resume(rejection)
            }
            let rearm = TimerRestart()
            let listen = instance.makeListen(characteristicIdentifier) { _ in
                rearm.restart?()
                return .keepListening
            } finish: {
                rearm.restart = nil
                resume($0)
            }
            rearm.restart = { [weak listen] in listen?.arm(silence) { $0.end(nil) } }
            listen.start { rearm.restart?() }
        }
        if let error { throw error }
        completion()
    }

    /// Writes, and listens for the response until `completion` returns ``ListenAction/done``.
    ///
    /// Notifications are on before the write, so that no response is missed.
    ///
    /// - Parameters:
    ///   - charToWriteTo: The characteristic to write, possibly the one to listen to.
    ///   - value: The value to write.
    ///   - type: Whether the peripheral confirms the write.
    ///   - charToListenTo: A characteristic without a listen.
    ///   - timeoutInSeconds: For the whole call; `15` is `.seconds(15)`, `0` and `.none` mean no limit.
    ///   - completion: Called on the main loop for every value.
    /// - Throws: The errors of `listen` and `write`. The notifications are then off.
    public func writeAndListen<S: BluetoothSendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        type: WriteType = .withResponse,
        listenTo charToListenTo: CharacteristicIdentifier,
        timeoutInSeconds: Timeout = .none,
        completion: @escaping (R) -> ListenAction
    ) throws {
        let write = Write(charToWriteTo, value.toBluetoothData(), type)
        try listen(charToListenTo, timeoutInSeconds, writing: write) { value in
            verdict { completion(try R(bluetoothData: value)) }
        }
    }

    /// Writes, and assembles the response from several notifications.
    ///
    /// - Parameters:
    ///   - charToWriteTo: The characteristic to write, possibly the one to listen to.
    ///   - value: The value to write.
    ///   - charToListenTo: A characteristic without a listen.
    ///   - expectedLength: The length of the whole response in bytes.
    ///   - timeoutInSeconds: For the whole call; `15` is `.seconds(15)`, `0` and `.none` mean no limit.
    ///   - completion: Called on the main loop with every complete response; after `.keepListening` the next
    ///     one begins.
    /// - Throws: ``BluejayError/tooMuchData(expected:received:)`` if the response is longer than expected, or
    ///   the errors of `writeAndListen`.
    public func writeAndAssemble<S: BluetoothSendable, R: Receivable>(
        writeTo charToWriteTo: CharacteristicIdentifier,
        value: S,
        listenTo charToListenTo: CharacteristicIdentifier,
        expectedLength: Int,
        timeoutInSeconds: Timeout = .none,
        completion: @escaping (R) -> ListenAction
    ) throws {
        let write = Write(charToWriteTo, value.toBluetoothData(), .withResponse)
        var assembly = Data()
        try listen(charToListenTo, timeoutInSeconds, writing: write) { value in
            assembly += value
            guard assembly.count <= expectedLength else {
                return .fail(
                    BluejayError.tooMuchData(expected: expectedLength, received: assembly)
                )
            }
            guard assembly.count == expectedLength else { return .keepListening }
            let whole = assembly
            assembly = Data()
            return verdict { completion(try R(bluetoothData: whole)) }
        }
    }

    private struct Write {
        let characteristic: CharacteristicIdentifier
        let value: Data
        let type: WriteType

        init(_ characteristic: CharacteristicIdentifier, _ value: Data, _ type: WriteType) {
            self.characteristic = characteristic
            self.value = value
            self.type = type
        }
    }

    private func listen(
        _ characteristic: CharacteristicIdentifier,
        _ timeout: Timeout,
        writing write: Write? = nil,
        _ receive: @escaping (Data) -> SynchronizedListen.Verdict
    ) throws {
        let error: (any Error)? = try wait { instance, resume in
            let all = [characteristic] + (write.map { [$0.characteristic] } ?? [])
            if let rejection = all.lazy.compactMap({ instance.gate.rejection(.listen, inTask: $0) })
                .first
            {
                return resume(rejection)
            }
            let listen = instance.makeListen(characteristic, receive: receive, finish: resume)
            listen.arm(timeout.duration) { $0.end(BluejayError.listenTimedOut) }
            // The write follows once the notifications are on, and is omitted if they fail.
            listen.start {
                guard let write else { return }
                listen.write {
                    instance.makeWrite(
                        write.characteristic,
                        write.value,
                        write.type,
                        completion: $0
                    )
                }
            }
        }
        if let error { throw error }
    }
}

/// A reference that lets a listen restart its own timer.
private final class TimerRestart {
    var restart: (() -> Void)?
}

private func verdict(_ decide: () throws -> ListenAction) -> SynchronizedListen.Verdict {
    do {
        switch try decide() {
        case .keepListening: return .keepListening
        case .done: return .done
        }
    } catch {
        return .fail(error)
    }
}
