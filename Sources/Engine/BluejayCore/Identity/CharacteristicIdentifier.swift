/// Names a GATT characteristic by its UUID and the service it is part of.
public struct CharacteristicIdentifier: Hashable, Swift.Sendable {
    /// The service the characteristic is part of.
    public let service: ServiceIdentifier

    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID

    /// Which one it is of those in the service that have the UUID, in the order of their handles; 0 is
    /// the first.
    ///
    /// Reports of a keyboard (HID over GATT 1.0, 3.1) are told apart by it. What there is stands in the
    /// `services` of a `Bluejay`; one that is not there is a missing characteristic. When the services
    /// change they are counted anew.
    public let instance: Int

    /// Makes an identifier from a UUID and a service.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - service: The service the characteristic is part of.
    ///   - instance: Which one of those with the UUID, counted from 0.
    public init(uuid: BluetoothUUID, service: ServiceIdentifier, instance: Int = 0) {
        self.uuid = uuid
        self.service = service
        self.instance = instance
    }

    /// Makes an identifier from text such as `2A37` and a service.
    ///
    /// Never fails: with malformed text the first call that uses the identifier completes with
    /// ``BluejayError/malformedUUID(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - service: The service the characteristic is part of.
    ///   - instance: Which one of those with the UUID, counted from 0.
    public init(uuid: String, service: ServiceIdentifier, instance: Int = 0) {
        self.init(uuid: BluetoothUUID(string: uuid), service: service, instance: instance)
    }

    /// Makes an identifier from text and a service and refuses what is no UUID.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - service: The service the characteristic is part of; it must be well formed too.
    ///   - instance: Which one of those with the UUID, counted from 0.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating uuid: String, service: ServiceIdentifier, instance: Int = 0) throws {
        self.init(
            uuid: try BluetoothUUID(validating: uuid),
            service: try service.validated(),
            instance: instance
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

    /// Feeds the UUIDs alone: nearly all instances are the first, and every read looks one up.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(uuid)
    }

    /// The UUID, with the instance when that is not the first.
    package var text: String { uuid.text(instance) }
}

extension CharacteristicIdentifier: CustomStringConvertible {
    /// The UUID and that of the service, such as `2A37 of service 180D`, or `2A4D instance 1 of service
    /// 1812`.
    public var description: String { "\(text) of service \(service)" }
}
