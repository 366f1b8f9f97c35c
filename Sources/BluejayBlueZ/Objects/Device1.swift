package import BluejayCore
package import BluejayDBus

extension DeviceAddress {
    /// The address of a device that bluetoothd describes.
    package init?(device: ObjectTree.Properties) {
        guard let text = device["Address"]?.text,
            // Before BlueZ 5.51 there is no address type; all devices of then were public.
            let kind = Kind(rawValue: device["AddressType"]?.text ?? "public")
        else { return nil }
        self.init(text, kind: kind)
    }
}

extension ObjectTree {
    /// The device of an address as one adapter sees it.
    ///
    /// The path does not tell the kind of the address, so the properties decide.
    package func device(_ address: DeviceAddress, of adapter: ObjectPath) -> ObjectPath? {
        paths(with: BlueZ.device, below: adapter).first { path in
            properties(path, BlueZ.device).flatMap { DeviceAddress(device: $0) } == address
        }
    }

    /// Whether a device is connected.
    package func isConnected(_ device: ObjectPath) -> Bool {
        value(device, BlueZ.device, "Connected")?.boolean == true
    }

    /// Whether the services of a device are known.
    package func isResolved(_ device: ObjectPath) -> Bool {
        value(device, BlueZ.device, "ServicesResolved")?.boolean == true
    }

    /// The services of a device, in the order of their handles.
    package func services(of device: ObjectPath) -> [GATTService] {
        paths(with: BlueZ.gattService, below: device).compactMap { path in
            guard let uuid = value(path, BlueZ.gattService, "UUID")?.text else { return nil }
            let isPrimary = value(path, BlueZ.gattService, "Primary")?.boolean ?? true
            return GATTService(
                path: path,
                uuid: uuid.lowercased(),
                isPrimary: isPrimary,
                characteristics: characteristics(of: path)
            )
        }
    }

    private func characteristics(of service: ObjectPath) -> [GATTCharacteristic] {
        paths(with: BlueZ.gattCharacteristic, below: service).compactMap { path in
            guard let uuid = value(path, BlueZ.gattCharacteristic, "UUID")?.text else { return nil }
            let flags = value(path, BlueZ.gattCharacteristic, "Flags")?.texts ?? []
            return GATTCharacteristic(
                path: path,
                uuid: uuid.lowercased(),
                flags: Set(flags),
                descriptors: paths(with: BlueZ.gattDescriptor, below: path).compactMap {
                    value($0, BlueZ.gattDescriptor, "UUID")?.text?.lowercased()
                }
            )
        }
    }

    /// The ATT MTU of the link that a characteristic is reached by.
    package func mtu(of characteristic: ObjectPath) -> Int {
        // BlueZ before 5.62 has no `MTU`; 23 is the least that ATT allows.
        value(characteristic, BlueZ.gattCharacteristic, "MTU")?.integer ?? 23
    }
}

/// A service of a connected device.
package struct GATTService: Equatable {
    package var path: ObjectPath
    /// The full text, lower case.
    package var uuid: String
    package var isPrimary: Bool
    package var characteristics: [GATTCharacteristic]
}

/// A characteristic of a connected device.
package struct GATTCharacteristic: Equatable {
    package var path: ObjectPath
    /// The full text, lower case.
    package var uuid: String
    /// The words of `GattCharacteristic1.Flags`.
    package var flags: Set<String>
    /// The UUIDs of the descriptors: the full text, lower case.
    package var descriptors: [String]

    /// Whether the peer sends values by itself.
    package var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
}
