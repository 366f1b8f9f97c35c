internal import BluejayDBus

/// The clients of discovery on one adapter, by unique name.
struct DiscoveryClients {
    struct Client {
        var filter: ClientDiscoveryFilter?
        var isActive = false
    }

    private(set) var clients: [String: Client] = [:]

    var isActive: Bool { clients.values.contains(where: \.isActive) }
    var isFiltered: Bool { active.contains { $0.filter != nil } }
    /// Whether an active filter asks for signal strengths.
    var filtersBySignal: Bool {
        active.contains { $0.filter?.rssi != nil || $0.filter?.pathloss != nil }
    }
    /// Whether each advertisement is reported, even without changes.
    var reportsDuplicates: Bool { active.contains { $0.filter?.reportsDuplicates ?? false } }

    private var active: [Client] { clients.values.filter(\.isActive) }

    mutating func setFilter(_ filter: ClientDiscoveryFilter?, for client: String) {
        clients[client, default: Client()].filter = filter
        forgetIdle(client)
    }

    /// Starts discovery for a client; returns false if it was already discovering.
    mutating func start(_ client: String) -> Bool {
        guard clients[client]?.isActive != true else { return false }
        clients[client, default: Client()].isActive = true
        return true
    }

    /// Stops discovery for a client; returns false if it was not discovering.
    mutating func stop(_ client: String) -> Bool {
        guard clients[client]?.isActive == true else { return false }
        clients[client]?.isActive = false
        forgetIdle(client)
        return true
    }

    /// Removes a client; returns false if it had neither discovery nor filter.
    mutating func remove(_ client: String) -> Bool {
        clients.removeValue(forKey: client) != nil
    }

    /// Removes all discovering clients with their filters; filters of other clients stay.
    mutating func stopAll() {
        clients = clients.filter { !$0.value.isActive }
    }

    // A client with neither discovery nor filter is forgotten, so its departure has no effect.
    private mutating func forgetIdle(_ client: String) {
        guard let state = clients[client], !state.isActive, state.filter == nil else { return }
        clients[client] = nil
    }

    func matches(_ advertisement: AdvertisingData, address: String, rssi: Int16) -> Bool {
        active.contains { client in
            guard let filter = client.filter else { return advertisement.isDiscoverable }
            return filter.matches(advertisement, address: address, rssi: rssi)
        }
    }
}
