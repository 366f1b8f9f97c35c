/// Identifies a GATT characteristic by its UUID and its service, or by its UUID alone.
///
/// If only one characteristic of the peripheral has the UUID, the UUID is enough, also as a literal:
///
/// ```swift
/// let battery: UInt8 = try await bluejay.read(from: "2A19")
/// ```
///
/// If several have it, the call fails with ``BluejayError/ambiguousCharacteristic(_:)``, which lists them.
public struct CharacteristicIdentifier: Hashable, Swift.Sendable {
    /// The service that contains the characteristic.
    ///
    /// In an identifier from a UUID alone it is `any service`, which no peripheral has. Values, errors and
    /// `services` have the identifier with the service.
    public let service: ServiceIdentifier

    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID

    /// The index among the characteristics of the service with the same UUID, in the order of their
    /// handles; 0 is the first.
    ///
    /// It distinguishes the reports of a keyboard, for example (HID over GATT 1.0, 3.1). The `services`
    /// of a `Bluejay` list all instances; a call with any other index fails as for a missing
    /// characteristic. If the services change, the instances are renumbered.
    public let instance: Int

    /// Creates an identifier from a UUID and a service.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - service: The service that contains the characteristic.
    ///   - instance: The index among the characteristics with the same UUID, from 0.
    public init(uuid: BluetoothUUID, service: ServiceIdentifier, instance: Int = 0) {
        self.uuid = uuid
        self.service = service
        self.instance = instance
    }

    /// Creates an identifier from text such as `2A37` and a service.
    ///
    /// Never fails: for malformed text, the first call that uses the identifier fails with
    /// ``BluejayError/malformedUUID(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - service: The service that contains the characteristic.
    ///   - instance: The index among the characteristics with the same UUID, from 0.
    public init(uuid: String, service: ServiceIdentifier, instance: Int = 0) {
        self.init(uuid: BluetoothUUID(string: uuid), service: service, instance: instance)
    }

    /// Creates an identifier from a UUID that only one characteristic of the peripheral has.
    public init(uuid: BluetoothUUID) {
        self.init(uuid: uuid, service: .any)
    }

    /// Creates an identifier from text such as `FFE1`, a UUID that only one characteristic of the peripheral
    /// has.
    ///
    /// Never fails, like the form with a service.
    ///
    /// - Parameter uuid: 4, 8 or 36 characters, in either case.
    public init(uuid: String) {
        self.init(uuid: BluetoothUUID(string: uuid))
    }

    /// Creates an identifier from text and a service, and throws if either is malformed.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - service: The service that contains the characteristic.
    ///   - instance: The index among the characteristics with the same UUID, from 0.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating uuid: String, service: ServiceIdentifier, instance: Int = 0) throws {
        self.init(
            uuid: try BluetoothUUID(validating: uuid),
            service: try service.validated(),
            instance: instance
        )
    }

    /// Returns this identifier, or throws if its UUID or that of its service is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``, for the service first.
    @discardableResult
    public func validated() throws -> CharacteristicIdentifier {
        try service.validated()
        try uuid.validated()
        return self
    }

    /// Hashes the UUIDs only, because nearly all instances are 0 and every read hashes an identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(uuid)
    }

    /// The UUID, followed by the instance if that is not 0.
    package var text: String { uuid.text(instance) }
}

extension CharacteristicIdentifier: ExpressibleByStringLiteral {
    /// Creates an identifier from a literal such as `"FFE1"`, like ``init(uuid:)-(String)``.
    public init(stringLiteral text: String) {
        self.init(uuid: text)
    }
}

extension CharacteristicIdentifier: CustomStringConvertible {
    /// The UUIDs of the characteristic and the service, such as `2A37 of service 180D`.
    ///
    /// With an instance it is `2A4D instance 1 of service 1812`, and without a service `2A37`.
    public var description: String { service.isAny ? text : "\(text) of service \(service)" }
}
