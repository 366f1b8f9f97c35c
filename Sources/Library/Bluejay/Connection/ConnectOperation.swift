internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib

/// A connection attempt, whose time limit counts from its turn in the queue.
final class ConnectOperation: ConnectionAttempt {
    enum Target {
        case peripheral(PeripheralIdentifier)
        /// A device that another library is connected to; its connection is kept.
        case connectedDevice(ObjectPath)
    }

    let kind: QueueStateMachine.Kind
    // `connectTimeout` applies instead, because the link has to cancel the attempt.
    let timeout = Timeout.none
    var subject: ErrorSubject {
        guard case .peripheral(let identifier) = target else { return ErrorSubject(.connect) }
        return ErrorSubject(.connect, peripheral: identifier)
    }

    var attemptTarget: AttemptTarget {
        guard case .peripheral(let identifier) = target else { return .unknown }
        return .peripheral(identifier, nil)
    }

    private let target: Target
    private let connectTimeout: Timeout
    private let completion: (ConnectionResult) -> Void
    private var lease: LinkLease?
    private var timer: ScheduledTimer?
    private var wasSearchUnanswered = false
    private var connected: PeripheralIdentifier?
    /// The peripheral of the attempt, once it has started.
    private var attempted: PeripheralIdentifier?
    private var hasStarted = false
    private let context: AttemptContext
    private var adapters: AdapterController { context.adapters }

    init(
        _ target: Target,
        _ context: AttemptContext,
        _ kind: QueueStateMachine.Kind = .connect,
        within timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.target = target
        self.context = context
        self.kind = kind
        self.connectTimeout = timeout
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        hasStarted = true
        guard let radio = adapters.radio else { return onEnd(adapters.unavailableError) }
        guard let identifier = identifier(radio.engine.client.objects),
            let address = identifier.deviceAddress
        else { return onEnd(.notConnected) }
        attempted = identifier
        context.report(.started(identifier, isForUser: kind == .connect))
        let link = radio.engine.link(to: address, over: radio.adapter)
        let lease = link.connect { [weak self] result in
            self?.connectCompleted(result, onEnd)
        }
        self.lease = lease
        timer = context.duration(connectTimeout).map { timeout in
            context.clock.schedule(after: timeout) { [weak self, weak lease] in
                guard let lease else { return }
                // Cancelling it ends the search.
                self?.wasSearchUnanswered = lease.link.isDiscoveryCallPending
                lease.link.cancel(lease, .timedOut)
            }
        }
    }

    func abort() {
        timer = nil
        if let lease { lease.link.cancel(lease, .cancelled) }
    }

    func complete(_ error: (any Error)?) {
        if let error {
            if hasStarted { context.report(.ended(isForUser: kind == .connect)) }
            completion(.failure(error))
        } else if let connected {
            completion(.success(connected))
        } else {
            // Only an attempt that has started can succeed.
            completion(.failure(subject.annotate(BluejayError.notConnected)))
        }
    }

    private func identifier(_ objects: ObjectTree) -> PeripheralIdentifier? {
        switch target {
        case .peripheral(let identifier): return identifier
        case .connectedDevice(let path):
            guard objects.isConnected(path),
                let address = objects.properties(path, Device1.interface).flatMap({
                    DeviceAddress(device: $0)
                })
            else { return nil }
            return PeripheralIdentifier(
                address: address,
                name: objects.value(path, Device1.interface, "Name")?.text
            )
        }
    }

    // The disconnect handler receives BlueZ's reason in place of the timeout.
    private func timeoutError(_ lease: LinkLease) -> BluejayError {
        guard !wasSearchUnanswered else {
            let state = BluetoothState.serviceNotResponding
            context.report(.failed(.bluetoothUnavailable(state)))
            return .connectionTimedOut.withCause("\(state)")
        }
        let reason = adapters.connectedElsewhere([lease.link.address.text])
        if lease.link.path == nil, let attempted {
            context.report(.failed(.peripheralNotFound(attempted).withReason(reason)))
        }
        return .connectionTimedOut.withReason(reason)
    }

    private func connectCompleted(
        _ result: Result<Void, LinkFailure>,
        _ onEnd: (BluejayError?) -> Void
    ) {
        timer = nil
        guard let lease else { return }
        self.lease = nil
        switch result {
        case .success:
            let identifier = PeripheralIdentifier(
                address: lease.link.address,
                name: lease.link.name ?? attempted?.name
            )
            connected = identifier
            context.report(.connected(lease, identifier))
            onEnd(nil)
        case .failure(.timedOut):
            onEnd(timeoutError(lease))
        case .failure(.cancelled): onEnd(.cancelled)
        case .failure(.unavailable): onEnd(adapters.adapterOffError)
        case .failure(.pairing(let text)): onEnd(.pairingFailed(text).withCause(text))
        case .failure(.bluez(let failure)): onEnd(adapters.error(failure))
        case .failure(.failed(let text)):
            context.log.debug(
                "link setup failed",
                ["reason": BlueZAnswer.explained(text)]
            )
            let isBonded = lease.link.device?.isPaired ?? false
            let failure = BluejayError.connectionFailed(text).withCause(text)
            context.report(.failed(failure.withBond(isBonded)))
            onEnd(.unexpectedDisconnect.withCause(text).withBond(isBonded))
        }
    }
}
