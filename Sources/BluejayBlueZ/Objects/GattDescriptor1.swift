package import BluejayCore
internal import BluejayDBus

/// `org.bluez.GattDescriptor1`: a descriptor of a characteristic.
package struct GattDescriptor1 {
    package static let interface = "org.bluez.GattDescriptor1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    package var uuid: BluetoothUUID? {
        properties["UUID"]?.text.map { BluetoothUUID(string: $0) }
    }
}
