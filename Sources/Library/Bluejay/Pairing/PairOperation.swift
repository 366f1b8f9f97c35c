internal import BluejayBlueZ

/// Pairs with the connected peripheral.
final class PairOperation: QueuedOperation {
    // The link applies `pairTimeout`, because it must cancel bluetoothd's pairing first.
    let timeout = Timeout.none
    let subject = ErrorSubject(.pair)

    private let pairTimeout: Timeout
    private let link: ConnectedLink
    private let timeouts: CallTimeouts
    private let completion: (WriteResult) -> Void
    private var cancelRequest: (() -> Void)?

    /// The limit of a call without one.
    private static let maximumTimeout = Duration.seconds(60)

    init(
        _ link: ConnectedLink,
        _ timeouts: CallTimeouts,
        timeout: Timeout,
        completion: @escaping (WriteResult) -> Void
    ) {
        self.link = link
        self.timeouts = timeouts
        self.pairTimeout = timeout
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        guard let lease = link.lease, lease.link.isUp else { return onEnd(.notConnected) }
        let timeout = timeouts.duration(pairTimeout, for: .pair) ?? Self.maximumTimeout
        let request = lease.pair(timeout: timeout) { [link] failure in
            onEnd(failure.map { link.error($0) })
        }
        cancelRequest = { [weak lease] in lease?.cancelPairCall(request) }
    }

    func abort() {
        cancelRequest?()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}
