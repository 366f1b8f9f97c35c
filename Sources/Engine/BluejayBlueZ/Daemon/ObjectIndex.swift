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
    private var byDevice: [ObjectPath: DeviceObjects]?
    private var addresses: AddressIndex?

    /// Who has an interface.
    mutating func paths(with interface: String, in objects: Objects) -> Set<ObjectPath> {
        if let known = byInterface[interface] { return known }
        var paths: Set<ObjectPath> = []
        for (path, interfaces) in objects where interfaces.has(interface) { paths.insert(path) }
        byInterface[interface] = paths
        return paths
    }

    /// The objects of a device that have an interface and lie below `root`, in the order of their paths.
    // `root` is the device or an object of it.
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

    /// An object has interfaces, or has one with another address.
    mutating func added(_ path: ObjectPath, _ entries: [ObjectInterfaces.Entry]) {
        for entry in entries {
            byInterface[entry.name]?.insert(path)
            if entry.name == Device1.interface { addresses?.added(path, entry.properties) }
        }
        guard byDevice != nil, let device = path.deviceAbove else { return }
        byDevice?[device, default: DeviceObjects()].insert(path, entries)
    }

    /// An object has some interfaces no more.
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

/// The objects below one device by their interfaces, in the order of their paths.
///
/// Objects come in that order and go in the other, and those below one of them lie beside each other: a
/// path has no character that is less than the slash.
private struct DeviceObjects {
    private struct Group {
        let interface: String
        var paths: [ObjectPath]
    }

    /// Few, so that a list is cheaper than a dictionary.
    private var groups: [Group] = []

    var isEmpty: Bool { groups.isEmpty }

    func paths(with interface: String, below root: ObjectPath, of device: ObjectPath)
        -> [ObjectPath]
    {
        guard let group = groups.first(where: { $0.interface == interface }) else { return [] }
        guard root != device else { return group.paths }
        let start = Self.place(of: root, in: group.paths)
        return Array(group.paths[start...].drop { $0 == root }.prefix { $0.isBelow(root) })
    }

    mutating func insert(_ path: ObjectPath, _ entries: [ObjectInterfaces.Entry]) {
        for entry in entries {
            guard let index = groups.firstIndex(where: { $0.interface == entry.name }) else {
                groups.append(Group(interface: entry.name, paths: [path]))
                continue
            }
            let place = Self.place(of: path, in: groups[index].paths)
            if place == groups[index].paths.count || groups[index].paths[place] != path {
                groups[index].paths.insert(path, at: place)
            }
        }
    }

    mutating func remove(_ path: ObjectPath, _ names: [String]) {
        for name in names {
            guard let index = groups.firstIndex(where: { $0.interface == name }) else { continue }
            let place = Self.place(of: path, in: groups[index].paths)
            guard place < groups[index].paths.count, groups[index].paths[place] == path else {
                continue
            }
            groups[index].paths.remove(at: place)
            if groups[index].paths.isEmpty { groups.remove(at: index) }
        }
    }

    /// Where a path is, or would be.
    private static func place(of path: ObjectPath, in paths: [ObjectPath]) -> Int {
        // The next one to come is behind all others, nearly always.
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
