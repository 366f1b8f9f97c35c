internal import BluejayBlueZ

/// The link of the connected peripheral, its attributes, and the errors of its operations.
final class ConnectedLink {
    /// This instance's lease of the link, from the connection to its end.
    private(set) var lease: LinkLease? {
        didSet { statePublisher.setPeripheralNeedsPublishing() }
    }
    /// The peripheral that is connected, or being connected to.
    private(set) var session = ConnectionSession() {
        didSet {
            statePublisher.setNeedsPublishing()
            sessionNumber += 1
        }
    }
    /// Changes with the session.
    private(set) var sessionNumber = 0
    private let adapters: AdapterController
    private let statePublisher: StatePublisher

    init(_ adapters: AdapterController, _ statePublisher: StatePublisher) {
        self.adapters = adapters
        self.statePublisher = statePublisher
    }

    /// The connected peripheral, until the observers are notified of its disconnection.
    var peripheral: PeripheralIdentifier? { session.peripheral }

    /// The peripheral of an error: the connected one, or the one being connected to.
    var subject: PeripheralIdentifier? { session.peripheral ?? session.attempted }

    /// The link if it is up.
    var link: Link? { lease.flatMap { $0.link.isUp ? $0.link : nil } }

    // MARK: The connection

    func attach(_ lease: LinkLease) { self.lease = lease }

    /// Transfers the lease to the caller.
    @discardableResult
    func detach() -> LinkLease? {
        defer { lease = nil }
        return lease
    }

    func change<Result>(_ change: (inout ConnectionSession) -> Result) -> Result {
        change(&session)
    }

    // MARK: Attributes

    /// Finds a characteristic of the connected peripheral, or completes the operation with an error.
    func resolve(
        _ characteristic: CharacteristicIdentifier,
        _ completion: (BluejayError?) -> Void,
        found: (LinkLease, RemoteCharacteristic) -> Void
    ) {
        guard let lease, lease.link.isUp else { return completion(.notConnected) }
        guard let object = lease.link.characteristic(characteristic) else {
            return completion(missingError(characteristic))
        }
        found(lease, object)
    }

    var services: [PeripheralService] { (lease?.link.services ?? []).map { PeripheralService($0) } }

    /// The properties of the connected peripheral in bluetoothd.
    var details: PeripheralDetails? {
        guard let peripheral, let device = lease?.link.device else { return nil }
        return PeripheralDetails(device, of: peripheral)
    }

    func maximumWriteValueLength(_ type: WriteType) -> Int? {
        link.map { type.longestValue(mtu: $0.reportedMTU) }
    }

    /// The signal strength, if BlueZ knows it.
    func rssi() throws(BluejayError) -> Int {
        guard let lease, peripheral != nil else { throw .notConnected }
        guard let rssi = lease.link.rssi else {
            throw .notSupported("BlueZ reports RSSI for advertisements only")
        }
        return rssi
    }

    // MARK: Errors

    /// The error of an operation whose characteristic is missing.
    func missingError(_ characteristic: CharacteristicIdentifier) -> BluejayError {
        guard let link else { return .notConnected }
        guard !characteristic.service.isAny else {
            return ambiguity(of: characteristic) ?? .missingCharacteristic(characteristic)
        }
        guard link.has(characteristic.service) else {
            return .missingService(characteristic.service)
        }
        return .missingCharacteristic(characteristic).withReason(
            Self.otherInstance(of: characteristic, link.services).map {
                "the peripheral has no characteristic \(characteristic), but \($0); use that instance"
            }
        )
    }

    /// The error of a UUID that several characteristics have, or `nil`.
    func ambiguity(of characteristic: CharacteristicIdentifier) -> BluejayError? {
        guard characteristic.service.isAny else { return nil }
        let all = (link?.services ?? []).flatMap(\.characteristics).map(\.identifier)
        let candidates = all.filter { $0.uuid == characteristic.uuid }
        return candidates.count > 1 ? .ambiguousCharacteristic(candidates) : nil
    }

    /// A characteristic with the same UUID in a service with the same UUID.
    private static func otherInstance(
        of characteristic: CharacteristicIdentifier,
        _ services: [RemoteService]
    ) -> CharacteristicIdentifier? {
        services.lazy.filter { $0.identifier.uuid == characteristic.service.uuid }
            .flatMap(\.characteristics).map(\.identifier)
            .first { $0.uuid == characteristic.uuid }
    }

    func error(_ failure: BlueZFailure) -> BluejayError { adapters.error(failure) }

    func error(
        _ failure: BlueZFailure,
        on characteristic: CharacteristicIdentifier
    ) -> BluejayError {
        if failure == .objectRemoved { return missingError(characteristic) }
        guard case .attribute(0x0E, _) = failure, lease?.link.hasUnansweredRequest == true else {
            return error(failure)
        }
        return error(failure).withReason(
            "the peripheral did not answer within 30 s, so bluetoothd ends the connection (ATT 0x0E); "
                + "connect again, and restart the peripheral if it stays silent"
        )
    }

    /// The error of an operation on a characteristic that may lack the required property.
    ///
    /// bluetoothd sends no request for such a characteristic.
    func error(
        _ failure: BlueZFailure,
        on object: RemoteCharacteristic,
        needing properties: AttributeProperties
    ) -> BluejayError {
        if case .attribute(0x06, _) = failure, object.properties.isDisjoint(with: properties) {
            return .notSupported("the characteristic does not support this operation")
        }
        return error(failure, on: object.identifier)
    }

    func error(_ failure: PairingFailure) -> BluejayError {
        switch failure {
        case .rejected: .pairingRejected
        case .timedOut: .operationTimedOut
        case .cancelled: .cancelled
        case .bluez(let failure): error(failure)
        }
    }
}
