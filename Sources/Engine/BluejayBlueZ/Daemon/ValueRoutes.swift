internal import BluejayDBus

/// The routes of values by the paths of their characteristics, found by the path of a message where it
/// lies: nothing is built for a value that nobody wants.
struct ValueRoutes {
    private typealias Entry = (path: ObjectPath, route: ValueRoute)

    /// By the number of the path.
    private var entries: [UInt64: [Entry]] = [:]
    /// The one that was found last; values often come in streams.
    private var latest: ValueRoute?
    private var latestPath = ObjectPath.root

    /// The route of a characteristic; nil takes it out.
    mutating func set(_ path: ObjectPath, _ route: ValueRoute?) {
        latest = nil
        let number = path.placeNumber
        var others = entries[number, default: []].filter { $0.path != path }
        if let route { others.append((path, route)) }
        entries[number] = others.isEmpty ? nil : others
    }

    /// The route of the characteristic that a message is about.
    mutating func find(_ message: BusMessage) -> ValueRoute? {
        if let latest, message.isAbout(latestPath) { return latest }
        guard !entries.isEmpty,
            let found = entries[message.pathNumber]?.first(where: { message.isAbout($0.path) })
        else { return nil }
        (latest, latestPath) = (found.route, found.path)
        return found.route
    }
}
