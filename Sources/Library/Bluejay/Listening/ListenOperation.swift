/// The set-up of a listen; its values go to the listener in the registry.
final class ListenOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(.listen, characteristic) }

    private let characteristic: CharacteristicIdentifier
    private let listens: ListenRegistry
    /// Set by the registry when the operation is added.
    var id = 0

    init(
        _ characteristic: CharacteristicIdentifier,
        _ listens: ListenRegistry,
        timeout: Timeout
    ) {
        self.characteristic = characteristic
        self.listens = listens
        self.timeout = timeout
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        listens.setUp(characteristic, id, onEnd)
    }

    func complete(_ error: (any Error)?) {
        guard let error else { return listens.setUpCompleted(id) }
        listens.setUpFailed(characteristic, id, error)
    }
}

/// Turns on the notifications of a characteristic for an installed listen.
final class StartNotifyOperation: QueuedOperation {
    let timeout = Timeout.none
    var subject: ErrorSubject { ErrorSubject(.listen, characteristic) }

    private let characteristic: CharacteristicIdentifier
    private let listens: ListenRegistry
    private let completion: ((any Error)?) -> Void

    init(
        _ characteristic: CharacteristicIdentifier,
        _ listens: ListenRegistry,
        completion: @escaping ((any Error)?) -> Void
    ) {
        self.characteristic = characteristic
        self.listens = listens
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        listens.restartNotifying(characteristic, onEnd)
    }

    func complete(_ error: (any Error)?) {
        completion(error)
    }
}

/// The end of a listen whose listener is already removed.
final class EndListenOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.endOfListen
    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(.endListen, characteristic) }

    private let characteristic: CharacteristicIdentifier
    private let listens: ListenRegistry
    private let completion: ((WriteResult) -> Void)?

    init(
        _ characteristic: CharacteristicIdentifier,
        _ listens: ListenRegistry,
        timeout: Timeout,
        completion: ((WriteResult) -> Void)?
    ) {
        self.characteristic = characteristic
        self.listens = listens
        self.timeout = timeout
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        listens.stopNotifying(characteristic, onEnd)
    }

    func complete(_ error: (any Error)?) {
        completion?(error.map { .failure($0) } ?? .success)
    }
}
