/// Names a GATT service by its UUID.
///
/// A type of its own, so that a service cannot be given where a characteristic is expected.
public struct ServiceIdentifier: Hashable, Swift.Sendable {
    /// The UUID of the service.
    public let uuid: BluetoothUUID

    /// Makes an identifier from a UUID.
    public init(uuid: BluetoothUUID) {
        self.uuid = uuid
    }

    /// Makes an identifier from text such as `180D`.
    ///
    /// Never fails: with malformed text the first call that uses the identifier completes with
    /// ``BluejayError/malformedUUID(_:)``.
    public init(uuid: String) {
        self.init(uuid: BluetoothUUID(string: uuid))
    }

    /// Makes an identifier from text and refuses what is no UUID.
    ///
    /// - Parameter uuid: 4, 8 or 36 characters, in either case.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating uuid: String) throws {
        self.init(uuid: try BluetoothUUID(validating: uuid))
    }

    /// Returns this identifier, or throws when its UUID is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> ServiceIdentifier {
        try uuid.validated()
        return self
    }
}

extension ServiceIdentifier: CustomStringConvertible {
    /// The shortest text of the UUID, such as `180D`.
    public var description: String { uuid.uuidString }
}
