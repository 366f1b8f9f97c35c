internal import BluejayDBus
internal import OrderedCollections

/// What an `org.bluez.AdvertisementMonitor1` looks for: one of its patterns has to be there.
struct AdvertisementPatterns {
    private struct Pattern {
        var start: Int
        var type: UInt8
        var content: [UInt8]
    }

    private var patterns: [Pattern] = []

    /// More than these make bluetoothd 5.66 write over its memory: it keeps the length of all, of 34 bytes
    /// each, in one byte.
    static let deadlyCount = 8

    var count: Int { patterns.count }

    /// Reads the properties of the object; nil when bluetoothd releases such a monitor.
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

    /// Whether an advertisement has one of them, as this bluetoothd looks.
    func fits(_ advertisement: AdvertisingData, _ kind: BlueZKind) -> Bool {
        let fields = advertisement.fields(kind)
        return patterns.contains { pattern in
            fields.contains { type, bytes in
                type == pattern.type
                    && bytes.dropFirst(pattern.start).starts(with: pattern.content)
            }
        }
    }
}

extension AdvertisingData {
    /// The fields in which bluetoothd looks for patterns, by their types.
    fileprivate func fields(_ kind: BlueZKind) -> [(type: UInt8, bytes: [UInt8])] {
        var fields: [(UInt8, [UInt8])] = []
        if let flags { fields.append((0x01, [flags])) }
        for (company, bytes) in manufacturerData {
            fields.append((0xFF, [UInt8(company & 0xFF), UInt8(company >> 8)] + bytes))
        }
        for (type, bytes) in data { fields.append((type, bytes)) }
        // From 5.69 on it has taken these apart before it looks.
        if kind.minor < 69, let name { fields.append((0x09, Array(name.utf8))) }
        return fields
    }
}

extension BlueZKind {
    /// Whether adapters can have monitors of advertisements.
    var hasMonitors: Bool { minor >= 56 }
    /// Whether many patterns end it.
    var diesOfPatterns: Bool { self == .v5_66 }
}
