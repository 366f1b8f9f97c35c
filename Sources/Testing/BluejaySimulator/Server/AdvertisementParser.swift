internal import BluejayDBus
internal import OrderedCollections

/// Parses the properties of an `org.bluez.LEAdvertisement1` by bluetoothd's rules.
enum AdvertisementParser {
    enum Failure: Error, Equatable {
        /// A property is missing, has the wrong type or contradicts another one.
        case invalid
        /// The advertisement exceeds 31 bytes.
        case tooLong
    }

    /// Returns bluetoothd's reply to `RegisterAdvertisement` for a failure.
    static func busError(_ failure: Failure) -> BusError {
        switch failure {
        case .invalid: BlueZError.failed("Failed to parse advertisement.")
        case .tooLong: BlueZError.failed("Failed to register advertisement")
        }
    }

    /// Parses the reply to `GetAll`.
    ///
    /// The advertisement's own `Discoverable` overrides `isDiscoverable`. `setsPower` is whether the
    /// controller transmits at the requested power. `local-name` in `Includes` inserts `adapterName`.
    static func parse(
        _ properties: [String: BusValue],
        isDiscoverable: Bool,
        setsPower: Bool = false,
        adapterName: String
    ) throws(Failure) -> AdvertisingData {
        var result = AdvertisingData()
        result.respondsWithAppearance = false
        let type = try text("Type", properties)
        guard type == "peripheral" || type == "broadcast" else { throw .invalid }
        result.isConnectable = type == "peripheral"
        result.serviceUUIDs = try uuids("ServiceUUIDs", properties, into: &result)
        result.solicitUUIDs = try uuids("SolicitUUIDs", properties, into: &result)
        try readData(properties, into: &result)
        if let appearance = properties["Appearance"] {
            guard case .uint16(let value) = appearance else { throw .invalid }
            result.appearance = value
        }
        try readFlags(properties, isDiscoverable, into: &result)
        try readName(properties, adapterName, into: &result)
        try checkTimes(properties)
        try readPower(properties, setsPower, into: &result)
        guard result.lengthInBytes <= AdvertisingData.maximumLengthInBytes else { throw .tooLong }
        return result
    }

    private static func readFlags(
        _ properties: [String: BusValue],
        _ adapterIsDiscoverable: Bool,
        into result: inout AdvertisingData
    ) throws(Failure) {
        var isDiscoverable = adapterIsDiscoverable
        if let own = properties["Discoverable"] {
            guard case .boolean(let value) = own else { throw .invalid }
            guard !value || result.isConnectable else { throw .invalid }
            isDiscoverable = value
        }
        // LE General Discoverable, BR/EDR not supported.
        if isDiscoverable, result.isConnectable { result.flags = 0x06 }
    }

    private static func readName(
        _ properties: [String: BusValue],
        _ adapterName: String,
        into result: inout AdvertisingData
    ) throws(Failure) {
        if let value = properties["LocalName"] {
            guard case .string(let name) = value else { throw .invalid }
            result.name = String(decoding: name.utf8.prefix(maximumNameLength), as: UTF8.self)
        }
        guard let includes = properties["Includes"] else { return }
        guard let words = includes.texts else { throw .invalid }
        for word in words {
            switch word {
            case "tx-power": result.transmitPower = 7
            case "local-name":
                guard result.name == nil else { throw .invalid }
                result.name = String(
                    decoding: adapterName.utf8.prefix(maximumNameLength),
                    as: UTF8.self
                )
            case "appearance", "rsi": continue
            default: throw .invalid
            }
        }
    }

    private static func readPower(
        _ properties: [String: BusValue],
        _ setsPower: Bool,
        into result: inout AdvertisingData
    ) throws(Failure) {
        guard let value = properties["TxPower"] else { return }
        guard case .int16(let power) = value, (-127...20).contains(power) else { throw .invalid }
        // The packet contains the power only on request.
        if setsPower, result.transmitPower != nil { result.transmitPower = power }
    }

    private static var maximumNameLength: Int { AdvertisingData.maximumNameLengthInBytes }

    private static func readData(
        _ properties: [String: BusValue],
        into result: inout AdvertisingData
    ) throws(Failure) {
        for entry in try entries("ManufacturerData", "q", properties) {
            guard case .uint16(let company) = entry.key, let bytes = entry.value.bytes else {
                throw .invalid
            }
            result.manufacturerData[company] = bytes
        }
        for entry in try entries("ServiceData", "s", properties) {
            guard let text = entry.key.text, let bytes = entry.value.bytes else { throw .invalid }
            result.serviceData[try uuid(text, into: &result)] = bytes
        }
        for entry in try entries("Data", "y", properties) {
            guard case .byte(let type) = entry.key, let bytes = entry.value.bytes else {
                throw .invalid
            }
            result.data[type] = bytes
        }
    }

    private static func checkTimes(_ properties: [String: BusValue]) throws(Failure) {
        if let value = properties["Timeout"] {
            guard case .uint16(let timeout) = value else { throw .invalid }
            if case .uint16(let discoverable)? = properties["DiscoverableTimeout"],
                discoverable > timeout
            {
                throw .invalid
            }
        }
        var interval: [UInt32] = []
        for name in ["MinInterval", "MaxInterval"] {
            guard let value = properties[name] else { continue }
            guard case .uint32(let milliseconds) = value,
                (20...10_485_000).contains(milliseconds)
            else { throw .invalid }
            interval.append(milliseconds)
        }
        if interval.count == 2, interval[0] > interval[1] { throw .invalid }
    }

    private static func text(
        _ name: String,
        _ properties: [String: BusValue]
    ) throws(Failure) -> String {
        guard case .string(let text)? = properties[name] else { throw .invalid }
        return text
    }

    private static func uuids(
        _ name: String,
        _ properties: [String: BusValue],
        into result: inout AdvertisingData
    ) throws(Failure) -> [String] {
        guard let value = properties[name] else { return [] }
        guard let texts = value.texts else { throw .invalid }
        var uuids: [String] = []
        for text in texts { uuids.append(try uuid(text, into: &result)) }
        return uuids
    }

    private static func uuid(
        _ text: String,
        into result: inout AdvertisingData
    ) throws(Failure) -> String {
        guard let uuid = UUIDText.long(text) else { throw .invalid }
        if text.utf8.count == 36 { result.longUUIDs.insert(uuid) }
        return uuid
    }

    private static func entries(
        _ name: String,
        _ key: String,
        _ properties: [String: BusValue]
    ) throws(Failure) -> [BusEntry] {
        guard let value = properties[name] else { return [] }
        guard case .dictionary(let entries, let actual, _) = value, actual == key else {
            throw .invalid
        }
        return entries
    }
}
