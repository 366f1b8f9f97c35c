internal import BluejayBlueZ

/// The set-up of a listen; its values go to `OperationRunner.listeners`.
final class ListenOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(.listen, characteristic) }

    private let characteristic: CharacteristicIdentifier
    private weak var runner: OperationRunner?
    /// Set by the runner when the operation is taken in.
    var id = 0

    init(_ characteristic: CharacteristicIdentifier, _ runner: OperationRunner, timeout: Timeout) {
        self.characteristic = characteristic
        self.runner = runner
        self.timeout = timeout
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        guard let runner else { return done(.cancelled) }
        // Ended before its turn came.
        guard runner.listens.isWanted(characteristic, id) else { return done(nil) }
        let path = runner.listeners[id]?.path ?? .signals
        runner.startNotifying(characteristic, through: path) { [self, weak runner] error in
            if error == nil, let runner { install(runner) }
            done(error)
        }
    }

    func complete(_ error: (any Error)?) {
        guard let runner else { return }
        guard let error else {
            runner.listeners[id]?.tell(.settled)
            return
        }
        runner.listens.failed(characteristic, id)
        // Given up when it had been set up, before it was its turn to say so.
        let wasInstalled = runner.listens.receiver(of: characteristic) == id
        if wasInstalled { runner.listens.endRequested(characteristic, of: id) }
        runner.listeners.removeValue(forKey: id)?.tell(.failure(error))
        if wasInstalled { endUnwanted(runner) }
    }

    private func install(_ runner: OperationRunner) {
        guard runner.listens.isWanted(characteristic, id) else {
            // It was given up while it was set up.
            return endUnwanted(runner)
        }
        runner.restoration.markHandled(characteristic)
        if let replaced = runner.listens.started(characteristic, id) {
            let error = BluejayError.multipleListenReplaced
            let listener = runner.listeners.removeValue(forKey: replaced)
            // Where the notifications are on this is inside the call of the one that takes over.
            runner.scheduler.completeOnNextIteration { listener?.tell(.failure(error)) }
        }
        runner.listeners[id]?.tell(.installed)
        runner.remember()
    }

    private func endUnwanted(_ runner: OperationRunner) {
        guard !runner.listens.isListening(to: characteristic), runner.queue.isConnected else {
            return
        }
        runner.endListen(characteristic, nil)
    }
}

/// The end of a listen.
///
/// Its listener has been removed at the call.
final class EndListenOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.endOfListen
    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(.endListen, characteristic) }

    private let characteristic: CharacteristicIdentifier
    private let runner: OperationRunner
    private let completion: ((WriteResult) -> Void)?

    init(
        _ characteristic: CharacteristicIdentifier,
        _ runner: OperationRunner,
        timeout: Timeout,
        completion: ((WriteResult) -> Void)?
    ) {
        self.characteristic = characteristic
        self.runner = runner
        self.timeout = timeout
        self.completion = completion
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        guard runner.listens.receiver(of: characteristic) == nil else { return done(nil) }
        runner.stopNotifying(characteristic, done)
    }

    func complete(_ error: (any Error)?) {
        completion?(error.map { .failure($0) } ?? .success)
    }
}
