internal import BluejayBlueZ

/// Pairs with the connected peripheral.
final class PairOperation: QueuedOperation {
    // The link has the limit: what bluetoothd was asked for is taken back first.
    let timeout = Timeout.none
    let subject = ErrorSubject(.pair)

    private let limit: Timeout
    private let completion: (WriteResult) -> Void
    private var withdraw: (() -> Void)?

    /// Where the call has no limit of its own.
    private static let longest = Duration.seconds(60)

    init(limit: Timeout, completion: @escaping (WriteResult) -> Void) {
        self.limit = limit
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        guard let lease = runner.lease, lease.link.isUp else { return done(.notConnected) }
        let limit = runner.timeouts.duration(limit, for: .pair) ?? Self.longest
        let request = lease.pair(limit: limit) { [weak runner] failure in
            done(failure.map { runner?.error($0) ?? .cancelled })
        }
        withdraw = { [weak lease] in lease?.withdrawPairing(request) }
    }

    func abort(_ runner: OperationRunner) {
        withdraw?()
    }

    func complete(_ error: (any Error)?) {
        completion(error.map { .failure($0) } ?? .success)
    }
}

extension OperationRunner {
    /// Why a peripheral is not paired.
    fileprivate func error(_ failure: PairingFailure) -> BluejayError {
        switch failure {
        case .refused: .pairingRefused
        case .timedOut: .operationTimedOut
        case .cancelled: .cancelled
        case .bluez(let failure): adapters.error(failure)
        }
    }
}
