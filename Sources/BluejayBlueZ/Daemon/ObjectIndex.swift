internal import BluejayCore
package import BluejayDBus

/// Where to look in the objects of bluetoothd, so that no question walks through all of them.
///
/// Each part is made by the first question that needs it, and kept up to date from then on. It is a
/// function of the objects: the same ones are to be given to each question.
struct ObjectIndex {
    typealias Objects = [ObjectPath: ObjectInterfaces]

    /// Of the interfaces that were asked for.
    private var byInterface: [String: Set<ObjectPath>] = [:]
    /// The objects below a device, by the path of the device.
    private var byDevice: [ObjectPath: Set<ObjectPath>]?
    private var addresses: AddressIndex?

    /// Who has an interface.
    mutating func paths(with interface: String, in objects: Objects) -> Set<ObjectPath> {
        if let known = byInterface[interface] { return known }
        var paths: Set<ObjectPath> = []
        for (path, interfaces) in objects where interfaces.has(interface) { paths.insert(path) }
        byInterface[interface] = paths
        return paths
    }

    /// Whether a path is that of a device or lies below one.
    static func isOfDevice(_ path: ObjectPath) -> Bool { path.devicePath != nil }

    /// The objects below the device that `path` is or belongs to.
    mutating func members(_ path: ObjectPath, in objects: Objects) -> Set<ObjectPath> {
        guard let device = path.devicePath else { return [] }
        if let byDevice { return byDevice[device] ?? [] }
        var byDevice: [ObjectPath: Set<ObjectPath>] = [:]
        for path in objects.keys {
            if let device = path.deviceAbove { byDevice[device, default: []].insert(path) }
        }
        self.byDevice = byDevice
        return byDevice[device] ?? []
    }

    mutating func device(
        _ address: DeviceAddress,
        of adapter: ObjectPath,
        in objects: Objects
    ) -> ObjectPath? {
        if let addresses { return addresses.device(address, of: adapter) }
        let made = AddressIndex(objects)
        addresses = made
        return made.device(address, of: adapter)
    }

    /// An object has an interface, or has it with another address.
    mutating func added(
        _ path: ObjectPath,
        _ interface: String,
        _ properties: InterfaceProperties
    ) {
        byInterface[interface]?.insert(path)
        if let device = path.deviceAbove { byDevice?[device, default: []].insert(path) }
        if interface == Device1.interface { addresses?.added(path, properties) }
    }

    /// An object has an interface no more; `isLast` when it had no other.
    mutating func removed(_ path: ObjectPath, _ interface: String, isLast: Bool) {
        byInterface[interface]?.remove(path)
        if interface == Device1.interface { addresses?.removed(path) }
        guard isLast, let device = path.deviceAbove else { return }
        byDevice?[device]?.remove(path)
        if byDevice?[device]?.isEmpty == true { byDevice?[device] = nil }
    }
}

/// The devices by their adapter and address.
///
/// bluetoothd may tell of two with one address for a moment, as when it learns who a device is that it
/// knows already. It is then the one that got it last; of those that were there at first, the last in the
/// order of the paths.
private struct AddressIndex {
    private struct Key: Hashable {
        let adapter: ObjectPath
        let address: DeviceAddress
    }

    private var byAddress: [Key: ObjectPath] = [:]
    /// Those whose address another one has got.
    private var others: [Key: [ObjectPath]] = [:]
    private var keys: [ObjectPath: Key] = [:]

    init(_ objects: ObjectIndex.Objects) {
        byAddress.reserveCapacity(objects.count)
        keys.reserveCapacity(objects.count)
        for (path, interfaces) in objects {
            if let properties = interfaces[Device1.interface] { added(path, properties) }
        }
        for (key, paths) in others {
            let sorted = (paths + (byAddress[key].map { [$0] } ?? [])).sorted()
            byAddress[key] = sorted.last
            others[key] = sorted.dropLast()
        }
    }

    func device(_ address: DeviceAddress, of adapter: ObjectPath) -> ObjectPath? {
        byAddress[Key(adapter: adapter, address: address)]
    }

    mutating func added(_ path: ObjectPath, _ properties: InterfaceProperties) {
        removed(path)
        guard let adapter = path.parent, let address = properties.address else { return }
        let key = Key(adapter: adapter, address: address)
        if let other = byAddress.updateValue(path, forKey: key) {
            others[key, default: []].append(other)
        }
        keys[path] = key
    }

    mutating func removed(_ path: ObjectPath) {
        guard let key = keys.removeValue(forKey: path) else { return }
        if byAddress[key] == path {
            byAddress[key] = others[key]?.popLast()
        } else {
            others[key]?.removeAll { $0 == path }
        }
        if others[key]?.isEmpty == true { others[key] = nil }
    }
}

extension ObjectPath {
    /// The path of the device that this is, or that this belongs to: `/org/bluez/hci0/dev_…`.
    package var devicePath: ObjectPath? { first(4) }

    /// The path of the device below which this lies.
    fileprivate var deviceAbove: ObjectPath? {
        devicePath.flatMap { $0 == self ? nil : $0 }
    }
}
