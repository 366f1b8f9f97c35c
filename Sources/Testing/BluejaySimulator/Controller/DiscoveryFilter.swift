internal import BluejayDBus

/// The filter of one client: the argument of `SetDiscoveryFilter`.
struct DiscoveryFilter: Equatable {
    enum Transport: String {
        case auto, bredr, le
    }

    var uuids: [String] = []
    var rssi: Int16?
    var pathloss: UInt16?
    var transport = Transport.auto
    var reportsDuplicates = false
    var isDiscoverable = false
    var pattern: String?

    /// The names that a filter may contain, in bluetoothd's order.
    static func names(_ kind: SimulatedBlueZVersion) -> [String] {
        let all = [
            "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
        ]
        return kind.connectsWhileDiscovering ? all + ["AutoConnect"] : all
    }

    /// Parses an `a{sv}`; returns `nil` for an empty one, which removes the filter.
    ///
    /// - Throws: The error that bluetoothd replies with.
    static func parse(
        _ value: BusValue,
        _ kind: SimulatedBlueZVersion
    ) throws(BusError) -> DiscoveryFilter? {
        guard let entries = value.entries else { throw BlueZError.invalidArguments }
        guard !entries.isEmpty else { return nil }
        var filter = DiscoveryFilter()
        for entry in entries {
            try filter.set(entry.key.text ?? "", entry.value.unwrapped, kind)
        }
        guard filter.rssi == nil || filter.pathloss == nil else {
            throw BlueZError.invalidArguments
        }
        return filter
    }

    private mutating func set(
        _ name: String,
        _ value: BusValue,
        _ kind: SimulatedBlueZVersion
    ) throws(BusError) {
        switch (name, value) {
        case ("UUIDs", _):
            let texts = value.texts ?? [""]
            uuids = texts.compactMap { UUIDText.long($0) }
            guard uuids.count == texts.count else { throw BlueZError.invalidArguments }
        case ("RSSI", .int16(let value)) where (-127...20).contains(value): rssi = value
        case ("Pathloss", .uint16(let value)) where value <= 137: pathloss = value
        case ("Transport", .string(let text)):
            guard let transport = Transport(rawValue: text) else {
                throw BlueZError.invalidArguments
            }
            self.transport = transport
        case ("DuplicateData", .boolean(let value)): reportsDuplicates = value
        case ("Discoverable", .boolean(let value)): isDiscoverable = value
        case ("Pattern", .string(let text)): pattern = text
        case ("AutoConnect", .boolean) where kind.connectsWhileDiscovering: return
        default: throw BlueZError.invalidArguments
        }
    }

    /// Whether the client receives a device; 127 means an unknown signal strength.
    func matches(_ advertisement: AdvertisingData, address: String, rssi present: Int16) -> Bool {
        guard transport != .bredr else { return false }
        if !uuids.isEmpty {
            guard advertisement.serviceUUIDs.contains(where: uuids.contains) else { return false }
        }
        if let rssi {
            guard present != 127, present >= rssi else { return false }
        }
        if let pathloss {
            guard let power = advertisement.transmitPower, present != 127 else { return false }
            guard Int(power) - Int(present) <= Int(pathloss) else { return false }
        }
        if let pattern {
            let name = advertisement.name ?? ""
            guard address.hasPrefix(pattern) || name.hasPrefix(pattern) else { return false }
        }
        return true
    }
}

/// The clients of discovery on one adapter, by unique name.
struct DiscoveryClients {
    struct Client {
        var filter: DiscoveryFilter?
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

    mutating func setFilter(_ filter: DiscoveryFilter?, for client: String) {
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
