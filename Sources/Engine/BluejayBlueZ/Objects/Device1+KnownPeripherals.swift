package import BluejayCore
package import BluejayDBus

// The known devices of an adapter as users see them.

extension ObjectTree {
    /// The devices that an adapter knows, in the order of their paths.
    package func knownPeripherals(of adapter: ObjectPath) -> [KnownPeripheral] {
        paths(with: Device1.interface, below: adapter).compactMap { path in
            properties(path, Device1.interface).flatMap { KnownPeripheral($0) }
        }
    }
}

extension KnownPeripheral {
    init?(_ properties: ObjectTree.Properties) {
        let device = Device1(properties)
        guard let address = device.address else { return nil }
        self.init(PeripheralIdentifier(address: address, name: device.name))
        isPaired = device.isPaired
        // `Bonded` exists since BlueZ 5.65.
        isBonded = device.isBonded ?? isPaired
        isTrusted = device.isTrusted
        isConnected = device.isConnected
        rssi = device.rssi
        services = device.uuids.map { ServiceIdentifier(uuid: $0) }
    }
}
