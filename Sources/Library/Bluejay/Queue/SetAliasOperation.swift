internal import BluejayBlueZ

/// Gives the connected peripheral a name on this machine.
final class SetAliasOperation: QueuedOperation {
    // The link has a limit of its own for bluetoothd's answer.
    let timeout = Timeout.none
    let subject = ErrorSubject(.setAlias)

    private let alias: String
    private let link: ConnectedLink
    private let completion: (WriteResult) -> Void

    init(_ alias: String, _ link: ConnectedLink, completion: @escaping (WriteResult) -> Void) {
        self.alias = alias
        self.link = link
        self.completion = completion
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        guard let connected = link.link else { return done(.notConnected) }
        connected.setAlias(alias) { [link] failure in
            done(failure.map { link.error($0) })
        }
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}
