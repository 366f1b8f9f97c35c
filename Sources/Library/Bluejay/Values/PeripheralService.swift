internal import BluejayBlueZ

/// The properties of a characteristic of a connected peripheral.
public typealias CharacteristicProperties = AttributeProperties

/// A characteristic of a connected peripheral.
public struct PeripheralCharacteristic: Hashable, Swift.Sendable {
    /// The identifier for reads, writes and listens.
    public let identifier: CharacteristicIdentifier

    /// The operations that the characteristic supports.
    public let properties: CharacteristicProperties

    /// The UUIDs of its descriptors, in the order of their handles.
    public let descriptors: [BluetoothUUID]

    /// The identifiers for reads and writes of its descriptors, in the order of their handles.
    public var descriptorIdentifiers: [DescriptorIdentifier] {
        descriptors.indices.map { index in
            DescriptorIdentifier(
                uuid: descriptors[index],
                characteristic: identifier,
                instance: descriptors[..<index].count { $0 == descriptors[index] }
            )
        }
    }
}

/// A service of a connected peripheral.
public struct PeripheralService: Hashable, Swift.Sendable {
    /// The identifier of the service; several instances of one service are distinguished by their order.
    public let identifier: ServiceIdentifier

    /// Whether the service is primary, instead of included by other services.
    public let isPrimary: Bool

    /// Its characteristics, in the order of their handles.
    public let characteristics: [PeripheralCharacteristic]

    /// The included services, in the order of their declarations.
    ///
    /// Services that bluetoothd hides are omitted.
    public let includedServices: [ServiceIdentifier]
}

extension PeripheralCharacteristic {
    init(_ characteristic: RemoteCharacteristic) {
        identifier = characteristic.identifier
        properties = characteristic.properties
        descriptors = characteristic.descriptors.map(\.uuid)
    }
}

extension PeripheralService {
    init(_ service: RemoteService) {
        identifier = service.identifier
        isPrimary = service.isPrimary
        characteristics = service.characteristics.map { PeripheralCharacteristic($0) }
        includedServices = service.includes
    }
}
