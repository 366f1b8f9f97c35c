internal import BluejayBlueZ
internal import FoundationEssentials

/// Turns the notifications of a characteristic on for a listen that is there already.
final class NotifyOperation: QueuedOperation {
    let timeout = Timeout.none
    var subject: ErrorSubject { ErrorSubject(.listen, characteristic) }

    private let characteristic: CharacteristicIdentifier
    private let runner: OperationRunner
    private let completion: ((any Error)?) -> Void

    init(
        _ characteristic: CharacteristicIdentifier,
        _ runner: OperationRunner,
        completion: @escaping ((any Error)?) -> Void
    ) {
        self.runner = runner
        self.characteristic = characteristic
        self.completion = completion
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        let listener = runner.listens.receiver(of: characteristic).flatMap { runner.listeners[$0] }
        runner.startNotifying(characteristic, through: listener?.path ?? .signals, done)
    }

    func complete(_ error: (any Error)?) {
        completion(error)
    }
}

extension OperationRunner {
    /// Turns notifications on; nothing is to be done when they are.
    func startNotifying(
        _ characteristic: CharacteristicIdentifier,
        through path: ListenPath,
        _ done: @escaping (BluejayError?) -> Void
    ) {
        guard !notifications.isOn(characteristic) else { return done(nil) }
        link.resolve(characteristic, done) { lease, object in
            guard object.canNotify else {
                return done(.notSupported("the characteristic neither notifies nor indicates"))
            }
            // A set-up that nobody waits for any more may still be pending; its answer is not ours.
            if let pending = notifications.remove(characteristic) {
                lease.unsubscribe(pending) { _ in }
            }
            let token = notifications.begin(characteristic)
            let request = lease.subscribe(object, throughSocket: path == .socket) {
                [weak self] value in
                self?.deliver(value, of: characteristic, by: token)
            } ended: { [weak self] failure in
                guard let self else { return }
                guard failure != .gone else {
                    return notifications.ended(characteristic, token)
                }
                notifications.answered(characteristic, token, isOn: false)
                let error = link.error(failure, on: characteristic)
                for id in listens.endRequested(characteristic) {
                    listeners.removeValue(forKey: id)?.tell(.failure(error))
                }
                remember()
            } completion: { [weak self] result in
                guard let self else { return }
                switch result {
                case .success:
                    notifications.answered(characteristic, token, isOn: true)
                    done(nil)
                case .failure(let failure):
                    notifications.answered(characteristic, token, isOn: false)
                    done(link.error(failure, on: object, needing: [.notify, .indicate]))
                }
            }
            notifications.asked(characteristic, token, request)
        }
    }

    /// Turns notifications off; nothing is to be done when they are.
    func stopNotifying(
        _ characteristic: CharacteristicIdentifier,
        _ done: @escaping (BluejayError?) -> Void
    ) {
        guard let lease = link.lease, let request = notifications.remove(characteristic) else {
            return done(nil)
        }
        lease.unsubscribe(request) { [weak self] result in
            switch result {
            case .success: done(nil)
            case .failure(let failure):
                done(self?.link.error(failure, on: characteristic))
            }
        }
    }
}
