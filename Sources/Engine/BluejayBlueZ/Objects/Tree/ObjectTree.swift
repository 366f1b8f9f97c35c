package import BluejayCore
package import BluejayDBus

/// The objects of bluetoothd: path, interface, property.
///
/// The cost of a lookup does not depend on the number of other objects. A program uses one or two of the
/// hundreds of devices that bluetoothd may know, so the interfaces in a `GetManagedObjects` reply are
/// parsed at their first use. The tree retains that message until the next such reply. It skips the
/// interfaces of `org.freedesktop.DBus`.
package struct ObjectTree: Equatable {
    package typealias Properties = [String: BusValue]

    package enum Change: Equatable {
        /// An interface appeared at a path; the tree already has its properties.
        case added(ObjectPath, interface: String)
        case removed(ObjectPath, interface: String)
        /// Properties received values, possibly equal ones, or were invalidated.
        case changed(
            ObjectPath,
            interface: String,
            values: Properties,
            invalidated: [String]
        )

        package var path: ObjectPath {
            switch self {
            case .added(let path, _), .removed(let path, _), .changed(let path, _, _, _): path
            }
        }

        package var interface: String {
            switch self {
            case .added(_, let name), .removed(_, let name), .changed(_, let name, _, _): name
            }
        }
    }

    private var objects: [ObjectPath: ObjectInterfaces] = [:]
    private var index = SharedIndex()

    package init() {}

    /// The properties of an interface, or nil if the path lacks the interface.
    package func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]?.values
    }

    /// One property, or nil if the path, the interface or the property is missing.
    package func value(_ path: ObjectPath, _ interface: String, _ name: String) -> BusValue? {
        objects[path]?[interface]?.values[name]
    }

    /// The paths of the objects with an interface, sorted; a `root` limits them to the paths below it.
    package func paths(with interface: String, below root: ObjectPath? = nil) -> [ObjectPath] {
        guard let root else { return index.value.paths(with: interface, in: objects).sorted() }
        if let device = root.devicePath {
            return index.value.members(of: device, with: interface, below: root, in: objects)
        }
        return index.value.paths(with: interface, in: objects).filter { $0.isBelow(root) }.sorted()
    }

    /// The device with an address on one adapter, by its properties.
    ///
    /// Its path lacks the address type and keeps the old address after pairing.
    package func device(_ address: DeviceAddress, of adapter: ObjectPath) -> ObjectPath? {
        index.value.device(address, of: adapter, in: objects)
    }

    /// Replaces all objects with those of a `GetManagedObjects` reply, an `a{oa{sa{sv}}}`.
    ///
    /// - Parameters:
    ///   - snapshot: A reader at the argument of the reply; another type counts as no objects.
    ///   - isObserved: Whether the caller observes an object; other objects are not compared.
    /// - Returns: The removals, children before their parents; then the additions and changes, parents
    ///   first.
    package mutating func replace(
        with snapshot: BusReader,
        reporting isObserved: (ObjectPath) -> Bool = { _ in true }
    ) -> [Change] {
        var reader = ManagedObjectsParser(.lazy)
        let old = objects
        objects = reader.objects(snapshot)
        index = SharedIndex()
        return Self.removals(from: old, to: objects, isObserved)
            + Self.additions(from: old, to: objects, isObserved)
    }

    package mutating func removeAll() -> [Change] {
        let old = objects
        objects = [:]
        index = SharedIndex()
        return Self.removals(from: old, to: [:]) { _ in true }
    }

    /// Applies `InterfacesAdded`; `content` is a reader at its `a{sa{sv}}`, which is parsed at once.
    package mutating func interfacesAdded(_ path: ObjectPath, _ content: BusReader) -> [Change] {
        var reader = ManagedObjectsParser(.eager)
        let interfaces = reader.interfaces(content)
        guard !interfaces.isEmpty else { return [] }
        objects[path, default: ObjectInterfaces()].merge(interfaces)
        update { $0.added(path, interfaces.entries) }
        return interfaces.sorted.map { .added(path, interface: $0.name) }
    }

    /// Applies `InterfacesRemoved`; unknown interfaces are ignored.
    package mutating func interfacesRemoved(_ path: ObjectPath, _ names: [String]) -> [Change] {
        guard let object = objects.index(forKey: path) else { return [] }
        var removed: [String] = []
        for name in names where objects.values[object].has(name) {
            objects.values[object][name] = nil
            removed.append(name)
        }
        if objects.values[object].isEmpty { objects.remove(at: object) }
        update { $0.removed(path, removed) }
        return removed.map { .removed(path, interface: $0) }
    }

    /// Applies `PropertiesChanged`.
    ///
    /// An unknown path is ignored: its `InterfacesAdded` will carry the values.
    package mutating func propertiesChanged(
        _ path: ObjectPath,
        _ interface: String,
        _ values: Properties,
        invalidated: [String]
    ) -> [Change] {
        let isKnown = modify(path, interface) { properties in
            for (name, value) in values { properties[name] = value }
            for name in invalidated { properties.removeValue(forKey: name) }
        }
        guard isKnown else { return [] }
        if interface == Device1.interface,
            Device1.changesAddress(values, invalidated: invalidated),
            let properties = objects[path]?[interface]
        {
            update {
                $0.added(path, [ObjectInterfaces.Entry(name: interface, properties: properties)])
            }
        }
        return [
            .changed(path, interface: interface, values: values, invalidated: invalidated)
        ]
    }

    /// Applies an advertisement; returns false for an unknown device.
    mutating func advertised(_ path: ObjectPath, _ change: AdvertisementUpdate) -> Bool {
        modify(path, Device1.interface) { change.apply(to: &$0) }
    }

    private mutating func modify(
        _ path: ObjectPath,
        _ interface: String,
        _ change: (inout Properties) -> Void
    ) -> Bool {
        guard let object = objects.index(forKey: path) else { return false }
        return objects.values[object].modify(interface, change)
    }

    /// Applies all properties of one interface, from a `GetAll` reply.
    ///
    /// An empty reply is invalid and removes nothing.
    package mutating func readAll(
        _ path: ObjectPath,
        _ interface: String,
        _ values: Properties
    ) -> [Change] {
        guard !values.isEmpty, let known = properties(path, interface) else { return [] }
        let new = values.filter { known[$0.key] != $0.value }
        let missing = known.keys.filter { values[$0] == nil }.sorted()
        guard !new.isEmpty || !missing.isEmpty else { return [] }
        return propertiesChanged(path, interface, new, invalidated: missing)
    }

    // A changed copy needs a separate index.
    private mutating func update(_ change: (inout ObjectIndex) -> Void) {
        if !isKnownUniquelyReferenced(&index) { index = SharedIndex(index.value) }
        change(&index.value)
    }

    // The objects determine the index.
    package static func == (left: ObjectTree, right: ObjectTree) -> Bool {
        left.objects == right.objects
    }

    // Children first, as bluetoothd removes them.
    private static func removals(
        from old: [ObjectPath: ObjectInterfaces],
        to new: [ObjectPath: ObjectInterfaces],
        _ isObserved: (ObjectPath) -> Bool
    ) -> [Change] {
        var removed: [(path: ObjectPath, names: [String])] = []
        for (path, interfaces) in old where isObserved(path) {
            let current = new[path]
            let names = interfaces.sorted.map(\.name).filter { current?.has($0) != true }
            if !names.isEmpty { removed.append((path, names)) }
        }
        return removed.sorted { $0.path > $1.path }.flatMap { path, names in
            names.map { .removed(path, interface: $0) }
        }
    }

    private static func additions(
        from old: [ObjectPath: ObjectInterfaces],
        to new: [ObjectPath: ObjectInterfaces],
        _ isObserved: (ObjectPath) -> Bool
    ) -> [Change] {
        var changes: [Change] = []
        for path in new.keys.filter({ isObserved($0) && old[$0] != new[$0] }).sorted() {
            let known = old[path]
            for entry in new[path]?.sorted ?? [] {
                guard let known = known?[entry.name] else {
                    changes.append(.added(path, interface: entry.name))
                    continue
                }
                guard known != entry.properties else { continue }
                changes.append(change(path, entry.name, known.values, entry.properties.values))
            }
        }
        return changes
    }

    private static func change(
        _ path: ObjectPath,
        _ interface: String,
        _ old: Properties,
        _ new: Properties
    ) -> Change {
        .changed(
            path,
            interface: interface,
            values: new.filter { old[$0.key] != $0.value },
            invalidated: old.keys.filter { new[$0] == nil }.sorted()
        )
    }
}

/// The index that a tree shares with its unchanged copies, to which every lookup may add.
private final class SharedIndex {
    var value: ObjectIndex

    init(_ value: ObjectIndex = ObjectIndex()) {
        self.value = value
    }
}
