/// Identifies a descriptor by its UUID and its characteristic.
///
/// The `services` of a `Bluejay` list the descriptors of each characteristic.
public struct DescriptorIdentifier: Hashable, Swift.Sendable {
    /// The characteristic that has the descriptor.
    public let characteristic: CharacteristicIdentifier

    /// The UUID of the descriptor.
    public let uuid: BluetoothUUID

    /// The index among the descriptors of the characteristic with the same UUID, in the order of their
    /// handles; 0 is the first.
    ///
    /// A characteristic that aggregates several values has a presentation format for each (Core
    /// Specification, Vol 3, Part G, 3.3.3.6).
    public let instance: Int

    /// Creates an identifier from a UUID and a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the descriptor.
    ///   - characteristic: The characteristic that has the descriptor.
    ///   - instance: The index among the descriptors with the same UUID, from 0.
    public init(
        uuid: BluetoothUUID,
        characteristic: CharacteristicIdentifier,
        instance: Int = 0
    ) {
        self.uuid = uuid
        self.characteristic = characteristic
        self.instance = instance
    }

    /// Creates an identifier from text such as `2901` and a characteristic.
    ///
    /// Never fails: for malformed text, the first call that uses the identifier fails with
    /// ``BluejayError/malformedUUID(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - characteristic: The characteristic that has the descriptor.
    ///   - instance: The index among the descriptors with the same UUID, from 0.
    public init(uuid: String, characteristic: CharacteristicIdentifier, instance: Int = 0) {
        self.init(
            uuid: BluetoothUUID(string: uuid),
            characteristic: characteristic,
            instance: instance
        )
    }

    /// Characteristic User Description, `2901`: text for people, a `String`.
    ///
    /// - Parameter characteristic: The described characteristic.
    /// - Returns: The identifier.
    public static func userDescription(
        of characteristic: CharacteristicIdentifier
    ) -> DescriptorIdentifier {
        DescriptorIdentifier(uuid: BluetoothUUID(uint16: 0x2901), characteristic: characteristic)
    }

    /// Characteristic Presentation Format, `2904`: the format of the value, a ``PresentationFormat``.
    ///
    /// - Parameters:
    ///   - characteristic: The described characteristic.
    ///   - instance: The index, for a characteristic that aggregates several values.
    /// - Returns: The identifier.
    public static func presentationFormat(
        of characteristic: CharacteristicIdentifier,
        instance: Int = 0
    ) -> DescriptorIdentifier {
        DescriptorIdentifier(
            uuid: BluetoothUUID(uint16: 0x2904),
            characteristic: characteristic,
            instance: instance
        )
    }

    /// Client Characteristic Configuration, which `listen` writes.
    package static let clientConfiguration = BluetoothUUID(uint16: 0x2902)

    /// The UUIDs of the descriptor and the characteristic, as log lines name operations.
    package var text: String { "\(uuid.text(instance)) of \(characteristic.text)" }
}

extension DescriptorIdentifier: CustomStringConvertible {
    /// The UUIDs of the descriptor, the characteristic and the service.
    ///
    /// An example is `2901 of 2A37 of service 180D`.
    public var description: String { "\(uuid.text(instance)) of \(characteristic)" }
}
