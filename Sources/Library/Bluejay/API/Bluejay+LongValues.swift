internal import BluejayGLib
public import FoundationEssentials

extension Bluejay {
    /// Writes a request and waits for the notification that answers it, as one operation of the queue.
    ///
    /// The operation turns the notifications on if no listen has done so, writes, takes the first matching value that
    /// arrives after the write has begun, and turns the notifications off again. A listen to the same characteristic
    /// receives the values, too. Other calls wait until the answer has arrived.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to write to.
    ///   - value: The request.
    ///   - answer: The characteristic that notifies or indicates the answer; nil is the same one.
    ///   - answerType: The type of the answer; it can be inferred.
    ///   - type: With or without response.
    ///   - merging: Joins several notifications to an answer; nil makes each one a value.
    ///   - limit: For all, from the operation's turn in the queue.
    ///   - isAnswer: Returns whether a value is the answer; called on the loop. Values that cannot be decoded are
    ///     none. With nil the first value is the answer.
    ///   - completion: Called once. Fails with the errors of `listen` and `write`,
    ///     ``BluejayError/operationTimedOut``, or the error of the decoder.
    public func ask<Request: BluetoothSendable, Answer: Receivable>(
        _ characteristic: CharacteristicIdentifier,
        writing value: Request,
        answer: CharacteristicIdentifier? = nil,
        as answerType: Answer.Type = Answer.self,
        type: WriteType = .withResponse,
        merging: ValueMerging? = nil,
        within limit: Timeout = .seconds(10),
        where isAnswer: (@Sendable (Answer) -> Bool)? = nil,
        completion: @escaping @isolated(any) (ReadResult<Answer>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let data = value.toBluetoothData()
        let subject = ErrorSubject(.ask, characteristic)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            if let rejection = answer.flatMap(instance.gate.rejection) {
                return instance.scheduler.completeOnNextIteration {
                    completion(.failure(subject.annotate(rejection)))
                }
            }
            var merger = merging.map(ValueMerging.Merger.init)
            var found: Answer?
            func judge(_ value: Data) -> AskOperation.Verdict {
                do {
                    for value in try merger?.receive(value) ?? [value] {
                        do {
                            let decoded = try Answer(bluetoothData: value)
                            guard isAnswer?(decoded) ?? true else { continue }
                            found = decoded
                            return .isAnswer
                        } catch  where isAnswer != nil {
                            continue
                        }
                    }
                    return .isOther
                } catch {
                    return .failed(error)
                }
            }
            let details = instance.queue.details(of: .ask, characteristic)
            instance.queue.enqueue(
                AskOperation(
                    details,
                    answer: answer ?? characteristic,
                    instance.makeWrite(characteristic, data, type) { _ in },
                    instance.listens,
                    timeout: limit,
                    judge: judge
                ) { error in
                    if let error { return completion(.failure(subject.annotate(error))) }
                    if let found { completion(.success(found)) }
                }
            )
        }
    }

    /// Writes a value of any length in pieces, as one operation of the queue.
    ///
    /// No other call comes between the pieces.
    ///
    /// - Parameters:
    ///   - characteristic: A characteristic of the connected peripheral.
    ///   - value: The whole value.
    ///   - pieceLength: The length of each piece but the last; nil is the longest one that a single packet carries.
    ///   - type: With or without response.
    ///   - timeout: For all pieces, from the operation's turn in the queue.
    ///   - progress: Called with the number of written bytes after each piece.
    ///   - completion: Called once. Fails as `write`; the pieces before may have been written.
    public func write(
        to characteristic: CharacteristicIdentifier,
        contentsOf value: Data,
        inPiecesOf pieceLength: Int? = nil,
        type: WriteType = .withoutResponse,
        timeout: Timeout = .standard,
        progress: (@isolated(any) (Int) -> Void)? = nil,
        completion: @escaping @isolated(any) (WriteResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let progress = progress.map { mainLoop.context.callback($0) }
        let subject = ErrorSubject(.write, characteristic)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.queue.enqueue(
                SplitWriteOperation(
                    instance.queue.details(of: .write, characteristic),
                    instance.link,
                    value: value,
                    pieceLength: pieceLength,
                    timeout: timeout
                ) { [instance] piece in
                    instance.makeWrite(characteristic, piece, type) { _ in }
                } progress: {
                    progress?($0)
                } completion: {
                    completion($0)
                }
            )
        }
    }
}
