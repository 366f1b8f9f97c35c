internal import BluejayBlueZ

final class SetAliasOperation: QueuedOperation {
    // The link limits the wait for bluetoothd's reply.
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

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        guard let connected = link.link else { return onEnd(.notConnected) }
        connected.setAlias(alias) { [link] failure in
            onEnd(failure.map { link.error($0) })
        }
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}
