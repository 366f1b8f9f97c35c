internal import BluejayDBus
internal import OrderedCollections

/// The patterns of an `org.bluez.AdvertisementMonitor1`, one of which must match.
struct AdvertisementPatterns {
    private struct Pattern {
        var start: Int
        var type: UInt8
        var content: [UInt8]
    }

    private var patterns: [Pattern] = []

    /// From this number of patterns on, bluetoothd 5.66 overwrites its memory: it stores their total size, 34
    /// bytes each, in one byte.
    static let crashingCount = 8

    var count: Int { patterns.count }

    /// Parses the properties of the object; returns `nil` for a monitor that bluetoothd releases.
    init?(_ properties: [String: BusValue]) {
        guard properties["Type"]?.text == "or_patterns",
            let entries = properties["Patterns"]?.elements, !entries.isEmpty
        else { return nil }
        for entry in entries {
            guard case .structure(let fields) = entry, fields.count == 3,
                case .byte(let start) = fields[0], case .byte(let type) = fields[1],
                let content = fields[2].bytes, (1...31).contains(content.count),
                Int(start) + content.count <= 31
            else { return nil }
            patterns.append(Pattern(start: Int(start), type: type, content: content))
        }
    }

    /// Whether an advertisement matches one of the patterns, by the rules of this BlueZ version.
    func matches(_ advertisement: AdvertisingData, _ version: SimulatedBlueZVersion) -> Bool {
        let fields = advertisement.fields(version)
        return patterns.contains { pattern in
            fields.contains { type, bytes in
                type == pattern.type
                    && bytes.dropFirst(pattern.start).starts(with: pattern.content)
            }
        }
    }
}

extension AdvertisingData {
    /// The fields that bluetoothd compares with patterns, by their types.
    fileprivate func fields(_ version: SimulatedBlueZVersion) -> [(type: UInt8, bytes: [UInt8])] {
        var fields: [(UInt8, [UInt8])] = []
        if let flags { fields.append((0x01, [flags])) }
        for (company, bytes) in manufacturerData {
            fields.append((0xFF, [UInt8(company & 0xFF), UInt8(company >> 8)] + bytes))
        }
        for (type, bytes) in data { fields.append((type, bytes)) }
        // Since 5.69, bluetoothd has already removed these fields when it compares.
        if version.minor < 69, let name { fields.append((0x09, Array(name.utf8))) }
        return fields
    }
}

extension SimulatedBlueZVersion {
    var hasMonitors: Bool { minor >= 56 }
    /// Whether too many patterns crash the daemon.
    var crashesOnManyPatterns: Bool { self == .v5_66 }
}
