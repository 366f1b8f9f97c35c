package import BluejayCore
package import BluejayDBus
internal import Foundation

/// A characteristic of a connected device, from the link's coming up until it vanishes.
package final class RemoteCharacteristic {
    package let identifier: CharacteristicIdentifier
    /// What can be done with it.
    package let properties: AttributeProperties
    /// The UUIDs of its descriptors, in the order of their handles.
    package let descriptors: [BluetoothUUID]
    /// Its object; nil for one that bluetoothd keeps to itself.
    package let path: ObjectPath?

    let number: AttributeMachine.Attribute
    let route = ValueRoute()
    // Made at the first use, and the same each time.
    private(set) lazy var readCall = path.flatMap { GattCharacteristic1.readValue($0) }
    private(set) lazy var writeCall = path.flatMap { GattCharacteristic1.writeValue($0) }

    init(
        _ identifier: CharacteristicIdentifier,
        _ number: AttributeMachine.Attribute,
        properties: AttributeProperties,
        descriptors: [BluetoothUUID] = [],
        path: ObjectPath?
    ) {
        self.identifier = identifier
        self.number = number
        self.properties = properties
        self.descriptors = descriptors
        self.path = path
    }

    /// Whether the peer sends values by itself.
    package var canNotify: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

/// A service of a connected device.
package struct RemoteService {
    package let identifier: ServiceIdentifier
    package let isPrimary: Bool
    /// In the order of their handles.
    package let characteristics: [RemoteCharacteristic]
    let path: ObjectPath?
}
