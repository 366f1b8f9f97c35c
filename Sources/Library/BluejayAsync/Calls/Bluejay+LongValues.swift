public import Bluejay
public import FoundationEssentials

/// Requests with their answers, and long values.
extension Bluejay {
    /// Writes a request and returns the notification that answers it.
    ///
    /// ```swift
    /// let version = try await lamp.ask("FFE1", writing: UInt8(0x10), as: String.self, within: 2)
    /// ```
    ///
    /// One operation of the queue turns the notifications on, writes, takes the first matching value that arrives after
    /// the write has begun, and turns the notifications off again. A listen or a stream of the same characteristic
    /// receives the values, too. Other calls wait until the answer has arrived.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to write to.
    ///   - value: The request.
    ///   - answer: The characteristic that notifies or indicates the answer; nil is the same one.
    ///   - answerType: The type of the answer, which Swift may infer.
    ///   - type: With or without response.
    ///   - merging: Joins several notifications to an answer; nil makes each one a value.
    ///   - limit: For all, from the operation's turn in the queue.
    ///   - isAnswer: Returns whether a value is the answer; called on the loop. Values that cannot be decoded are
    ///     none. With nil the first value is the answer.
    /// - Returns: The answer.
    /// - Throws: `BluejayError.operationTimedOut`, the errors of `values` and `write`, that of the decoder, or
    ///   `CancellationError`.
    public nonisolated(nonsending) func ask<
        Request: BluetoothSendable,
        Answer: Receivable & Swift.Sendable
    >(
        _ characteristic: CharacteristicIdentifier,
        writing value: Request,
        answer: CharacteristicIdentifier? = nil,
        as answerType: Answer.Type = Answer.self,
        type: WriteType = .withResponse,
        merging: ValueMerging? = nil,
        within limit: Timeout = .seconds(10),
        where isAnswer: (@Sendable (Answer) -> Bool)? = nil
    ) async throws -> Answer {
        let data = value.toBluetoothData()
        return try await awaitedOperation { bluejay, completion in
            bluejay.ask(
                characteristic,
                writing: data,
                answer: answer,
                as: Answer.self,
                type: type,
                merging: merging,
                within: limit,
                where: isAnswer
            ) { (result: ReadResult<Answer>) in completion(result.result) }
        }
    }

    /// Writes a request and returns the notification that answers it, as bytes.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to write to.
    ///   - value: The request.
    ///   - answer: The characteristic that notifies or indicates the answer; nil is the same one.
    ///   - type: With or without response.
    ///   - merging: Joins several notifications to an answer; nil makes each one a value.
    ///   - limit: For all, from the operation's turn in the queue.
    ///   - isAnswer: Returns whether a value is the answer; called on the loop. With nil the first value is the
    ///     answer.
    /// - Returns: The answer.
    /// - Throws: The same as the form with a type.
    public nonisolated(nonsending) func ask<Request: BluetoothSendable>(
        _ characteristic: CharacteristicIdentifier,
        writing value: Request,
        answer: CharacteristicIdentifier? = nil,
        type: WriteType = .withResponse,
        merging: ValueMerging? = nil,
        within limit: Timeout = .seconds(10),
        where isAnswer: (@Sendable (Data) -> Bool)? = nil
    ) async throws -> Data {
        try await ask(
            characteristic,
            writing: value,
            answer: answer,
            as: Data.self,
            type: type,
            merging: merging,
            within: limit,
            where: isAnswer
        )
    }

    /// Writes a value of any length in pieces, as one operation of the queue.
    ///
    /// No other call comes between the pieces. Cancelling the task ends the operation after the current piece.
    ///
    /// - Parameters:
    ///   - characteristic: A characteristic of the connected peripheral.
    ///   - value: The whole value.
    ///   - pieceLength: The length of each piece but the last; nil is the longest one that a single packet carries.
    ///   - type: With or without response.
    ///   - timeout: For all pieces, from the operation's turn in the queue.
    ///   - progress: Called with the number of written bytes after each piece.
    /// - Throws: The errors of `write`, or `CancellationError`. Pieces may have been written even if the call throws.
    public nonisolated(nonsending) func write(
        to characteristic: CharacteristicIdentifier,
        contentsOf value: Data,
        inPiecesOf pieceLength: Int? = nil,
        type: WriteType = .withoutResponse,
        timeout: Timeout = .standard,
        progress: (@Sendable @isolated(any) (Int) -> Void)? = nil
    ) async throws {
        try await awaitedOperation { bluejay, completion in
            bluejay.write(
                to: characteristic,
                contentsOf: value,
                inPiecesOf: pieceLength,
                type: type,
                timeout: timeout,
                progress: progress
            ) { completion($0.result) }
        }
    }
}
