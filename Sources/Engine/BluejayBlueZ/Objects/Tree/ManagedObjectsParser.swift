internal import BluejayDBus

/// Parses the objects of bluetoothd in place in a message.
///
/// The parser skips values of an unexpected type, and the interfaces that every object has.
struct ManagedObjectsParser {
    enum Mode {
        case eager
        /// At their first use; the message is retained until then.
        case lazy
    }

    private let mode: Mode
    /// The interface names seen so far.
    ///
    /// Names repeat, so each string is built once.
    private var names = Self.ignoredInterfaces
    private static let ignoredInterfaces = [
        "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties",
    ]
    private static let maximumNameCount = 32

    init(_ mode: Mode) {
        self.mode = mode
    }

    /// Reads an `a{oa{sa{sv}}}`; if a path occurs twice, the later entry counts.
    mutating func objects(_ snapshot: BusReader) -> [ObjectPath: ObjectInterfaces] {
        var found: [(ObjectPath, ObjectInterfaces)] = []
        var entries = snapshot.enterDictionary()
        while var entry = entries?.enter() {
            if let path = entry.path(), entry.next() {
                let interfaces = interfaces(entry)
                if !interfaces.isEmpty { found.append((path, interfaces)) }
            }
            entries?.next()
        }
        var objects = [ObjectPath: ObjectInterfaces](minimumCapacity: found.count)
        for (path, interfaces) in found { objects[path] = interfaces }
        return objects
    }

    /// Reads an `a{sa{sv}}`; if an interface occurs twice, the later entry counts.
    mutating func interfaces(_ content: BusReader) -> ObjectInterfaces {
        var interfaces = ObjectInterfaces()
        var entries = content.enterDictionary()
        while var entry = entries?.enter() {
            if let name = name(entry), entry.next() { interfaces[name] = properties(entry) }
            entries?.next()
        }
        return interfaces
    }

    private func properties(_ reader: BusReader) -> InterfaceProperties {
        switch mode {
        case .eager: .parsed(reader.namedValues() ?? [:])
        case .lazy: .unparsed(LazyProperties(reader))
        }
    }

    /// The interface's name; nil if it is skipped.
    private mutating func name(_ reader: BusReader) -> String? {
        if let index = reader.position(in: names) {
            return index < Self.ignoredInterfaces.count ? nil : names[index]
        }
        guard let name = reader.string() else { return nil }
        if names.count < Self.maximumNameCount { names.append(name) }
        return name
    }
}
