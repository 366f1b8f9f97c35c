internal import BluejayCore
package import BluejayDBus

/// Where to look in the object tree, so that no question walks through all of it.
struct ObjectIndex: Equatable {
    private struct AddressKey: Hashable {
        let adapter: ObjectPath
        let address: DeviceAddress
    }

    private var byInterface: [String: Set<ObjectPath>] = [:]
    /// The objects below a device, by the path of the device.
    private var byDevice: [ObjectPath: Set<ObjectPath>] = [:]
    private var byAddress: [AddressKey: ObjectPath] = [:]
    private var addresses: [ObjectPath: AddressKey] = [:]

    func paths(with interface: String) -> Set<ObjectPath> { byInterface[interface] ?? [] }

    /// Whether a path is that of a device or lies below one.
    func isOfDevice(_ path: ObjectPath) -> Bool { path.devicePath != nil }

    /// The objects of the device that `path` is or belongs to.
    func members(_ path: ObjectPath) -> Set<ObjectPath> {
        path.devicePath.flatMap { byDevice[$0] } ?? []
    }

    func device(_ address: DeviceAddress, of adapter: ObjectPath) -> ObjectPath? {
        byAddress[AddressKey(adapter: adapter, address: address)]
    }

    mutating func added(_ path: ObjectPath, _ interface: String, _ properties: [String: BusValue]) {
        byInterface[interface, default: []].insert(path)
        if let device = path.devicePath, device != path {
            byDevice[device, default: []].insert(path)
        }
        guard interface == Device1.interface, let adapter = path.parent else { return }
        forgetAddress(path)
        guard let address = DeviceAddress(device: properties) else { return }
        let key = AddressKey(adapter: adapter, address: address)
        byAddress[key] = path
        addresses[path] = key
    }

    mutating func removed(_ path: ObjectPath, _ interface: String) {
        byInterface[interface]?.remove(path)
        if byInterface[interface]?.isEmpty == true { byInterface[interface] = nil }
        if interface == Device1.interface { forgetAddress(path) }
        // A path of a device's object has few interfaces; the set is exact when the last has gone.
        guard let device = path.devicePath, device != path,
            !byInterface.values.contains(where: { $0.contains(path) })
        else { return }
        byDevice[device]?.remove(path)
        if byDevice[device]?.isEmpty == true { byDevice[device] = nil }
    }

    private mutating func forgetAddress(_ path: ObjectPath) {
        guard let key = addresses.removeValue(forKey: path) else { return }
        if byAddress[key] == path { byAddress[key] = nil }
    }
}

extension ObjectPath {
    /// The path of the device that this is, or that this belongs to: `/org/bluez/hci0/dev_…`.
    package var devicePath: ObjectPath? { first(4) }
}
