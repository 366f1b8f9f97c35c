internal import FoundationEssentials

/// A write and the notification that answers it, as one operation of the queue.
final class AskOperation: QueuedOperation {
    enum Verdict {
        case isAnswer
        case isOther
        case failed(any Error)
    }

    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(.ask, request.characteristic) }

    private let request: SharedCallDetails
    private let answerCharacteristic: CharacteristicIdentifier
    private let write: WriteOperation
    private let listens: ListenRegistry
    private let judge: (Data) -> Verdict
    private let completion: ((any Error)?) -> Void
    private var onEnd: ((BluejayError?) -> Void)?
    private var isWriting = false
    private var isAborted = false
    private var isAnswered = false
    private var judgeError: (any Error)?

    /// - Parameters:
    ///   - request: The characteristic of the write.
    ///   - answer: The characteristic of the answer.
    ///   - write: The write.
    ///   - listens: Turns the notifications on and off.
    ///   - timeout: The limit for all.
    ///   - judge: Called for each value that arrives after the write has begun.
    ///   - completion: Called once, with `nil` for success.
    init(
        _ request: SharedCallDetails,
        answer: CharacteristicIdentifier,
        _ write: WriteOperation,
        _ listens: ListenRegistry,
        timeout: Timeout,
        judge: @escaping (Data) -> Verdict,
        completion: @escaping ((any Error)?) -> Void
    ) {
        self.request = request
        answerCharacteristic = answer
        self.write = write
        self.listens = listens
        self.timeout = timeout
        self.judge = judge
        self.completion = completion
    }

    // After an abort, the queue still waits for the replies: the operation ends with the pending one.
    func start(onEnd: @escaping (BluejayError?) -> Void) {
        self.onEnd = onEnd
        listens.restartNotifying(answerCharacteristic) { [self] error in
            if error != nil || isAborted { end(error) } else { startWrite() }
        }
    }

    private func startWrite() {
        // The answer may precede the response to the write.
        listens.onAnswer = (answerCharacteristic, { [weak self] in self?.received($0) })
        isWriting = true
        write.start { [self] error in
            isWriting = false
            if error != nil || isAborted { end(error) } else { endIfComplete() }
        }
    }

    private func received(_ result: Result<Data, BluejayError>) {
        guard !isAnswered else { return }
        switch result {
        case .failure(let error):
            isAnswered = true
            judgeError = error
        case .success(let value):
            switch judge(value) {
            case .isOther: return
            case .isAnswer: isAnswered = true
            case .failed(let error):
                isAnswered = true
                judgeError = error
            }
        }
        endIfComplete()
    }

    private func endIfComplete() {
        if !isWriting, isAnswered { end(nil) }
    }

    private func end(_ error: BluejayError?) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(error)
    }

    func abort() {
        isAborted = true
        write.abort()
        // It waits for the answer only.
        if listens.onAnswer != nil, !isWriting { end(nil) }
    }

    func complete(_ error: (any Error)?) {
        write.complete(error)
        listens.onAnswer = nil
        listens.endUnusedListen(answerCharacteristic)
        completion(error ?? judgeError)
    }
}
