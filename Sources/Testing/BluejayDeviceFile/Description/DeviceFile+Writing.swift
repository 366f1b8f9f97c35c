package import FoundationEssentials

extension DeviceFile: Encodable {
    /// Encodes the file; equal devices give equal bytes.
    ///
    /// - Throws: An encoder error; no device is known to cause one.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        try container.encode(Self.version, forKey: FieldKey("version"))
        if let address {
            try container.encode(address.text, forKey: FieldKey("address"))
            let type = address.isRandom ? "random" : "public"
            try container.encode(type, forKey: FieldKey("addressType"))
        }
        if let name { try container.encode(name, forKey: FieldKey("name")) }
        if !advertises.isEmpty {
            try container.encode(advertises.map(\.description), forKey: FieldKey("advertises"))
        }
        if !manufacturerData.isEmpty {
            var list = container.nestedUnkeyedContainer(forKey: FieldKey("manufacturerData"))
            for (company, bytes) in manufacturerData.sorted(by: { $0.key < $1.key }) {
                var entry = list.nestedContainer(keyedBy: FieldKey.self)
                let digits = HexDigits.text([UInt8(company >> 8), UInt8(company & 0xFF)])
                try entry.encode(digits.uppercased(), forKey: FieldKey("company"))
                try ValueText.write(bytes, to: &entry)
            }
        }
        try container.encode(services, forKey: FieldKey("services"))
        guard !notifications.isEmpty else { return }
        let names = CharacteristicNames(of: self)
        var list = container.nestedUnkeyedContainer(forKey: FieldKey("notifications"))
        for notification in notifications {
            var entry = list.nestedContainer(keyedBy: FieldKey.self)
            try entry.encode(names.name(of: notification.index), forKey: FieldKey("characteristic"))
            try entry.encode(notification.milliseconds, forKey: FieldKey("milliseconds"))
            try ValueText.write(notification.value, to: &entry)
        }
    }
}
