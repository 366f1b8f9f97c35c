internal import BluejayBlueZ

/// The set-up of a listen; its values go to `OperationRunner.listeners`.
final class ListenOperation: QueuedOperation {
    let timeout: Duration?
    var name: String { "listen to \(characteristic.uuid)" }

    private let characteristic: CharacteristicIdentifier
    private weak var runner: OperationRunner?
    /// Set by the runner when the operation is taken in.
    var id = 0

    init(_ characteristic: CharacteristicIdentifier, _ runner: OperationRunner, timeout: Timeout) {
        self.characteristic = characteristic
        self.runner = runner
        self.timeout = timeout.duration
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        // Ended before its turn came.
        guard runner.listens.isWanted(characteristic, id) else { return done(nil) }
        runner.startNotifying(characteristic, doing: name) { [self, weak runner] error in
            if error == nil, let runner { install(runner) }
            done(error)
        }
    }

    func complete(_ error: (any Error)?) {
        guard let error, let runner else { return }
        runner.listens.failed(characteristic, id)
        runner.listeners.removeValue(forKey: id)?.tell(.failure(error))
    }

    private func install(_ runner: OperationRunner) {
        guard runner.listens.isWanted(characteristic, id) else {
            // It was given up while it was set up; nobody wants the values.
            if !runner.listens.isListening(to: characteristic), runner.queue.isConnected {
                runner.endListen(characteristic, nil)
            }
            return
        }
        runner.restoration?.handled(characteristic)
        if let replaced = runner.listens.started(characteristic, id) {
            let error = BluejayError.multipleListenReplaced
            runner.listeners.removeValue(forKey: replaced)?.tell(.failure(error))
        }
        runner.listeners[id]?.tell(.installed)
        runner.remember()
    }
}

/// The end of a listen.
///
/// Its listener has been removed at the call.
final class EndListenOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.endOfListen
    let timeout: Duration?
    var name: String { "end of the listen to \(characteristic.uuid)" }

    private let characteristic: CharacteristicIdentifier
    private let completion: ((WriteResult) -> Void)?

    init(
        _ characteristic: CharacteristicIdentifier,
        timeout: Timeout,
        completion: ((WriteResult) -> Void)?
    ) {
        self.characteristic = characteristic
        self.timeout = timeout.duration
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        guard runner.listens.receiver(of: characteristic) == nil else { return done(nil) }
        runner.stopNotifying(characteristic, doing: name, done)
    }

    func complete(_ error: (any Error)?) {
        completion?(error.map { .failure($0) } ?? .success)
    }
}
