package import BluejayCore
package import BluejayDBus

/// A device, identified by its adapter and address.
package struct DeviceKey: Hashable {
    package var adapter: ObjectPath
    package var address: DeviceAddress

    package init(adapter: ObjectPath, address: DeviceAddress) {
        self.adapter = adapter
        self.address = address
    }
}

extension ObjectTree {
    func deviceKey(_ path: ObjectPath) -> DeviceKey? {
        guard let adapter = path.parent, let address = device(at: path)?.address else { return nil }
        return DeviceKey(adapter: adapter, address: address)
    }
}
