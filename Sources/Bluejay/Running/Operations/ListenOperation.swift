internal import BluejayBlueZ
internal import Foundation

/// What a listener is told.
enum ListenEvent {
    case value(Data)
    case failure(BluejayError)
}

/// The set-up of a listen; its values go to `OperationRunner.listeners`.
final class ListenOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private weak var runner: OperationRunner?
    /// Set by the runner when the operation is taken in.
    var id = 0

    init(_ characteristic: CharacteristicIdentifier, _ runner: OperationRunner) {
        self.characteristic = characteristic
        self.runner = runner
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        // Ended before its turn came.
        guard runner.listens.isWanted(characteristic, id) else { return done(nil) }
        guard runner.notifying[characteristic] == nil else {
            install(runner)
            return done(nil)
        }
        runner.resolve(characteristic, done) { [self] link, object in
            guard object.canNotify else {
                return done(.notSupported("listen to \(characteristic.uuid)"))
            }
            runner.notifying[characteristic] = object.path
            let characteristic = characteristic
            link.startNotify(object.path) { [weak runner] bytes in
                runner?.deliver(Data(bytes), of: characteristic)
            } completion: { [self, weak runner] result in
                guard let runner else { return }
                switch result {
                case .success:
                    install(runner)
                    done(nil)
                case .failure(let failure):
                    runner.notifying[characteristic] = nil
                    done(runner.error(failure, doing: "listen to \(characteristic.uuid)"))
                }
            }
        }
    }

    func complete(_ error: BluejayError?) {
        guard let error, let runner else { return }
        runner.listens.failed(characteristic, id)
        runner.listeners.removeValue(forKey: id)?(.failure(error))
    }

    private func install(_ runner: OperationRunner) {
        if let replaced = runner.listens.started(characteristic, id) {
            runner.listeners.removeValue(forKey: replaced)?(.failure(.multipleListenReplaced))
        }
    }
}

/// The end of a listen.
///
/// Its listener has been removed at the call.
final class EndListenOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let completion: ((WriteResult) -> Void)?

    init(_ characteristic: CharacteristicIdentifier, completion: ((WriteResult) -> Void)?) {
        self.characteristic = characteristic
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        guard let link = runner.lease?.link, let path = runner.notifying[characteristic],
            runner.listens.receiver(of: characteristic) == nil
        else { return done(nil) }
        runner.notifying[characteristic] = nil
        link.stopNotify(path) { [weak runner, characteristic] result in
            switch result {
            case .success: done(nil)
            case .failure(let failure):
                done(runner?.error(failure, doing: "end of the listen to \(characteristic.uuid)"))
            }
        }
    }

    func complete(_ error: BluejayError?) {
        completion?(error.map { .failure($0) } ?? .success)
    }
}
