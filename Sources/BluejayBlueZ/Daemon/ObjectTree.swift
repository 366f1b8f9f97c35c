package import BluejayCore
package import BluejayDBus

/// What bluetoothd has told of its objects: path, interface, property.
///
/// A plain value: it applies what came and says what changed. Finding the adapters, a device by its
/// address and the objects of one device costs the same however many others there are.
package struct ObjectTree: Equatable {
    /// The properties of one interface by name.
    package typealias Properties = [String: BusValue]

    /// One difference that a message made.
    package enum Change: Equatable {
        /// An interface appeared at a path, with the properties that the tree holds now.
        case added(ObjectPath, interface: String)
        /// An interface went away.
        case removed(ObjectPath, interface: String)
        /// Properties got values (equal ones are told too) or lost them.
        case changed(
            ObjectPath,
            interface: String,
            values: Properties,
            invalidated: [String]
        )

        /// Where it happened.
        package var path: ObjectPath {
            switch self {
            case .added(let path, _), .removed(let path, _), .changed(let path, _, _, _): path
            }
        }

        /// The interface that it is about.
        package var interface: String {
            switch self {
            case .added(_, let name), .removed(_, let name), .changed(_, let name, _, _): name
            }
        }
    }

    private var objects: [ObjectPath: [String: Properties]] = [:]
    private var index = ObjectIndex()

    package init() {}

    /// The properties of an interface; nil when the path does not have it.
    package func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]
    }

    /// One property; nil when any part of the way is missing.
    package func value(_ path: ObjectPath, _ interface: String, _ name: String) -> BusValue? {
        objects[path]?[interface]?[name]
    }

    /// The paths that have an interface, sorted; only those below `root` when it is given.
    package func paths(with interface: String, below root: ObjectPath? = nil) -> [ObjectPath] {
        guard let root else { return index.paths(with: interface).sorted() }
        let candidates =
            index.isOfDevice(root) ? index.members(root) : index.paths(with: interface)
        return candidates.filter { $0.isBelow(root) && objects[$0]?[interface] != nil }.sorted()
    }

    /// The device of an address as one adapter sees it.
    ///
    /// The path does not tell the kind of the address, and keeps an old one after pairing, so that
    /// the properties decide.
    package func device(_ address: DeviceAddress, of adapter: ObjectPath) -> ObjectPath? {
        index.device(address, of: adapter)
    }

    /// Takes over a whole `GetManagedObjects`; tells the difference to what was known.
    package mutating func replace(with snapshot: BusValue) -> [Change] {
        var fresh: [ObjectPath: [String: Properties]] = [:]
        for entry in snapshot.entries ?? [] {
            guard let path = entry.key.path else { continue }
            fresh[path] = Self.interfaces(entry.value)
        }
        let old = objects
        objects = fresh
        index = ObjectIndex()
        for (path, interfaces) in fresh {
            for (name, properties) in interfaces { index.added(path, name, properties) }
        }
        return Self.removals(from: old, to: fresh) + Self.additions(from: old, to: fresh)
    }

    /// Forgets everything, as when bluetoothd has gone.
    package mutating func removeAll() -> [Change] {
        let old = objects
        objects = [:]
        index = ObjectIndex()
        return Self.removals(from: old, to: [:])
    }

    /// Applies `InterfacesAdded`.
    package mutating func interfacesAdded(_ path: ObjectPath, _ content: BusValue) -> [Change] {
        let interfaces = Self.interfaces(content)
        guard !interfaces.isEmpty else { return [] }
        objects[path, default: [:]].merge(interfaces) { _, new in new }
        for (name, properties) in interfaces { index.added(path, name, properties) }
        return interfaces.keys.sorted().map { .added(path, interface: $0) }
    }

    /// Applies `InterfacesRemoved`; interfaces that were not known are passed over.
    package mutating func interfacesRemoved(_ path: ObjectPath, _ names: [String]) -> [Change] {
        var changes: [Change] = []
        for name in names where objects[path]?.removeValue(forKey: name) != nil {
            index.removed(path, name)
            changes.append(.removed(path, interface: name))
        }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return changes
    }

    /// Applies `PropertiesChanged`; a path that is not known is passed over, its `InterfacesAdded` will
    /// carry the values.
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
        if interface == Device1.interface, Device1.namesAddress(values) {
            index.added(path, interface, objects[path]?[interface] ?? [:])
        }
        return [
            .changed(path, interface: interface, values: values, invalidated: invalidated)
        ]
    }

    /// Applies a change of what a device advertises, as `propertiesChanged` would; false when the device
    /// is not known.
    mutating func advertised(_ path: ObjectPath, _ change: AdvertisedChange) -> Bool {
        modify(path, Device1.interface) { change.apply(to: &$0) }
    }

    // The properties stay where they are, and the path is looked up once.
    private mutating func modify(
        _ path: ObjectPath,
        _ interface: String,
        _ change: (inout Properties) -> Void
    ) -> Bool {
        guard let object = objects.index(forKey: path),
            let properties = objects.values[object].index(forKey: interface)
        else { return false }
        change(&objects.values[object].values[properties])
        return true
    }

    /// Applies all properties of one interface, as `GetAll` gives them.
    package mutating func readAll(
        _ path: ObjectPath,
        _ interface: String,
        _ values: Properties
    ) -> [Change] {
        guard let known = objects[path]?[interface] else { return [] }
        let new = values.filter { known[$0.key] != $0.value }
        let lost = known.keys.filter { values[$0] == nil }.sorted()
        guard !new.isEmpty || !lost.isEmpty else { return [] }
        return propertiesChanged(path, interface, new, invalidated: lost)
    }

    private static func interfaces(_ content: BusValue) -> [String: Properties] {
        var interfaces: [String: Properties] = [:]
        for entry in content.entries ?? [] {
            guard let name = entry.key.text else { continue }
            interfaces[name] = entry.value.namedValues ?? [:]
        }
        return interfaces
    }

    // Children go first, as bluetoothd removes them.
    private static func removals(
        from old: [ObjectPath: [String: Properties]],
        to new: [ObjectPath: [String: Properties]]
    ) -> [Change] {
        old.filter { path, interfaces in
            interfaces.keys.contains { new[path]?[$0] == nil }
        }.keys.sorted(by: >).flatMap { path in
            (old[path] ?? [:]).keys.sorted().filter { new[path]?[$0] == nil }
                .map { .removed(path, interface: $0) }
        }
    }

    private static func additions(
        from old: [ObjectPath: [String: Properties]],
        to new: [ObjectPath: [String: Properties]]
    ) -> [Change] {
        var changes: [Change] = []
        for path in new.keys.filter({ old[$0] != new[$0] }).sorted() {
            for (interface, properties) in (new[path] ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let known = old[path]?[interface] else {
                    changes.append(.added(path, interface: interface))
                    continue
                }
                let values = properties.filter { known[$0.key] != $0.value }
                let lost = known.keys.filter { properties[$0] == nil }.sorted()
                if !values.isEmpty || !lost.isEmpty {
                    changes.append(
                        .changed(path, interface: interface, values: values, invalidated: lost)
                    )
                }
            }
        }
        return changes
    }
}
