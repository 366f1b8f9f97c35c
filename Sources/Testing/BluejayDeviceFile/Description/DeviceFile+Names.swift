extension DeviceFile {
    /// Returns the name of a characteristic, such as `180D/2A37`; `#1` marks the second one with the same
    /// UUID.
    ///
    /// - Parameter index: The index of the characteristic.
    /// - Returns: The name used in a file; empty if the characteristic does not exist.
    package func name(of index: CharacteristicIndex) -> String {
        guard let characteristic = self[index] else { return "" }
        let service = services[index.service]
        let earlier = services[..<index.service].count { $0.uuid == service.uuid }
        let before = service.characteristics[..<index.characteristic]
            .count { $0.uuid == characteristic.uuid }
        return Self.name(service.uuid, earlier) + "/" + Self.name(characteristic.uuid, before)
    }

    /// Appends `#1` to the second attribute with the same UUID, and so on.
    fileprivate static func name(_ uuid: AttributeUUID, _ number: Int) -> String {
        number == 0 ? uuid.description : "\(uuid)#\(number)"
    }
}

/// The names of all characteristics of a device, computed once.
struct CharacteristicNames {
    private var names: [DeviceFile.CharacteristicIndex: String] = [:]
    private var whole: [String: DeviceFile.CharacteristicIndex] = [:]
    /// Positions by the name without the service.
    private var short: [String: [DeviceFile.CharacteristicIndex]] = [:]

    init(of device: DeviceFile) {
        var services: [AttributeUUID: Int] = [:]
        for (number, service) in device.services.enumerated() {
            let owner = DeviceFile.name(service.uuid, services[service.uuid, default: 0])
            services[service.uuid, default: 0] += 1
            var characteristics: [AttributeUUID: Int] = [:]
            for (index, one) in service.characteristics.enumerated() {
                let own = DeviceFile.name(one.uuid, characteristics[one.uuid, default: 0])
                characteristics[one.uuid, default: 0] += 1
                let position = DeviceFile.CharacteristicIndex(
                    service: number,
                    characteristic: index
                )
                let name = owner + "/" + own
                names[position] = name
                whole[name] = position
                short[own, default: []].append(position)
            }
        }
    }

    /// Returns the name of a characteristic, or an empty string if it does not exist.
    func name(of index: DeviceFile.CharacteristicIndex) -> String { names[index] ?? "" }

    /// Returns the characteristics that match a name, with or without the service; empty for an invalid name.
    func indexes(_ name: String) -> [DeviceFile.CharacteristicIndex] {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(Self.read)
        switch parts.count {
        case 1: return parts[0].flatMap { short[$0] } ?? []
        case 2:
            guard let owner = parts[0], let own = parts[1] else { return [] }
            return whole[owner + "/" + own].map { [$0] } ?? []
        default: return []
        }
    }

    /// Normalizes a UUID with an optional `#` index; returns `nil` for any other text.
    private static func read(_ text: Substring) -> String? {
        let parts = text.split(separator: "#", omittingEmptySubsequences: false)
        guard let first = parts.first, let uuid = AttributeUUID(String(first)) else { return nil }
        if parts.count == 1 { return DeviceFile.name(uuid, 0) }
        guard parts.count == 2, let number = Int(parts[1]), number >= 0 else { return nil }
        return DeviceFile.name(uuid, number)
    }
}
