package import BluejayCore
package import BluejayDBus

/// `org.bluez.GattService1`: a service of a device.
package struct GattService1 {
    package static let interface = "org.bluez.GattService1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    package var uuid: BluetoothUUID? {
        properties["UUID"]?.text.map { BluetoothUUID(string: $0) }
    }

    package var isPrimary: Bool { properties["Primary"]?.boolean ?? true }

    /// The objects of the included services, which bluetoothd may report after all other objects.
    package var includes: [ObjectPath] {
        (properties["Includes"]?.elements ?? []).compactMap(\.path)
    }
}

/// A service of a connected device.
package struct DiscoveredService: Equatable {
    package var path: ObjectPath
    package var uuid: BluetoothUUID
    package var isPrimary: Bool
    package var includes: [ObjectPath] = []
    /// In the order of their handles.
    package var characteristics: [DiscoveredCharacteristic]
}

extension ObjectTree {
    /// The services of a device, in the order of their handles.
    ///
    /// Object names contain the handles, so sorting by path sorts by handle.
    package func services(of device: ObjectPath) -> [DiscoveredService] {
        paths(with: GattService1.interface, below: device).compactMap { path in
            guard let properties = properties(path, GattService1.interface),
                let uuid = GattService1(properties).uuid
            else { return nil }
            return DiscoveredService(
                path: path,
                uuid: uuid,
                isPrimary: GattService1(properties).isPrimary,
                includes: GattService1(properties).includes,
                characteristics: characteristics(of: path)
            )
        }
    }

    func serviceUUIDs(of device: ObjectPath) -> Set<BluetoothUUID> {
        Set(
            paths(with: GattService1.interface, below: device).compactMap { path in
                properties(path, GattService1.interface).flatMap { GattService1($0).uuid }
            }
        )
    }

    package func hasServices(_ device: ObjectPath) -> Bool {
        !paths(with: GattService1.interface, below: device).isEmpty
    }
}

/// `org.bluez.GattService1`, as exported to bluetoothd.
enum ExportedGattService1 {
    static func busInterface(uuid: String, isPrimary: Bool) -> BusInterface {
        BusInterface(
            GattService1.interface,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Primary", "b", get: { .boolean(isPrimary) }),
            ]
        )
    }
}
