internal import BluejayBlueZ

/// The name that ``AttributeProperties`` has for those of a connected peripheral.
public typealias CharacteristicProperties = AttributeProperties

/// A characteristic that a connected peripheral has.
public struct PeripheralCharacteristic: Hashable, Swift.Sendable {
    /// What to read, write or listen to.
    public let identifier: CharacteristicIdentifier

    /// What can be done with it.
    public let properties: CharacteristicProperties

    /// The UUIDs of its descriptors, in the order of their handles.
    public let descriptors: [BluetoothUUID]

    /// What to read or write of its descriptors, in the order of their handles.
    public var descriptorIdentifiers: [DescriptorIdentifier] {
        descriptors.indices.map { place in
            DescriptorIdentifier(
                uuid: descriptors[place],
                characteristic: identifier,
                instance: descriptors[..<place].count { $0 == descriptors[place] }
            )
        }
    }
}

/// A service that a connected peripheral has.
public struct PeripheralService: Hashable, Swift.Sendable {
    /// Which service it is; instances of one service are told apart by their order.
    public let identifier: ServiceIdentifier

    /// Whether it is a primary service, rather than one that others include.
    public let isPrimary: Bool

    /// Its characteristics, in the order of their handles.
    public let characteristics: [PeripheralCharacteristic]

    /// The services that it includes, in the order of their declarations.
    ///
    /// One that bluetoothd keeps to itself is not among them.
    public let includedServices: [ServiceIdentifier]
}

extension Bluejay {
    /// The services of the connected peripheral, in the order of their handles.
    ///
    /// Known from `connected(to:)` on, without radio traffic, and kept up to date; empty while no
    /// peripheral is connected. bluetoothd keeps the service Generic Access to itself.
    /// ``BluetoothUUID/standardName`` names the standard ones.
    public var services: [PeripheralService] {
        state(otherwise: [], published: \.services) {
            $0.queue.isConnected ? $0.link.services : []
        }
    }
}

extension PeripheralService {
    init(_ service: RemoteService) {
        identifier = service.identifier
        isPrimary = service.isPrimary
        characteristics = service.characteristics.map { characteristic in
            PeripheralCharacteristic(
                identifier: characteristic.identifier,
                properties: characteristic.properties,
                descriptors: characteristic.descriptors.map(\.uuid)
            )
        }
        includedServices = service.includes
    }
}
