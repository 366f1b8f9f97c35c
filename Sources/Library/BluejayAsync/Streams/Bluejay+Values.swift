public import Bluejay
internal import BluejayGLib
public import FoundationEssentials

/// The treatment of a value that the stream's type cannot decode.
public enum UndecodableValuePolicy: Hashable, Swift.Sendable {
    /// Ends the stream and its listen with the error of the decoder.
    case end
    /// Skips the value; ``ValueStream/skippedCount`` counts it.
    case skip
}

extension Bluejay {
    /// Listens to the notifications or indications of a characteristic.
    ///
    /// Only the set-up joins the queue: a write made next runs when notifications are enabled. The stream
    /// ends with the connection unless `isKept` is true.
    ///
    /// If another program listens to the same characteristic by signals, each value arrives twice, see
    /// `ListenTransport.signals`; `ListenTransport.socket` delivers each value once.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or indicates.
    ///   - type: The type of the values, decoded on the main loop.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - path: The way values arrive from BlueZ.
    ///   - isKept: Whether the stream outlives a lost connection, and services that are removed and return
    ///     within 2 s. After each reconnection the listen is set up again. The stream ends if that fails, if
    ///     the peripheral does not reconnect, or on a `disconnect`.
    ///   - undecodableValues: Whether a value that cannot be decoded ends the stream. To receive the
    ///     error and the later values, use ``results(of:as:multipleListenOption:through:isKept:timeout:bufferingPolicy:)``.
    ///   - timeout: The limit for the set-up, from its turn in the queue.
    ///   - bufferingPolicy: Which unconsumed values the stream keeps.
    /// - Returns: The values, in order. If the connection ends, the stream throws `BluejayError.linkLost`,
    ///   `BluejayError.explicitDisconnect`, `BluejayError.bluetoothUnavailable` or the error passed to
    ///   `cancelEverything`, regardless of `broadcastErrorsToListeners`. A failed set-up and a replacement
    ///   end it as in `listen`; an `endListen` ends it without an error.
    public nonisolated func values<R: Receivable & Swift.Sendable>(
        of characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        multipleListenOption: MultipleListenOption = .trap,
        through path: ListenTransport = .signals,
        isKept: Bool = false,
        undecodableValues: UndecodableValuePolicy = .end,
        timeout: Timeout = .standard,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> ValueStream<R> {
        let request = ListenRequest(
            characteristic: characteristicIdentifier,
            option: multipleListenOption,
            path: path,
            isKept: isKept,
            timeout: timeout
        )
        return makeListenStream(request, bufferingPolicy) { data, continuation in
            do {
                continuation.yield(try R(bluetoothData: data))
            } catch {
                guard undecodableValues == .skip else { throw error }
                continuation.skip()
            }
        }
    }

    /// Listens to the notifications or indications of a characteristic, as bytes.
    ///
    /// If another program listens to the same characteristic, each value arrives twice, see
    /// `ListenTransport.signals`.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or indicates.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - path: The way values arrive from BlueZ.
    ///   - isKept: Whether the stream outlives a lost connection.
    ///   - timeout: The limit for the set-up, from its turn in the queue.
    ///   - bufferingPolicy: Which unconsumed values the stream keeps.
    /// - Returns: The values, in order. The stream ends like the form with a type.
    public nonisolated func values(
        of characteristicIdentifier: CharacteristicIdentifier,
        multipleListenOption: MultipleListenOption = .trap,
        through path: ListenTransport = .signals,
        isKept: Bool = false,
        timeout: Timeout = .standard,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> ValueStream<Data> {
        values(
            of: characteristicIdentifier,
            as: Data.self,
            multipleListenOption: multipleListenOption,
            through: path,
            isKept: isKept,
            undecodableValues: .end,
            timeout: timeout,
            bufferingPolicy: bufferingPolicy
        )
    }

    /// Listens to the notifications or indications of a characteristic, and delivers decoding errors.
    ///
    /// A value that cannot be decoded is a `.failure` with the error of the decoder, and the stream
    /// continues. If another program listens to the same characteristic, each value arrives twice, see
    /// `ListenTransport.signals`.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or indicates.
    ///   - type: The type of the values, decoded on the main loop.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - path: The way values arrive from BlueZ.
    ///   - isKept: Whether the stream outlives a lost connection.
    ///   - timeout: The limit for the set-up, from its turn in the queue.
    ///   - bufferingPolicy: Which unconsumed values the stream keeps.
    /// - Returns: One result for each value, in order. The stream ends like `values`.
    public nonisolated func results<R: Receivable & Swift.Sendable>(
        of characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        multipleListenOption: MultipleListenOption = .trap,
        through path: ListenTransport = .signals,
        isKept: Bool = false,
        timeout: Timeout = .standard,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> ValueStream<Result<R, any Error>> {
        let request = ListenRequest(
            characteristic: characteristicIdentifier,
            option: multipleListenOption,
            path: path,
            isKept: isKept,
            timeout: timeout
        )
        return makeListenStream(request, bufferingPolicy) { data, continuation in
            continuation.yield(Result { try R(bluetoothData: data) })
        }
    }

    /// Listens to the notifications or indications of a characteristic, and joins them to longer values.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral that notifies or indicates.
    ///   - type: The type of the joined values, decoded on the main loop.
    ///   - merging: The rule that joins the notifications.
    ///   - multipleListenOption: Whether a later listen may replace this one.
    ///   - path: The way values arrive from BlueZ.
    ///   - timeout: The limit for the set-up, from its turn in the queue.
    ///   - bufferingPolicy: Which unconsumed values the stream keeps.
    /// - Returns: The values, in order. The stream ends like `values`, with the error of the decoder, and with
    ///   `BluejayError.valueTooLong` if ``ValueMerging/maximumLength`` bytes wait for the rest of their value.
    public nonisolated func values<R: Receivable & Swift.Sendable>(
        of characteristicIdentifier: CharacteristicIdentifier,
        as type: R.Type = R.self,
        merging: ValueMerging,
        multipleListenOption: MultipleListenOption = .trap,
        through path: ListenTransport = .signals,
        timeout: Timeout = .standard,
        bufferingPolicy: BufferingPolicy = .unbounded
    ) -> ValueStream<R> {
        let request = ListenRequest(
            characteristic: characteristicIdentifier,
            option: multipleListenOption,
            path: path,
            isKept: false,
            timeout: timeout
        )
        let merger = LockedValue(ValueMerging.Merger(merging))
        return makeListenStream(request, bufferingPolicy) { data, continuation in
            let values = merger.update { merger in Result { try merger.receive(data) } }
            for value in try values.get() { continuation.yield(try R(bluetoothData: value)) }
        }
    }

    private nonisolated func makeListenStream<Element: Swift.Sendable>(
        _ request: ListenRequest,
        _ bufferingPolicy: BufferingPolicy,
        _ receive: @escaping @Sendable (Data, ValueContinuation<Element>) throws -> Void
    ) -> ValueStream<Element> {
        ValueStream(bufferingPolicy) { continuation in
            let listen = StreamedOperation()
            let finisher = StreamFinisher(continuation)
            continuation.onTermination { [weak self, mainLoop] in
                mainLoop.post { [weak self] in
                    guard let id = listen.id else { return }
                    self?.endListen(to: request.characteristic, of: id)
                }
            }
            mainLoop.post { [weak self] in
                guard let self else { return finisher.finish(BluejayError.cancelled) }
                listen.id = self.listen(
                    to: request.characteristic,
                    request.option,
                    through: request.path,
                    isKept: request.isKept,
                    timeout: request.timeout
                ) { update in
                    switch update {
                    case .ended(let error): finisher.finish(error)
                    case .value(let data):
                        do {
                            try receive(data, continuation)
                        } catch {
                            finisher.finish(error)
                        }
                    }
                }
            }
        }
    }
}

private struct ListenRequest: Swift.Sendable {
    let characteristic: CharacteristicIdentifier
    let option: MultipleListenOption
    let path: ListenTransport
    let isKept: Bool
    let timeout: Timeout
}
