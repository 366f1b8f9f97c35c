internal import BluejayDBus

/// A change that affects only advertised properties of a device, like nearly all changes during
/// discovery.
///
/// It is decoded in place, without a dictionary of properties. The types of the values are not checked.
struct AdvertisementUpdate {
    /// Receives a device and its advertised values; the object tree has them already.
    typealias Handler = (ObjectPath, AdvertisementUpdate) -> Void

    enum Field: String, CaseIterable {
        case rssi = "RSSI"
        case manufacturerData = "ManufacturerData"
        case serviceData = "ServiceData"
        case txPower = "TxPower"
        case flags = "AdvertisingFlags"
        case data = "AdvertisingData"
    }

    struct Value {
        let field: Field
        let value: BusValue
    }

    /// The values in the order of the message; the last value of a part counts.
    let values: [Value]

    init(_ values: [Value]) {
        self.values = values
    }

    /// Reads the arguments of a `PropertiesChanged` signal; `nil` if it contains any other property or
    /// invalidates one.
    init?(_ message: BusReader) {
        var arguments = message
        guard arguments.isString(Device1.interface), arguments.next(),
            let values = Self.values(arguments), arguments.next(), arguments.kind == .array,
            arguments.enter()?.kind == .end, !arguments.next()
        else { return nil }
        self.values = values
    }

    private static let fields = Field.allCases
    private static let names = fields.map(\.rawValue)

    private static func values(_ properties: BusReader) -> [Value]? {
        guard var entries = properties.enter(), entries.kind == .dictionaryEntry else { return nil }
        var values: [Value] = []
        values.reserveCapacity(fields.count)
        repeat {
            guard var entry = entries.enter(), let index = entry.position(in: names), entry.next(),
                entry.openVariant(), let value = entry.value()
            else { return nil }
            values.append(Value(field: fields[index], value: value.unwrapped))
        } while entries.next()
        return values
    }

    func apply(to properties: inout ObjectTree.Properties) {
        for value in values { properties[value.field.rawValue] = value.value }
    }
}
