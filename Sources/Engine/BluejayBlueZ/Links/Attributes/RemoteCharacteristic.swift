package import BluejayCore
package import BluejayDBus
internal import FoundationEssentials

/// A characteristic of a connected device, from the start of the link until its removal.
package final class RemoteCharacteristic {
    /// The identifier; its instance may change when the services change.
    package internal(set) var identifier: CharacteristicIdentifier
    package let properties: AttributeProperties
    /// The descriptors in the order of their handles.
    package let descriptors: [RemoteDescriptor]
    /// The path of its object; nil for a characteristic that bluetoothd hides.
    package let path: ObjectPath?

    let id: AttributeStateMachine.AttributeID
    let dispatcher = ValueDispatcher()
    // Created at the first use and reused.
    private(set) lazy var readCall = path.flatMap { GattCharacteristic1.readValue($0) }
    private lazy var request = path.flatMap {
        GattCharacteristic1.writeValue($0, withResponse: true)
    }
    private lazy var command = path.flatMap {
        GattCharacteristic1.writeValue($0, withResponse: false)
    }

    init(
        _ identifier: CharacteristicIdentifier,
        _ id: AttributeStateMachine.AttributeID,
        properties: AttributeProperties,
        descriptors: [RemoteDescriptor] = [],
        path: ObjectPath?
    ) {
        self.identifier = identifier
        self.id = id
        self.properties = properties
        self.descriptors = descriptors
        self.path = path
    }

    func writeCall(withResponse: Bool) -> BytesCallTemplate? { withResponse ? request : command }

    /// Whether the characteristic has a property that permits writes.
    package var canWrite: Bool { !properties.isDisjoint(with: .writable) }
    package var canNotify: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }

    /// The handle of the declaration; nil for a characteristic that bluetoothd hides.
    package var handle: UInt16? { path?.attributeHandle }

    /// A descriptor; `instance` selects one of several with the same UUID.
    package func descriptor(_ uuid: BluetoothUUID, instance: Int) -> RemoteDescriptor? {
        let found = descriptors.filter { $0.uuid == uuid }
        return found.indices.contains(instance) ? found[instance] : nil
    }
}

/// A descriptor of a connected device, from the start of the link until its removal.
package final class RemoteDescriptor {
    package let uuid: BluetoothUUID
    let path: ObjectPath
    let id: AttributeStateMachine.AttributeID

    init(_ uuid: BluetoothUUID, _ id: AttributeStateMachine.AttributeID, path: ObjectPath) {
        self.uuid = uuid
        self.id = id
        self.path = path
    }

    package var handle: UInt16? { path.attributeHandle }
}

package struct RemoteService {
    package let identifier: ServiceIdentifier
    package let isPrimary: Bool
    /// The characteristics in the order of their handles.
    package let characteristics: [RemoteCharacteristic]
    /// The included services that have objects.
    package internal(set) var includes: [ServiceIdentifier] = []
    let path: ObjectPath?

    /// The handle of the declaration; nil for a service that bluetoothd hides.
    package var handle: UInt16? { path?.attributeHandle }
}

extension ObjectPath {
    /// The handle at the end of an attribute's path, such as 0x0029 in `…/service0028/char0029`.
    fileprivate var attributeHandle: UInt16? {
        let digits = name.utf8.suffix(4)
        return digits.count == 4 ? UInt16(String(Substring(digits)), radix: 16) : nil
    }
}
