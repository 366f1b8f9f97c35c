package import BluejayCore
package import BluejayDBus

/// What bluetoothd has told of its objects: path, interface, property.
///
/// A plain value: it applies what came and says what changed. Finding the adapters, a device by its
/// address and the objects of one device costs the same however many others there are. What a
/// `GetManagedObjects` tells of an interface is read when somebody asks: of the hundreds of devices that
/// bluetoothd may know a program uses one or two. Until then the message is kept, one at a time: the
/// next one replaces everything. Interfaces of `org.freedesktop.DBus` are not kept.
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

    private var objects: [ObjectPath: ObjectInterfaces] = [:]
    private var index = SharedIndex()

    package init() {}

    /// The properties of an interface; nil when the path does not have it.
    package func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]?.values
    }

    /// One property; nil when any part of the way is missing.
    package func value(_ path: ObjectPath, _ interface: String, _ name: String) -> BusValue? {
        objects[path]?[interface]?.values[name]
    }

    /// The paths that have an interface, sorted; only those below `root` when it is given.
    package func paths(with interface: String, below root: ObjectPath? = nil) -> [ObjectPath] {
        guard let root else { return index.value.paths(with: interface, in: objects).sorted() }
        if let device = root.devicePath {
            return index.value.members(of: device, with: interface, below: root, in: objects)
        }
        return index.value.paths(with: interface, in: objects).filter { $0.isBelow(root) }.sorted()
    }

    /// The device of an address as one adapter sees it.
    ///
    /// The path does not tell the kind of the address, and keeps an old one after pairing, so that
    /// the properties decide.
    package func device(_ address: DeviceAddress, of adapter: ObjectPath) -> ObjectPath? {
        index.value.device(address, of: adapter, in: objects)
    }

    /// Takes over a whole `GetManagedObjects`, an `a{oa{sa{sv}}}`; tells the difference to what was known.
    ///
    /// - Parameters:
    ///   - snapshot: Stands on the argument of the reply; anything else is a reading without objects.
    ///   - isHeard: Whether the changes of an object are wanted: of the others none is looked for.
    /// - Returns: What went, children before their parents, and then what came or is different, parents
    ///   first.
    package mutating func replace(
        with snapshot: BusReader,
        telling isHeard: (ObjectPath) -> Bool = { _ in true }
    ) -> [Change] {
        var reader = ManagedObjectsParser(.whenAsked)
        let old = objects
        objects = reader.objects(snapshot)
        index = SharedIndex()
        return Self.removals(from: old, to: objects, isHeard)
            + Self.additions(from: old, to: objects, isHeard)
    }

    /// Forgets everything, as when bluetoothd has gone.
    package mutating func removeAll() -> [Change] {
        let old = objects
        objects = [:]
        index = SharedIndex()
        return Self.removals(from: old, to: [:]) { _ in true }
    }

    /// Applies `InterfacesAdded`.
    ///
    /// - Parameters:
    ///   - path: Of the object.
    ///   - content: Stands on the `a{sa{sv}}`. It is read at once: the message is not kept.
    /// - Returns: What was added, in the order of the names.
    package mutating func interfacesAdded(_ path: ObjectPath, _ content: BusReader) -> [Change] {
        var reader = ManagedObjectsParser(.atOnce)
        let interfaces = reader.interfaces(content)
        guard !interfaces.isEmpty else { return [] }
        objects[path, default: ObjectInterfaces()].take(interfaces)
        update { $0.added(path, interfaces.entries) }
        return interfaces.sorted.map { .added(path, interface: $0.name) }
    }

    /// Applies `InterfacesRemoved`; interfaces that were not known are passed over.
    package mutating func interfacesRemoved(_ path: ObjectPath, _ names: [String]) -> [Change] {
        guard let object = objects.index(forKey: path) else { return [] }
        var gone: [String] = []
        for name in names where objects.values[object].has(name) {
            objects.values[object][name] = nil
            gone.append(name)
        }
        if objects.values[object].isEmpty { objects.remove(at: object) }
        update { $0.removed(path, gone) }
        return gone.map { .removed(path, interface: $0) }
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
        if interface == Device1.interface,
            Device1.namesAddress(values, invalidated: invalidated),
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

    /// Applies a change of what a device advertises, as `propertiesChanged` would; false when the device
    /// is not known.
    mutating func advertised(_ path: ObjectPath, _ change: AdvertisementUpdate) -> Bool {
        modify(path, Device1.interface) { change.apply(to: &$0) }
    }

    // The properties stay where they are, and the path is looked up once.
    private mutating func modify(
        _ path: ObjectPath,
        _ interface: String,
        _ change: (inout Properties) -> Void
    ) -> Bool {
        guard let object = objects.index(forKey: path) else { return false }
        return objects.values[object].modify(interface, change)
    }

    /// Applies all properties of one interface, as `GetAll` gives them.
    ///
    /// What has been told has not gone when the answer has nothing at all: then it is no reading.
    package mutating func readAll(
        _ path: ObjectPath,
        _ interface: String,
        _ values: Properties
    ) -> [Change] {
        guard !values.isEmpty, let known = properties(path, interface) else { return [] }
        let new = values.filter { known[$0.key] != $0.value }
        let lost = known.keys.filter { values[$0] == nil }.sorted()
        guard !new.isEmpty || !lost.isEmpty else { return [] }
        return propertiesChanged(path, interface, new, invalidated: lost)
    }

    // A copy with other objects needs an index of its own.
    private mutating func update(_ change: (inout ObjectIndex) -> Void) {
        if !isKnownUniquelyReferenced(&index) { index = SharedIndex(index.value) }
        change(&index.value)
    }

    // The index says nothing that the objects do not say.
    package static func == (left: ObjectTree, right: ObjectTree) -> Bool {
        left.objects == right.objects
    }

    // Children go first, as bluetoothd removes them.
    private static func removals(
        from old: [ObjectPath: ObjectInterfaces],
        to new: [ObjectPath: ObjectInterfaces],
        _ isHeard: (ObjectPath) -> Bool
    ) -> [Change] {
        var gone: [(path: ObjectPath, names: [String])] = []
        for (path, interfaces) in old where isHeard(path) {
            let left = new[path]
            let names = interfaces.sorted.map(\.name).filter { left?.has($0) != true }
            if !names.isEmpty { gone.append((path, names)) }
        }
        return gone.sorted { $0.path > $1.path }.flatMap { path, names in
            names.map { .removed(path, interface: $0) }
        }
    }

    private static func additions(
        from old: [ObjectPath: ObjectInterfaces],
        to new: [ObjectPath: ObjectInterfaces],
        _ isHeard: (ObjectPath) -> Bool
    ) -> [Change] {
        var changes: [Change] = []
        for path in new.keys.filter({ isHeard($0) && old[$0] != new[$0] }).sorted() {
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

/// The index of a tree and of its copies that have the same objects.
///
/// A question may add to it what all of them would: that is not to be seen.
private final class SharedIndex {
    var value: ObjectIndex

    init(_ value: ObjectIndex = ObjectIndex()) {
        self.value = value
    }
}
