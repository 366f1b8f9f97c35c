internal import BluejayBlueZ
internal import BluejayGLib

extension OperationRunner {
    /// Finds a characteristic of the connected peripheral, or ends the operation with what is missing.
    func resolve(
        _ characteristic: CharacteristicIdentifier,
        _ done: (BluejayError?) -> Void,
        found: (LinkLease, RemoteCharacteristic) -> Void
    ) {
        guard let lease, lease.link.isUp else { return done(.notConnected) }
        guard let object = lease.link.characteristic(characteristic) else {
            return done(missing(characteristic))
        }
        found(lease, object)
    }

    /// What the connected peripheral does not have, or no more.
    func missing(_ characteristic: CharacteristicIdentifier) -> BluejayError {
        guard let link = lease?.link, link.isUp else { return .notConnected }
        return link.has(characteristic.service)
            ? .missingCharacteristic(characteristic) : .missingService(characteristic.service)
    }

    /// The user's words for an error of bluetoothd.
    func error(
        _ failure: BlueZFailure,
        on characteristic: CharacteristicIdentifier
    ) -> BluejayError {
        failure == .gone ? missing(characteristic) : adapters.error(failure)
    }

    /// The same for a request that needs a property: without it bluetoothd refuses, and sends nothing.
    func error(
        _ failure: BlueZFailure,
        on object: RemoteCharacteristic,
        needing properties: AttributeProperties
    ) -> BluejayError {
        if case .attribute(0x06, _) = failure, object.properties.isDisjoint(with: properties) {
            return .notSupported("the characteristic has not the property for it")
        }
        return error(failure, on: object.identifier)
    }

    /// The longest value that one write takes.
    func maximumWriteValueLength(_ type: WriteType) -> Int? {
        guard let link = lease?.link, link.isUp else { return nil }
        return WriteOperation.longestValue(type, mtu: link.toldMTU)
    }

    /// The signal strength of the connected peripheral, as far as BlueZ knows it.
    func rssi() throws(BluejayError) -> Int {
        guard !gate.isRunningTask else { throw .backgroundTaskRunning.during(.readRSSI) }
        guard let link = lease?.link, peripheral != nil else { throw .notConnected }
        guard let rssi = link.rssi else {
            throw .notSupported("BlueZ tells the signal strength of advertisements only")
        }
        return rssi
    }
}

extension QueueStateMachine.Action {
    func isFailure(of id: QueueStateMachine.ID) -> Bool {
        if case .complete(id, let error) = self { return error != nil }
        return false
    }
}
