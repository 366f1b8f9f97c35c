internal import BluejayBlueZ
internal import FoundationEssentials

/// A read of one characteristic.
final class ReadOperation: QueuedOperation {
    let timeout: Timeout
    var subject: ErrorSubject { ErrorSubject(.read, characteristic) }
    var byteCount: Int? { value.count }

    private let characteristic: CharacteristicIdentifier
    private let completion: (Result<Data, any Error>) -> Void
    private var value = Data()
    /// Takes it back when another user's call is before it.
    private var withdraw: (() -> Void)?

    init(
        _ characteristic: CharacteristicIdentifier,
        timeout: Timeout = .standard,
        completion: @escaping (Result<Data, any Error>) -> Void
    ) {
        self.characteristic = characteristic
        self.timeout = timeout
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        runner.resolve(characteristic, done) { [self] lease, object in
            let request = lease.read(object) { [self, weak runner] result in
                switch result {
                case .success(let data):
                    value = data
                    done(nil)
                case .failure(let failure):
                    done(runner?.error(failure, on: object, needing: .read))
                }
            }
            withdraw = { [weak lease] in lease?.withdraw(request) }
        }
    }

    func abort(_ runner: OperationRunner) {
        withdraw?()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success(value))
    }
}
