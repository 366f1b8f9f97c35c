package import BluejayCore
package import BluejayDBus
internal import FoundationEssentials

/// A characteristic of a connected device, from the link's coming up until it vanishes.
package final class RemoteCharacteristic {
    /// Its instance is counted anew when the services change.
    package internal(set) var identifier: CharacteristicIdentifier
    /// What can be done with it.
    package let properties: AttributeProperties
    /// In the order of their handles.
    package let descriptors: [RemoteDescriptor]
    /// Its object; nil for one that bluetoothd keeps to itself.
    package let path: ObjectPath?

    let number: AttributeStateMachine.Attribute
    let route = ValueDispatcher()
    // Made at the first use, and the same each time.
    private(set) lazy var readCall = path.flatMap { GattCharacteristic1.readValue($0) }
    private lazy var request = path.flatMap {
        GattCharacteristic1.writeValue($0, withResponse: true)
    }
    private lazy var command = path.flatMap {
        GattCharacteristic1.writeValue($0, withResponse: false)
    }

    init(
        _ identifier: CharacteristicIdentifier,
        _ number: AttributeStateMachine.Attribute,
        properties: AttributeProperties,
        descriptors: [RemoteDescriptor] = [],
        path: ObjectPath?
    ) {
        self.identifier = identifier
        self.number = number
        self.properties = properties
        self.descriptors = descriptors
        self.path = path
    }

    func writeCall(withResponse: Bool) -> BytesCallTemplate? { withResponse ? request : command }

    /// Whether the peer sends values by itself.
    package var canNotify: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }

    /// A descriptor; of those with one UUID the instance counts.
    package func descriptor(_ uuid: BluetoothUUID, instance: Int) -> RemoteDescriptor? {
        let found = descriptors.filter { $0.uuid == uuid }
        return found.indices.contains(instance) ? found[instance] : nil
    }
}

/// A descriptor of a connected device, from the link's coming up until it vanishes.
package final class RemoteDescriptor {
    package let uuid: BluetoothUUID
    let path: ObjectPath
    /// Its calls wait for each other, and for nobody else's.
    let number: AttributeStateMachine.Attribute

    init(_ uuid: BluetoothUUID, _ number: AttributeStateMachine.Attribute, path: ObjectPath) {
        self.uuid = uuid
        self.number = number
        self.path = path
    }
}

/// A service of a connected device.
package struct RemoteService {
    package let identifier: ServiceIdentifier
    package let isPrimary: Bool
    /// In the order of their handles.
    package let characteristics: [RemoteCharacteristic]
    /// The services that it includes, as far as they have objects.
    package internal(set) var includes: [ServiceIdentifier] = []
    let path: ObjectPath?
}
