internal import BluejayDBus

/// The routes of values by characteristic path.
///
/// Paths are compared in place in the message: a value without a subscription costs no allocation.
struct ValueDispatcherTable {
    private typealias Entry = (path: ObjectPath, route: ValueDispatcher)

    private var entries: [UInt64: [Entry]] = [:]
    /// The last route found; values often arrive in streams.
    private var latest: ValueDispatcher?
    private var latestPath = ObjectPath.root

    /// Sets the route of a characteristic; nil removes it.
    mutating func set(_ path: ObjectPath, _ route: ValueDispatcher?) {
        latest = nil
        let number = path.fastHash
        var others = entries[number, default: []].filter { $0.path != path }
        if let route { others.append((path, route)) }
        entries[number] = others.isEmpty ? nil : others
    }

    mutating func find(_ message: BusMessage) -> ValueDispatcher? {
        if let latest, message.hasPath(latestPath) { return latest }
        guard !entries.isEmpty,
            let found = entries[message.pathHash]?.first(where: { message.hasPath($0.path) })
        else { return nil }
        (latest, latestPath) = (found.route, found.path)
        return found.route
    }
}

/// The routes of signals past all observers.
struct SignalRoutes {
    private var valueRoutes = ValueDispatcherTable()
    private var advertisementRoutes: [(adapter: ObjectPath, receive: AdvertisementUpdate.Handler)] =
        []

    mutating func setDispatcher(of path: ObjectPath, to route: ValueDispatcher?) {
        valueRoutes.set(path, route)
    }

    /// Removes and returns all value routes, whose subscribers the caller releases.
    mutating func removeDispatchers() -> ValueDispatcherTable {
        defer { valueRoutes = ValueDispatcherTable() }
        return valueRoutes
    }

    mutating func dispatcher(_ message: BusMessage) -> ValueDispatcher? {
        valueRoutes.find(message)
    }

    mutating func setAdvertisementHandler(
        of adapter: ObjectPath,
        to route: AdvertisementUpdate.Handler?
    ) {
        advertisementRoutes.removeAll { $0.adapter == adapter }
        if let route { advertisementRoutes.append((adapter, route)) }
    }

    func advertisementHandler(of device: ObjectPath) -> AdvertisementUpdate.Handler? {
        advertisementRoutes.first { device.isBelow($0.adapter) }?.receive
    }
}
