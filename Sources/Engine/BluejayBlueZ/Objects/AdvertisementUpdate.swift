internal import BluejayDBus

/// A change of a device that is of what it advertises and of nothing else, as nearly all are while
/// bluetoothd discovers.
///
/// Read where it lies, and not built as properties by name. The values are as they came: of whatever
/// type.
struct AdvertisementUpdate {
    /// Gets a device, and what it advertised; the tree has it already.
    typealias Handler = (ObjectPath, AdvertisementUpdate) -> Void

    /// The property that a value is of.
    enum Part: String, CaseIterable {
        case strength = "RSSI"
        case manufacturerData = "ManufacturerData"
        case serviceData = "ServiceData"
        case txPower = "TxPower"
        case flags = "AdvertisingFlags"
        case data = "AdvertisingData"
    }

    struct Value {
        let part: Part
        let value: BusValue
    }

    /// In the order of the message; of two of one part the latter counts.
    let values: [Value]

    init(_ values: [Value]) {
        self.values = values
    }

    /// Reads the arguments of a `PropertiesChanged`; nil when they tell of anything else, or of
    /// something that went away.
    init?(_ message: BusReader) {
        var arguments = message
        guard arguments.isString(Device1.interface), arguments.next(),
            let values = Self.values(arguments), arguments.next(), arguments.kind == .array,
            arguments.enter()?.kind == .end, !arguments.next()
        else { return nil }
        self.values = values
    }

    private static let parts = Part.allCases
    private static let names = parts.map(\.rawValue)

    private static func values(_ properties: BusReader) -> [Value]? {
        guard var entries = properties.enter(), entries.kind == .dictionaryEntry else { return nil }
        var values: [Value] = []
        values.reserveCapacity(parts.count)
        repeat {
            guard var entry = entries.enter(), let place = entry.position(in: names), entry.next(),
                entry.openVariant(), let value = entry.value()
            else { return nil }
            values.append(Value(part: parts[place], value: value.unwrapped))
        } while entries.next()
        return values
    }

    /// Merges the values into the properties of the device.
    func apply(to properties: inout ObjectTree.Properties) {
        for value in values { properties[value.part.rawValue] = value.value }
    }
}
