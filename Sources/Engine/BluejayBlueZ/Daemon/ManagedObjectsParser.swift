internal import BluejayDBus

/// Takes the objects of bluetoothd out of a message, where they lie.
///
/// What is of another type than it should be is passed over, and so are the interfaces that every object
/// has: they say nothing of it, and are two of the three that most have.
struct ManagedObjectsParser {
    /// When properties are read.
    enum Reading {
        case atOnce
        /// When somebody asks; until then the message is kept.
        case whenAsked
    }

    private let reading: Reading
    /// The names of interfaces that have come: they are always the same, and built once.
    private var names = Self.passedOver
    private static let passedOver = [
        "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties",
    ]
    private static let maximumNames = 32

    init(_ reading: Reading) {
        self.reading = reading
    }

    /// Reads an `a{oa{sa{sv}}}`; of two entries of one path the latter counts.
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

    /// Reads an `a{sa{sv}}`; of two entries of one interface the latter counts.
    mutating func interfaces(_ content: BusReader) -> ObjectInterfaces {
        var interfaces = ObjectInterfaces()
        var entries = content.enterDictionary()
        while var entry = entries?.enter() {
            if let name = name(entry), entry.next() { interfaces[name] = properties(entry) }
            entries?.next()
        }
        return interfaces
    }

    private func properties(_ place: BusReader) -> InterfaceProperties {
        switch reading {
        case .atOnce: .read(place.namedValues() ?? [:])
        case .whenAsked: .unread(LazyProperties(place))
        }
    }

    /// Nil for one that is passed over.
    private mutating func name(_ place: BusReader) -> String? {
        if let known = place.position(in: names) {
            return known < Self.passedOver.count ? nil : names[known]
        }
        guard let name = place.string() else { return nil }
        if names.count < Self.maximumNames { names.append(name) }
        return name
    }
}
