package import BluejayCore
package import BluejayDBus
internal import FoundationEssentials

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

    /// Reads the whole value; the reply is one `ay`.
    static func readValue(_ descriptor: ObjectPath) -> CallTemplate? {
        try? CallTemplate(
            MethodCall(to: BlueZ.service, at: descriptor, interface, "ReadValue", [.properties([])])
        )
    }

    /// Writes the whole value, in parts if it is longer than the MTU less 3.
    static func writeValue(_ descriptor: ObjectPath, _ value: Data) -> CallTemplate? {
        let arguments: [BusValue] = [.bytes(Array(value)), .properties([])]
        return try? CallTemplate(
            MethodCall(to: BlueZ.service, at: descriptor, interface, "WriteValue", arguments)
        )
    }
}

/// A descriptor of a characteristic of a connected device.
package struct DiscoveredDescriptor: Equatable {
    package var path: ObjectPath
    package var uuid: BluetoothUUID
}

extension ObjectTree {
    /// The descriptors of a characteristic, in the order of their handles.
    func descriptors(of characteristic: ObjectPath) -> [DiscoveredDescriptor] {
        paths(with: GattDescriptor1.interface, below: characteristic).compactMap { path in
            properties(path, GattDescriptor1.interface)
                .flatMap { GattDescriptor1($0).uuid }
                .map { DiscoveredDescriptor(path: path, uuid: $0) }
        }
    }
}

/// `org.bluez.GattDescriptor1`, as exported to bluetoothd.
enum ExportedGattDescriptor1 {
    static func busInterface(
        _ descriptor: ExportedDescriptor,
        characteristic: ObjectPath
    ) -> BusInterface {
        let (uuid, flags) = (descriptor.uuid, descriptor.flags)
        return BusInterface(
            GattDescriptor1.interface,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Characteristic", "o", get: { .objectPath(characteristic) }),
                BusProperty("Flags", "as", get: { .strings(flags) }),
            ],
            methods: AttributeRequest.methods(descriptor.handler)
        )
    }
}
