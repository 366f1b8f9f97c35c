/// Identifies a GATT service by its UUID.
///
/// A separate type, so that a service cannot be passed where a characteristic is expected.
public struct ServiceIdentifier: Hashable, Swift.Sendable {
    /// The UUID of the service.
    public let uuid: BluetoothUUID

    /// The index among the peripheral's services with the same UUID, in the order of their handles; 0 is
    /// the first.
    ///
    /// Scans ignore it. If the services change, the instances are renumbered.
    public let instance: Int

    /// Creates an identifier from a UUID.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the service.
    ///   - instance: The index among the services with the same UUID, from 0.
    public init(uuid: BluetoothUUID, instance: Int = 0) {
        self.uuid = uuid
        self.instance = instance
    }

    /// Creates an identifier from text such as `180D`.
    ///
    /// Never fails: for malformed text, the first call that uses the identifier fails with
    /// ``BluejayError/malformedUUID(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - instance: The index among the services with the same UUID, from 0.
    public init(uuid: String, instance: Int = 0) {
        self.init(uuid: BluetoothUUID(string: uuid), instance: instance)
    }

    /// Creates an identifier from text, and throws for text that is not a UUID.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - instance: The index among the services with the same UUID, from 0.
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    public init(validating uuid: String, instance: Int = 0) throws {
        self.init(uuid: try BluetoothUUID(validating: uuid), instance: instance)
    }

    /// Returns this identifier, or throws if its UUID is malformed.
    ///
    /// - Throws: ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> ServiceIdentifier {
        try uuid.validated()
        return self
    }

    /// Hashes the UUID only, because nearly all instances are 0 and every read hashes an identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
    }
}

extension ServiceIdentifier: ExpressibleByStringLiteral {
    /// Creates an identifier from a literal such as `"180D"`, like ``init(uuid:instance:)``.
    public init(stringLiteral text: String) {
        self.init(uuid: text)
    }
}

extension ServiceIdentifier {
    /// The service of a characteristic that is identified by its UUID alone; no peripheral has it.
    package static let any = ServiceIdentifier(uuid: BluetoothUUID(uint32: 0), instance: -1)

    package var isAny: Bool { instance == -1 }
}

extension ServiceIdentifier: CustomStringConvertible {
    /// The shortest text of the UUID, such as `180D`, or `180D instance 1`.
    public var description: String { isAny ? "any service" : uuid.text(instance) }
}

extension BluetoothUUID {
    /// The shortest text, followed by the instance if that is not 0.
    package func text(_ instance: Int) -> String {
        instance == 0 ? uuidString : "\(uuidString) instance \(instance)"
    }
}
