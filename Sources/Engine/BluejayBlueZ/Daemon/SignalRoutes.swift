internal import BluejayDBus

/// The dispatchers of values by characteristic path.
///
/// Paths are compared in place in the message: a value without a subscription costs no allocation.
struct ValueDispatcherTable {
    private typealias Entry = (path: ObjectPath, dispatcher: ValueDispatcher)

    private var entries: [UInt64: [Entry]] = [:]
    /// The last dispatcher found, which saves 660 instructions for each value of a stream.
    private var latest: ValueDispatcher?
    private var latestPath = ObjectPath.root

    /// Sets the dispatcher of a characteristic; nil removes it.
    mutating func set(_ path: ObjectPath, _ dispatcher: ValueDispatcher?) {
        latest = nil
        let hash = path.fastHash
        var others = entries[hash, default: []].filter { $0.path != path }
        if let dispatcher { others.append((path, dispatcher)) }
        entries[hash] = others.isEmpty ? nil : others
    }

    mutating func find(_ message: BusMessage) -> ValueDispatcher? {
        if let latest, message.hasPath(latestPath) { return latest }
        guard !entries.isEmpty,
            let found = entries[message.pathHash]?.first(where: { message.hasPath($0.path) })
        else { return nil }
        (latest, latestPath) = (found.dispatcher, found.path)
        return found.dispatcher
    }
}

/// The routes of signals past all observers.
struct SignalRoutes {
    private var valueRoutes = ValueDispatcherTable()
    private var advertisementRoutes: [(adapter: ObjectPath, receive: AdvertisementUpdate.Handler)] =
        []

    mutating func setDispatcher(of path: ObjectPath, to dispatcher: ValueDispatcher?) {
        valueRoutes.set(path, dispatcher)
    }

    /// Removes and returns all dispatchers, whose subscribers the caller releases.
    mutating func removeDispatchers() -> ValueDispatcherTable {
        defer { valueRoutes = ValueDispatcherTable() }
        return valueRoutes
    }

    mutating func dispatcher(_ message: BusMessage) -> ValueDispatcher? {
        valueRoutes.find(message)
    }

    mutating func setAdvertisementHandler(
        of adapter: ObjectPath,
        to handler: AdvertisementUpdate.Handler?
    ) {
        advertisementRoutes.removeAll { $0.adapter == adapter }
        if let handler { advertisementRoutes.append((adapter, handler)) }
    }

    func advertisementHandler(of device: ObjectPath) -> AdvertisementUpdate.Handler? {
        advertisementRoutes.first { device.isBelow($0.adapter) }?.receive
    }
}
