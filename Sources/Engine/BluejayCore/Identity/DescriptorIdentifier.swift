/// Names a descriptor by its UUID and the characteristic it is part of.
///
/// What descriptors a characteristic has stands in the `services` of a `Bluejay`.
public struct DescriptorIdentifier: Hashable, Swift.Sendable {
    /// The characteristic the descriptor is part of.
    public let characteristic: CharacteristicIdentifier

    /// The UUID of the descriptor.
    public let uuid: BluetoothUUID

    /// Which one it is of those of the characteristic that have the UUID, in the order of their handles;
    /// 0 is the first.
    ///
    /// A characteristic that joins several values has a presentation format for each (Core
    /// Specification, Vol 3, Part G, 3.3.3.6).
    public let instance: Int

    /// Makes an identifier from a UUID and a characteristic.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the descriptor.
    ///   - characteristic: The characteristic the descriptor is part of.
    ///   - instance: Which one of those with the UUID, counted from 0.
    public init(
        uuid: BluetoothUUID,
        characteristic: CharacteristicIdentifier,
        instance: Int = 0
    ) {
        self.uuid = uuid
        self.characteristic = characteristic
        self.instance = instance
    }

    /// Makes an identifier from text such as `2901` and a characteristic.
    ///
    /// Never fails: with malformed text the first call that uses the identifier completes with
    /// ``BluejayError/malformedUUID(_:)``.
    ///
    /// - Parameters:
    ///   - uuid: 4, 8 or 36 characters, in either case.
    ///   - characteristic: The characteristic the descriptor is part of.
    ///   - instance: Which one of those with the UUID, counted from 0.
    public init(uuid: String, characteristic: CharacteristicIdentifier, instance: Int = 0) {
        self.init(
            uuid: BluetoothUUID(string: uuid),
            characteristic: characteristic,
            instance: instance
        )
    }

    /// Characteristic User Description, `2901`: text for people, a `String`.
    ///
    /// - Parameter characteristic: What it describes.
    /// - Returns: The identifier.
    public static func userDescription(
        of characteristic: CharacteristicIdentifier
    ) -> DescriptorIdentifier {
        DescriptorIdentifier(uuid: BluetoothUUID(uint16: 0x2901), characteristic: characteristic)
    }

    /// Characteristic Presentation Format, `2904`: how the value is to be read, a
    /// ``PresentationFormat``.
    ///
    /// - Parameters:
    ///   - characteristic: Whose value it is.
    ///   - instance: Which one, of a characteristic that joins several values.
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

    /// The UUID and that of the characteristic, as operations are named.
    package var text: String { "\(uuid.text(instance)) of \(characteristic.text)" }
}

extension DescriptorIdentifier: CustomStringConvertible {
    /// The UUID with those of the characteristic and the service, such as `2901 of 2A37 of service 180D`.
    public var description: String { "\(uuid.text(instance)) of \(characteristic)" }
}
