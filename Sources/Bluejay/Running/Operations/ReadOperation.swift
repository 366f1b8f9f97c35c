internal import BluejayBlueZ
internal import Foundation

/// A read of one characteristic.
final class ReadOperation: QueuedOperation {
    private let characteristic: CharacteristicIdentifier
    private let completion: (Result<Data, any Error>) -> Void
    private var value = Data()

    init(
        _ characteristic: CharacteristicIdentifier,
        completion: @escaping (Result<Data, any Error>) -> Void
    ) {
        self.characteristic = characteristic
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
                    done(runner?.error(failure, doing: "read of \(characteristic.uuid)"))
                }
            }
        }
    }

    func complete(_ error: BluejayError?) {
        completion(error.map { .failure($0) } ?? .success(value))
    }
}
