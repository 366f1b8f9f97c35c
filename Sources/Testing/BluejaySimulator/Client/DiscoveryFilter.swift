internal import BluejayDBus

/// What one client asks to discover: the argument of `SetDiscoveryFilter`.
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

    /// The names that a filter may hold, in bluetoothd's order.
    static func names(_ kind: BlueZKind) -> [String] {
        let all = [
            "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
        ]
        return kind.connectsWhileDiscovering ? all + ["AutoConnect"] : all
    }

    /// The filter of an `a{sv}`; nil when it is empty, which takes the filter away.
    ///
    /// - Throws: The error that bluetoothd answers with.
    static func parse(
        _ value: BusValue,
        _ kind: BlueZKind
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
        _ kind: BlueZKind
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

    /// Whether a device is shown to this client; 127 is an unknown signal strength.
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

/// The clients that discover on one adapter, by their names on the bus.
struct DiscoveryClients {
    struct Client {
        var filter: DiscoveryFilter?
        var isActive = false
    }

    private(set) var clients: [String: Client] = [:]

    /// Whether anybody discovers.
    var isActive: Bool { clients.values.contains(where: \.isActive) }
    /// Whether a filter is in force.
    var isFiltered: Bool { active.contains { $0.filter != nil } }
    /// Whether a filter that is in force asks for signal strengths.
    var measures: Bool { active.contains { $0.filter?.rssi != nil || $0.filter?.pathloss != nil } }
    /// Whether each advertisement is told, also one with nothing new.
    var reportsDuplicates: Bool { active.contains { $0.filter?.reportsDuplicates ?? false } }

    private var active: [Client] { clients.values.filter(\.isActive) }

    mutating func setFilter(_ filter: DiscoveryFilter?, for client: String) {
        clients[client, default: Client()].filter = filter
        forgetIdle(client)
    }

    /// Whether the client discovers now and did not before.
    mutating func start(_ client: String) -> Bool {
        guard clients[client]?.isActive != true else { return false }
        clients[client, default: Client()].isActive = true
        return true
    }

    /// Whether the client discovered before.
    mutating func stop(_ client: String) -> Bool {
        guard clients[client]?.isActive == true else { return false }
        clients[client]?.isActive = false
        forgetIdle(client)
        return true
    }

    /// Whether the bus knew the client as one that discovers or has a filter.
    mutating func remove(_ client: String) -> Bool {
        clients.removeValue(forKey: client) != nil
    }

    /// Ends every discovery with its filter; those of clients that do not discover stay.
    mutating func stopAll() {
        clients = clients.filter { !$0.value.isActive }
    }

    // A client that neither discovers nor has a filter is nobody: nothing is said when it leaves.
    private mutating func forgetIdle(_ client: String) {
        guard let state = clients[client], !state.isActive, state.filter == nil else { return }
        clients[client] = nil
    }

    /// Whether one of the clients wants to see the device.
    func wants(_ advertisement: AdvertisingData, address: String, rssi: Int16) -> Bool {
        active.contains { client in
            guard let filter = client.filter else { return advertisement.isDiscoverable }
            return filter.matches(advertisement, address: address, rssi: rssi)
        }
    }
}
