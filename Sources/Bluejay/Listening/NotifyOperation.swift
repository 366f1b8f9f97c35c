internal import BluejayBlueZ
internal import Foundation

/// Turns the notifications of a characteristic on for a listen that is there already.
final class NotifyOperation: QueuedOperation {
    let timeout: Duration? = nil
    var name: String { "listen to \(characteristic.uuid)" }

    private let characteristic: CharacteristicIdentifier
    private let completion: ((any Error)?) -> Void

    init(_ characteristic: CharacteristicIdentifier, completion: @escaping ((any Error)?) -> Void) {
        self.characteristic = characteristic
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        runner.startNotifying(characteristic, doing: name, done)
    }

    func complete(_ error: (any Error)?) {
        completion(error)
    }
}

extension OperationRunner {
    /// Turns notifications on; nothing is to be done when they are.
    func startNotifying(
        _ characteristic: CharacteristicIdentifier,
        doing name: String,
        _ done: @escaping (BluejayError?) -> Void
    ) {
        guard notifying[characteristic] == nil else { return done(nil) }
        resolve(characteristic, done) { link, object in
            guard object.canNotify else { return done(.notSupported(name)) }
            notifying[characteristic] = object.path
            link.startNotify(object.path) { [weak self] bytes in
                self?.deliver(Data(bytes), of: characteristic)
            } completion: { [weak self] result in
                guard let self else { return }
                switch result {
                case .success: done(nil)
                case .failure(let failure):
                    // The link may have gone and come back meanwhile.
                    if notifying[characteristic] == object.path { notifying[characteristic] = nil }
                    done(error(failure, doing: name))
                }
            }
        }
    }
}
