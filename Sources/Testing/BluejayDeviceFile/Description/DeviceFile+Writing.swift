package import FoundationEssentials

extension DeviceFile: Encodable {
    /// The bytes of a file: the same device has the same bytes.
    ///
    /// - Throws: What the encoder does, which no device is known to cause.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FileKey.self)
        try container.encode(Self.version, forKey: FileKey("version"))
        if let address {
            try container.encode(address.text, forKey: FileKey("address"))
            let type = address.isRandom ? "random" : "public"
            try container.encode(type, forKey: FileKey("addressType"))
        }
        if let name { try container.encode(name, forKey: FileKey("name")) }
        if !advertises.isEmpty {
            try container.encode(advertises.map(\.description), forKey: FileKey("advertises"))
        }
        if !manufacturerData.isEmpty {
            var list = container.nestedUnkeyedContainer(forKey: FileKey("manufacturerData"))
            for (company, bytes) in manufacturerData.sorted(by: { $0.key < $1.key }) {
                var entry = list.nestedContainer(keyedBy: FileKey.self)
                let digits = HexDigits.text([UInt8(company >> 8), UInt8(company & 0xFF)])
                try entry.encode(digits.uppercased(), forKey: FileKey("company"))
                try ValueText.write(bytes, to: &entry)
            }
        }
        try container.encode(services, forKey: FileKey("services"))
        guard !notifications.isEmpty else { return }
        let names = CharacteristicNames(of: self)
        var list = container.nestedUnkeyedContainer(forKey: FileKey("notifications"))
        for one in notifications {
            var entry = list.nestedContainer(keyedBy: FileKey.self)
            try entry.encode(names.name(of: one.place), forKey: FileKey("characteristic"))
            try entry.encode(one.milliseconds, forKey: FileKey("milliseconds"))
            try ValueText.write(one.value, to: &entry)
        }
    }
}
