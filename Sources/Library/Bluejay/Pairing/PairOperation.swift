internal import BluejayBlueZ

/// Pairs with the connected peripheral.
final class PairOperation: QueuedOperation {
    // The link applies `limit`, because it must cancel bluetoothd's pairing first.
    let timeout = Timeout.none
    let subject = ErrorSubject(.pair)

    private let limit: Timeout
    private let link: ConnectedLink
    private let timeouts: CallTimeouts
    private let completion: (WriteResult) -> Void
    private var withdraw: (() -> Void)?

    /// The limit of a call without one.
    private static let longest = Duration.seconds(60)

    init(
        _ link: ConnectedLink,
        _ timeouts: CallTimeouts,
        limit: Timeout,
        completion: @escaping (WriteResult) -> Void
    ) {
        self.link = link
        self.timeouts = timeouts
        self.limit = limit
        self.completion = completion
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        guard let lease = link.lease, lease.link.isUp else { return done(.notConnected) }
        let limit = timeouts.duration(limit, for: .pair) ?? Self.longest
        let request = lease.pair(limit: limit) { [link] failure in
            done(failure.map { link.error($0) })
        }
        withdraw = { [weak lease] in lease?.withdrawPairing(request) }
    }

    func abort() {
        withdraw?()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}
