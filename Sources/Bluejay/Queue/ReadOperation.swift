internal import BluejayBlueZ
internal import Foundation

/// A read of one characteristic.
final class ReadOperation: QueuedOperation {
    let timeout: Duration?
    var name: String { "read of \(characteristic.uuid)" }

    private let characteristic: CharacteristicIdentifier
    private let completion: (Result<Data, any Error>) -> Void
    private var value = Data()

    init(
        _ characteristic: CharacteristicIdentifier,
        timeout: Timeout = .none,
        completion: @escaping (Result<Data, any Error>) -> Void
    ) {
        self.characteristic = characteristic
        self.timeout = timeout.duration
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        runner.resolve(characteristic, done) { [self] link, object in
            link.read(object.path) { [self, weak runner] result in
                switch result {
                case .success(let bytes):
                    value = Data(bytes)
                    done(nil)
                case .failure(let failure):
                    done(runner?.error(failure, doing: name))
                }
            }
        }
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success(value))
    }
}
