package import FoundationEssentials

/// Exports objects of this process on the bus, with `Properties`, `ObjectManager` and `Introspectable`.
///
/// A path has interfaces, each a table of closures. Signals are sent by explicit calls, so that the caller
/// determines their order. See the D-Bus specification, "Standard Interfaces".
package final class ObjectServer {
    static let propertiesName = "org.freedesktop.DBus.Properties"
    static let introspectableName = "org.freedesktop.DBus.Introspectable"
    static let managerName = "org.freedesktop.DBus.ObjectManager"

    private static let accessDenied = BusError(
        name: "org.freedesktop.DBus.Error.AccessDenied",
        message: "only bluetoothd may call this object"
    )

    package let connection: BusConnection
    /// Returns whether a unique bus name may call the objects; other calls fail with `AccessDenied`.
    package var isAllowed: ((String) -> Bool)?
    /// In the order of their export.
    package private(set) var paths: [ObjectPath] = []
    private var objects: [ObjectPath: [BusInterface]] = [:]
    private var managers: Set<ObjectPath> = []
    /// The object called last, which is often called again.
    private var last: (path: ObjectPath, own: [BusInterface])?
    private let replies = ReplyTemplate()

    /// Serves the connection's method calls; a connection supports one server.
    package init(_ connection: BusConnection) {
        self.connection = connection
        connection.onMethodCall = { [weak self] in self?.handle($0) ?? false }
    }

    package func export(_ interfaces: [BusInterface], at path: ObjectPath) {
        if objects[path] == nil { paths.append(path) }
        objects[path, default: []] += interfaces
        last = nil
    }

    /// Removes the named interfaces from a path, or all of them.
    package func unexport(_ path: ObjectPath, interfaces names: [String]? = nil) {
        guard var remaining = objects[path] else { return }
        remaining.removeAll { names?.contains($0.name) ?? true }
        objects[path] = remaining.isEmpty ? nil : remaining
        last = nil
        if remaining.isEmpty { paths.removeAll { $0 == path } }
    }

    /// Replies to `GetManagedObjects` for all paths below `root`.
    package func exportManager(at root: ObjectPath) {
        managers.insert(root)
    }

    package func unexportManager(at root: ObjectPath) {
        managers.remove(root)
    }

    /// The exported interfaces of a path, without the standard ones.
    package func interfaces(at path: ObjectPath) -> [BusInterface] {
        objects[path] ?? []
    }

    // MARK: Signals

    /// Announces the interfaces of a path; `manager` is the root that emits the signal.
    package func emitInterfacesAdded(
        _ path: ObjectPath,
        interfaces names: [String]? = nil,
        manager: ObjectPath
    ) {
        let content = managedInterfaces(of: path, only: names)
        try? connection.emit(
            manager,
            Self.managerName,
            "InterfacesAdded",
            [.objectPath(path), content]
        )
    }

    package func emitInterfacesRemoved(
        _ path: ObjectPath,
        interfaces names: [String],
        manager: ObjectPath
    ) {
        try? connection.emit(
            manager,
            Self.managerName,
            "InterfacesRemoved",
            [.objectPath(path), .strings(names)]
        )
    }

    /// Announces new values of properties, and the names of those that no longer have a value.
    package func emitPropertiesChanged(
        _ path: ObjectPath,
        _ interface: String,
        _ changed: BusProperties,
        invalidated: [String] = []
    ) {
        try? connection.emit(
            path,
            Self.propertiesName,
            "PropertiesChanged",
            [.string(interface), .properties(changed), .strings(invalidated)]
        )
    }

    /// Announces a new value of one property, an `ay`.
    package func emit(_ change: PropertiesChangedTemplate, _ value: Data) {
        guard let message = try? change.message(value) else { return }
        connection.send(message)
    }

    // MARK: Calls

    private func handle(_ message: BusMessage) -> Bool {
        if let isAllowed, !isAllowed(message.sender ?? "") {
            MethodInvocation(message, on: connection, replies).fail(Self.accessDenied)
            return true
        }
        if let last, message.hasPath(last.path) { return handle(message, last.path, last.own) }
        guard let path = message.path else { return false }
        let own = objects[path]
        if let own { last = (path, own) }
        return handle(message, path, own)
    }

    private func handle(
        _ message: BusMessage,
        _ path: ObjectPath,
        _ own: [BusInterface]?
    ) -> Bool {
        let invocation = MethodInvocation(message, on: connection, replies)
        // Nearly every call is for a method of an exported interface.
        if let own, let method = own.method(message) {
            method.handle(invocation)
            return true
        }
        let isManager = managers.contains(path)
        guard own != nil || isManager || paths.contains(where: { $0.isBelow(path) }) else {
            invocation.fail(.unknownObject(message))
            return true
        }
        let standard = StandardMethod.allCases.first { $0.is(message) }
        switch standard {
        case .introspect: invocation.reply([.string(introspection(of: path))])
        case .getManagedObjects where isManager: invocation.reply([managedObjects(below: path)])
        case .get where own != nil: get(invocation, at: path)
        case .set where own != nil: set(invocation, at: path)
        case .getAll where own != nil: getAll(invocation, at: path)
        default: invocation.fail(.unknownMethod(message))
        }
        return true
    }

    private func managedObjects(below root: ObjectPath) -> BusValue {
        let entries = paths.filter { $0.isBelow(root) }.map {
            BusEntry(.objectPath($0), managedInterfaces(of: $0, only: nil))
        }
        return .dictionary(entries, key: "o", value: "a{sa{sv}}")
    }

    private func managedInterfaces(of path: ObjectPath, only names: [String]?) -> BusValue {
        func entry(_ name: String, _ properties: BusProperties) -> BusEntry {
            BusEntry(.string(name), .properties(properties))
        }
        let own = interfaces(at: path).filter { names?.contains($0.name) ?? true }
        // Like BlueZ's GDBus: `Properties` is omitted for an object without properties.
        let hasProperties = own.contains { !$0.properties.isEmpty }
        let entries =
            [entry(Self.introspectableName, [])] + own.map { entry($0.name, values(of: $0)) }
            + (hasProperties ? [entry(Self.propertiesName, [])] : [])
        return .dictionary(entries, key: "s", value: "a{sv}")
    }

    func values(of interface: BusInterface) -> BusProperties {
        interface.properties.compactMap { property in
            property.get().map { (property.name, $0) }
        }
    }

    private func introspection(of path: ObjectPath) -> String {
        let prefix = path.text == "/" ? "/" : path.text + "/"
        var children: [String] = []
        for below in paths where below.isBelow(path) {
            let rest = below.text.dropFirst(prefix.count)
            let child = String(rest.prefix { $0 != "/" })
            if !children.contains(child) { children.append(child) }
        }
        let standard = StandardMethod.interfaces(
            isManager: managers.contains(path),
            hasProperties: objects[path] != nil
        )
        return Introspection.document(interfaces(at: path) + standard, children: children)
    }
}
