internal import BluejayDBus

/// The filter of one client: the argument of `SetDiscoveryFilter`.
struct ClientDiscoveryFilter: Equatable {
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
    static func names(_ version: SimulatedBlueZVersion) -> [String] {
        let all = [
            "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
        ]
        return version.connectsWhileDiscovering ? all + ["AutoConnect"] : all
    }

    /// Parses an `a{sv}`; returns `nil` for an empty one, which removes the filter.
    ///
    /// - Throws: The error that bluetoothd replies with.
    static func parse(
        _ value: BusValue,
        _ version: SimulatedBlueZVersion
    ) throws(BusError) -> ClientDiscoveryFilter? {
        guard let entries = value.entries else { throw BlueZError.invalidArguments }
        guard !entries.isEmpty else { return nil }
        var filter = ClientDiscoveryFilter()
        for entry in entries {
            try filter.set(entry.key.text ?? "", entry.value.unwrapped, version)
        }
        guard filter.rssi == nil || filter.pathloss == nil else {
            throw BlueZError.invalidArguments
        }
        return filter
    }

    private mutating func set(
        _ name: String,
        _ value: BusValue,
        _ version: SimulatedBlueZVersion
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
        case ("AutoConnect", .boolean) where version.connectsWhileDiscovering: return
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
