internal import BluejayCore
package import BluejayDBus

/// An index of bluetoothd's objects, so that no lookup scans all of them.
///
/// The first lookup that needs a part builds it. The caller must pass the same objects to every lookup.
struct ObjectIndex {
    typealias Objects = [ObjectPath: ObjectInterfaces]

    /// The paths of the interfaces looked up so far.
    private var byInterface: [String: Set<ObjectPath>] = [:]
    /// The objects below a device, by the path of the device.
    private var byDevice: [ObjectPath: DeviceObjects]?
    private var addresses: AddressIndex?

    mutating func paths(with interface: String, in objects: Objects) -> Set<ObjectPath> {
        if let known = byInterface[interface] { return known }
        var paths: Set<ObjectPath> = []
        for (path, interfaces) in objects where interfaces.has(interface) { paths.insert(path) }
        byInterface[interface] = paths
        return paths
    }

    /// Returns a device's objects with an interface below `root`, sorted by path.
    // `root` must be the device or one of its objects.
    mutating func members(
        of device: ObjectPath,
        with interface: String,
        below root: ObjectPath,
        in objects: Objects
    ) -> [ObjectPath] {
        if byDevice == nil { byDevice = Self.members(objects) }
        return byDevice?[device]?.paths(with: interface, below: root, of: device) ?? []
    }

    private static func members(_ objects: Objects) -> [ObjectPath: DeviceObjects] {
        var found: [ObjectPath: [(ObjectPath, ObjectInterfaces)]] = [:]
        for (path, interfaces) in objects {
            if let device = path.deviceAbove {
                found[device, default: []].append((path, interfaces))
            }
        }
        return found.mapValues { objects in
            var members = DeviceObjects()
            for (path, interfaces) in objects.sorted(by: { $0.0 < $1.0 }) {
                members.insert(path, interfaces.entries)
            }
            return members
        }
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

    /// An object gained interfaces, or its device address changed.
    mutating func added(_ path: ObjectPath, _ entries: [ObjectInterfaces.Entry]) {
        for entry in entries {
            byInterface[entry.name]?.insert(path)
            if entry.name == Device1.interface { addresses?.added(path, entry.properties) }
        }
        guard byDevice != nil, let device = path.deviceAbove else { return }
        byDevice?[device, default: DeviceObjects()].insert(path, entries)
    }

    mutating func removed(_ path: ObjectPath, _ names: [String]) {
        for name in names {
            byInterface[name]?.remove(path)
            if name == Device1.interface { addresses?.removed(path) }
        }
        guard byDevice != nil, let device = path.deviceAbove else { return }
        byDevice?[device]?.remove(path, names)
        if byDevice?[device]?.isEmpty == true { byDevice?[device] = nil }
    }
}

/// The objects below one device by interface, sorted by path.
///
/// Objects usually appear in this order. Those below one of them are adjacent, because no character of a
/// path sorts before the slash.
private struct DeviceObjects {
    private struct Group {
        let interface: String
        var paths: [ObjectPath]
    }

    /// A device has few interfaces, so a list is cheaper than a dictionary.
    private var groups: [Group] = []

    var isEmpty: Bool { groups.isEmpty }

    func paths(with interface: String, below root: ObjectPath, of device: ObjectPath)
        -> [ObjectPath]
    {
        guard let group = groups.first(where: { $0.interface == interface }) else { return [] }
        guard root != device else { return group.paths }
        let start = Self.insertionIndex(of: root, in: group.paths)
        return Array(group.paths[start...].drop { $0 == root }.prefix { $0.isBelow(root) })
    }

    mutating func insert(_ path: ObjectPath, _ entries: [ObjectInterfaces.Entry]) {
        for entry in entries {
            guard let index = groups.firstIndex(where: { $0.interface == entry.name }) else {
                groups.append(Group(interface: entry.name, paths: [path]))
                continue
            }
            let place = Self.insertionIndex(of: path, in: groups[index].paths)
            if place == groups[index].paths.count || groups[index].paths[place] != path {
                groups[index].paths.insert(path, at: place)
            }
        }
    }

    mutating func remove(_ path: ObjectPath, _ names: [String]) {
        for name in names {
            guard let index = groups.firstIndex(where: { $0.interface == name }) else { continue }
            let place = Self.insertionIndex(of: path, in: groups[index].paths)
            guard place < groups[index].paths.count, groups[index].paths[place] == path else {
                continue
            }
            groups[index].paths.remove(at: place)
            if groups[index].paths.isEmpty { groups.remove(at: index) }
        }
    }

    private static func insertionIndex(of path: ObjectPath, in paths: [ObjectPath]) -> Int {
        // A new path usually sorts last.
        guard let last = paths.last, !(last < path) else { return paths.count }
        var lower = 0
        var upper = paths.count - 1
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if paths[middle] < path { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// The devices by adapter and address.
///
/// bluetoothd may briefly report two devices with one address, for example when it resolves the identity of
/// a known device. The device that received the address last counts; of the initial objects, the last in
/// path order.
private struct AddressIndex {
    private struct Key: Hashable {
        let adapter: ObjectPath
        let address: DeviceAddress
    }

    private var byAddress: [Key: ObjectPath] = [:]
    /// Devices whose address another device has received.
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
    /// The device's path, if this is a device or below one: `/org/bluez/hci0/dev_…`.
    package var devicePath: ObjectPath? { first(4) }

    fileprivate var deviceAbove: ObjectPath? {
        devicePath.flatMap { $0 == self ? nil : $0 }
    }
}
