internal import BluejayBlueZ
internal import BluejayGLib

/// A connection attempt; its time counts from its turn in the queue.
final class ConnectOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.connect

    private let identifier: PeripheralIdentifier
    private let timeout: Duration?
    private let completion: (ConnectionResult) -> Void
    private var lease: LinkLease?
    private var timer: ScheduledTimer?
    private var connected: PeripheralIdentifier?

    init(
        _ identifier: PeripheralIdentifier,
        timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.identifier = identifier
        self.timeout = timeout.duration
        self.completion = completion
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        guard let address = identifier.deviceAddress else {
            return done(.unexpectedPeripheral(identifier))
        }
        guard let radio = runner.radio else {
            return done(.bluetoothUnavailable(runner.bluetoothState))
        }
        runner.attempted = identifier
        let link = radio.engine.link(to: address, over: radio.adapter)
        let lease = link.connect { [weak self, weak runner] result in
            guard let self, let runner else { return }
            ended(result, runner, done)
        }
        self.lease = lease
        timer = timeout.map { timeout in
            runner.clock.schedule(after: timeout) { [weak lease] in
                if let lease { lease.link.cancel(lease, .timedOut) }
            }
        }
    }

    func abort(_ runner: OperationRunner) {
        timer = nil
        if let lease { lease.link.cancel(lease, .cancelled) }
    }

    func complete(_ error: BluejayError?) {
        if let error {
            completion(.failure(error))
        } else {
            completion(.success(connected ?? identifier))
        }
    }

    private func ended(
        _ result: Result<Void, LinkFailure>,
        _ runner: OperationRunner,
        _ done: (BluejayError?) -> Void
    ) {
        timer = nil
        runner.attempted = nil
        guard let lease else { return }
        self.lease = nil
        switch result {
        case .success:
            let identifier = PeripheralIdentifier(
                address: lease.link.address,
                name: lease.link.name ?? identifier.name
            )
            connected = identifier
            runner.took(lease, identifier)
            done(nil)
        case .failure(.timedOut): done(.connectionTimedOut)
        case .failure(.cancelled): done(.cancelled)
        case .failure(.unavailable): done(.bluetoothUnavailable(runner.bluetoothState))
        case .failure(.failed(let text)):
            runner.log("connection to \(identifier) failed: \(text)")
            done(.unexpectedDisconnect)
        }
    }
}
