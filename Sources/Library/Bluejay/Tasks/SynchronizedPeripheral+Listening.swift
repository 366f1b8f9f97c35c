internal import FoundationEssentials

extension SynchronizedPeripheral {
    /// Listens until `completion` has what it wants.
    ///
    /// The values come by signals: if another program listens to the same characteristic, each value comes
    /// twice, see ``ListenPath/signals``.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic that nobody listens to.
    ///   - timeout: For the whole listen, also when values come.
    ///   - completion: Called on the main loop for every value.
    /// - Throws: ``BluejayError/listenTimedOut``, ``BluejayError/multipleListenTrapped``, the error of a
    ///   value that cannot be decoded, or what the regular call fails with. The notifications are off.
    public func listen<R: Receivable>(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .none,
        completion: @escaping (R) -> ListenAction
    ) throws {
        try listen(characteristicIdentifier, timeout) { value in
            verdict { completion(try R(bluetoothData: value)) }
        }
    }

    /// Ends a listen, also one that was begun outside of the task.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - error: What the listener is told; nil is nothing.
    ///   - completion: Called once on the main loop, before this returns.
    /// - Throws: What the regular call fails with.
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        error: (any Error)? = nil,
        completion: ((WriteResult) -> Void)? = nil
    ) throws {
        let result: WriteResult = try wait { instance, resume in
            if let refusal = instance.gate.refusal(.listen, inTask: characteristicIdentifier) {
                completion?(.failure(refusal))
                return resume(.failure(refusal))
            }
            instance.listens.endListen(characteristicIdentifier, error: error) { result in
                completion?(result)
                resume(result)
            }
        }
        if case .failure(let error) = result { throw error }
    }

    /// Throws away what a peripheral still sends, until it has been silent for a while.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic that nobody listens to.
    ///   - nonZeroTimeout: The silence that ends the flush; it begins anew with each value, and for the
    ///     first time when the notifications are on.
    ///   - completion: Called on the task's thread, before this returns.
    /// - Throws: ``BluejayError/indefiniteFlush`` for a time that is none or 0,
    ///   ``BluejayError/multipleListenTrapped``, or what the regular calls fail with.
    public func flushListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        nonZeroTimeout: Timeout = .seconds(3),
        completion: () -> Void
    ) throws {
        guard let silence = nonZeroTimeout.duration, silence > .zero else {
            throw BluejayError.indefiniteFlush
        }
        let error: (any Error)? = try wait { instance, resume in
            if let refusal = instance.gate.refusal(.listen, inTask: characteristicIdentifier) {
                return resume(refusal)
            }
            let rearm = TimerRestart()
            let listen = SynchronizedListen(instance, characteristicIdentifier) { _ in
                rearm.again?()
                return .goOn
            } finish: {
                rearm.again = nil
                resume($0)
            }
            rearm.again = { [weak listen] in listen?.arm(silence) { $0.end(nil) } }
            listen.begin { rearm.again?() }
        }
        if let error { throw error }
        completion()
    }

    /// Writes, and listens for the answer until `completion` has what it wants.
    ///
    /// The notifications are on before the write, so that no answer is missed.
    ///
    /// - Parameters:
    ///   - charToWriteTo: Where to write; may be the one that is listened to.
    ///   - value: What to write.
    ///   - type: Whether the peripheral confirms the write.
    ///   - charToListenTo: A characteristic that nobody listens to.
    ///   - timeoutInSeconds: For the whole; `15` and `.seconds(15)` are the same, `0` and `.none` are
    ///     without limit.
    ///   - completion: Called on the main loop for every value.
    /// - Throws: As `listen` and `write`; the notifications are off.
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

    /// Writes, and puts the answer together from as many notifications as it takes.
    ///
    /// - Parameters:
    ///   - charToWriteTo: Where to write; may be the one that is listened to.
    ///   - value: What to write.
    ///   - charToListenTo: A characteristic that nobody listens to.
    ///   - expectedLength: The length of the whole answer in bytes.
    ///   - timeoutInSeconds: For the whole; `15` and `.seconds(15)` are the same, `0` and `.none` are
    ///     without limit.
    ///   - completion: Called on the main loop with every whole answer; after `.keepListening` the next
    ///     one begins.
    /// - Throws: ``BluejayError/tooMuchData(expected:received:)`` when more comes than expected, else as
    ///   `writeAndListen`.
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
            guard assembly.count == expectedLength else { return .goOn }
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
            if let refusal = all.lazy.compactMap({ instance.gate.refusal(.listen, inTask: $0) })
                .first
            {
                return resume(refusal)
            }
            let listen = SynchronizedListen(
                instance,
                characteristic,
                receive: receive,
                finish: resume
            )
            listen.arm(timeout.duration) { $0.end(BluejayError.listenTimedOut) }
            // The write comes when the notifications are on, and not at all without them.
            listen.begin {
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

/// Restarts a timer from inside what the timer ends.
private final class TimerRestart {
    var again: (() -> Void)?
}

private func verdict(_ decide: () throws -> ListenAction) -> SynchronizedListen.Verdict {
    do {
        switch try decide() {
        case .keepListening: return .goOn
        case .done: return .done
        }
    } catch {
        return .fail(error)
    }
}
