internal import BluejayDBus

/// The routes of values by the paths of their characteristics, found by the path of a message where it
/// lies: a value without a subscription costs no allocation.
struct ValueDispatcherTable {
    private typealias Entry = (path: ObjectPath, route: ValueDispatcher)

    /// By the number of the path.
    private var entries: [UInt64: [Entry]] = [:]
    /// The route found last; values often come in streams.
    private var latest: ValueDispatcher?
    private var latestPath = ObjectPath.root

    /// The route of a characteristic; nil takes it out.
    mutating func set(_ path: ObjectPath, _ route: ValueDispatcher?) {
        latest = nil
        let number = path.placeNumber
        var others = entries[number, default: []].filter { $0.path != path }
        if let route { others.append((path, route)) }
        entries[number] = others.isEmpty ? nil : others
    }

    /// The route of the characteristic that a message is about.
    mutating func find(_ message: BusMessage) -> ValueDispatcher? {
        if let latest, message.isAbout(latestPath) { return latest }
        guard !entries.isEmpty,
            let found = entries[message.pathNumber]?.first(where: { message.isAbout($0.path) })
        else { return nil }
        (latest, latestPath) = (found.route, found.path)
        return found.route
    }
}

/// The routes of signals past all observers.
struct SignalRoutes {
    private var valueRoutes = ValueDispatcherTable()
    /// A machine has few adapters, so that a list is enough.
    private var advertisementRoutes: [(adapter: ObjectPath, receive: AdvertisementUpdate.Handler)] =
        []

    /// Sets the route of a characteristic's values; nil removes it.
    mutating func setValues(of path: ObjectPath, to route: ValueDispatcher?) {
        valueRoutes.set(path, route)
    }

    /// Removes and returns the routes of all values, whose subscribers the caller releases.
    mutating func removeValues() -> ValueDispatcherTable {
        defer { valueRoutes = ValueDispatcherTable() }
        return valueRoutes
    }

    /// The route of the characteristic that a message is about.
    mutating func values(_ message: BusMessage) -> ValueDispatcher? { valueRoutes.find(message) }

    /// Sets the route of the advertisements that an adapter receives; nil removes it.
    mutating func setAdvertisements(
        of adapter: ObjectPath,
        to route: AdvertisementUpdate.Handler?
    ) {
        advertisementRoutes.removeAll { $0.adapter == adapter }
        if let route { advertisementRoutes.append((adapter, route)) }
    }

    /// The route of the advertisements of a device.
    func advertisements(of device: ObjectPath) -> AdvertisementUpdate.Handler? {
        advertisementRoutes.first { device.isBelow($0.adapter) }?.receive
    }
}
