extension DeviceFile {
    /// What a characteristic is called: `180D/2A37`, with `#1` behind what is the second of its kind.
    ///
    /// - Parameter place: Of a characteristic.
    /// - Returns: What is read in a file; empty for a characteristic that is not there.
    package func name(of place: Place) -> String {
        guard let characteristic = self[place] else { return "" }
        let service = services[place.service]
        let earlier = services[..<place.service].count { $0.uuid == service.uuid }
        let before = service.characteristics[..<place.characteristic]
            .count { $0.uuid == characteristic.uuid }
        return Self.name(service.uuid, earlier) + "/" + Self.name(characteristic.uuid, before)
    }

    /// The characteristics that a name fits, with the service or without; none for what is no name.
    func places(_ name: String) -> [Place] {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), let last = parts.last, let wanted = Numbered(last)
        else { return [] }
        let owner = parts.count == 2 ? Numbered(parts[0]) : nil
        guard parts.count == 1 || owner != nil else { return [] }
        return services.indices.flatMap { service in
            services[service].characteristics.indices.map {
                Place(service: service, characteristic: $0)
            }
        }.filter { place in
            let own = self.name(of: place).split(separator: "/").map(String.init)
            guard own.count == 2, own[1] == wanted.name else { return false }
            return owner == nil || own[0] == owner?.name
        }
    }

    /// A UUID, and which one of its kind it is, from 0 on.
    private struct Numbered {
        let name: String

        init?(_ text: String) {
            let parts = text.split(separator: "#", omittingEmptySubsequences: false)
            guard let first = parts.first, let uuid = AttributeUUID(String(first)) else {
                return nil
            }
            if parts.count == 1 {
                name = DeviceFile.name(uuid, 0)
            } else {
                guard parts.count == 2, let number = Int(parts[1]), number >= 0 else { return nil }
                name = DeviceFile.name(uuid, number)
            }
        }
    }

    private static func name(_ uuid: AttributeUUID, _ number: Int) -> String {
        number == 0 ? uuid.description : "\(uuid)#\(number)"
    }
}
