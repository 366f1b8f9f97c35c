internal import BluejayBlueZ

/// A disconnect, queued or immediate.
final class DisconnectOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.disconnect
    // bluetoothd takes two seconds, and the link has its own limit.
    let timeout = Timeout.none
    var subject: ErrorSubject { ErrorSubject(.disconnect, peripheral: peripheral) }

    private let completion: ((DisconnectionResult) -> Void)?
    private var peripheral: PeripheralIdentifier?

    private let link: ConnectedLink

    init(
        _ link: ConnectedLink,
        _ peripheral: PeripheralIdentifier?,
        completion: ((DisconnectionResult) -> Void)?
    ) {
        self.link = link
        self.peripheral = peripheral
        self.completion = completion
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        peripheral = link.peripheral ?? peripheral
        guard let lease = link.detach() else { return onEnd(nil) }
        lease.link.disconnect(lease) { onEnd(nil) }
    }

    func complete(_ error: (any Error)?) {
        if let error {
            completion?(.failure(error))
        } else if let peripheral {
            completion?(.disconnected(peripheral))
        } else {
            completion?(.failure(subject.annotate(BluejayError.notConnected)))
        }
    }
}
