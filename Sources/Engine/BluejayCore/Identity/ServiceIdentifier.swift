/// Names a GATT service by its UUID.
///
/// A type of its own, so that a service cannot be given where a characteristic is expected.
public struct ServiceIdentifier: Hashable, Swift.Sendable {
    /// The UUID of the service.
    public let uuid: BluetoothUUID

    /// Which one it is of the peripheral's services that have the UUID, in the order of their handles; 0
    /// is the first.
    ///
    /// In a scan it means nothing. When the services change they are counted anew.
    public let instance: Int

    /// Makes an identifier from a UUID.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the service.
    ///   - instance: Which one of those with the UUID, counted from 0.
    public init(uuid: BluetoothUUID, instance: Int = 0) {
        self.uuid = uuid
        self.instance = instance
    }

    /// Makes an identifier from text such as `180D`.
    ///
    /// Never fails: with malformed text the first call that uses the identifier completes with
    /// ``BluejayError/malformedUUID(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - instance: Which one of those with the UUID, counted from 0.
    public init(uuid: String, instance: Int = 0) {
        self.init(uuid: BluetoothUUID(string: uuid), instance: instance)
    }

    /// Makes an identifier from text and refuses what is no UUID.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - instance: Which one of those with the UUID, counted from 0.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating uuid: String, instance: Int = 0) throws {
        self.init(uuid: try BluetoothUUID(validating: uuid), instance: instance)
    }

    /// Returns this identifier, or throws when its UUID is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> ServiceIdentifier {
        try uuid.validated()
        return self
    }

    /// Feeds the UUID alone: nearly all instances are the first, and every read looks one up.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
    }
}

extension ServiceIdentifier: CustomStringConvertible {
    /// The shortest text of the UUID, such as `180D`, or `180D instance 1`.
    public var description: String { uuid.text(instance) }
}

extension BluetoothUUID {
    /// The shortest text, with the instance when that is not the first.
    package func text(_ instance: Int) -> String {
        instance == 0 ? uuidString : "\(uuidString) instance \(instance)"
    }
}
