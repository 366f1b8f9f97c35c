internal import BluejayBlueZ

/// Gives the connected peripheral a name on this machine.
final class AliasOperation: QueuedOperation {
    // The link has a limit of its own for bluetoothd's answer.
    let timeout = Timeout.none
    let subject = ErrorSubject(.setAlias)

    private let alias: String
    private let completion: (WriteResult) -> Void

    init(_ alias: String, completion: @escaping (WriteResult) -> Void) {
        self.alias = alias
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        guard let link = runner.lease?.link, link.isUp else { return done(.notConnected) }
        link.setAlias(alias) { [weak runner] failure in
            done(failure.map { runner?.adapters.error($0) ?? .cancelled })
        }
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}
