/// Names a GATT characteristic by its UUID and the service it is part of.
public struct CharacteristicIdentifier: Hashable, Swift.Sendable {
    /// The service the characteristic is part of.
    public let service: ServiceIdentifier

    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID

    /// Makes an identifier from a UUID and a service.
    public init(uuid: BluetoothUUID, service: ServiceIdentifier) {
        self.uuid = uuid
        self.service = service
    }

    /// Makes an identifier from text such as `2A37` and a service.
    ///
    /// Never fails: with malformed text the first call that uses the identifier completes with
    /// ``BluejayError/malformedUUID(_:)``.
    public init(uuid: String, service: ServiceIdentifier) {
        self.init(uuid: BluetoothUUID(string: uuid), service: service)
    }

    /// Makes an identifier from text and a service and refuses what is no UUID.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - service: The service the characteristic is part of; it must be well formed too.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating uuid: String, service: ServiceIdentifier) throws {
        self.init(
            uuid: try BluetoothUUID(validating: uuid),
            service: try service.validated()
        )
    }

    /// Returns this identifier, or throws when its UUID or that of its service is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``, for the service first.
    @discardableResult
    public func validated() throws -> CharacteristicIdentifier {
        try service.validated()
        try uuid.validated()
        return self
    }
}

extension CharacteristicIdentifier: CustomStringConvertible {
    /// The UUID and that of the service, such as `2A37 of service 180D`.
    public var description: String { "\(uuid) of service \(service)" }
}
