internal import OrderedCollections

/// The data of one advertiser, including its scan response.
struct AdvertisingData: Equatable {
    /// The flags octet, or `nil` if it is not sent.
    var flags: UInt8?
    var name: String?
    var serviceUUIDs: [String] = []
    var solicitUUIDs: [String] = []
    var manufacturerData: OrderedDictionary<UInt16, [UInt8]> = [:]
    var serviceData: OrderedDictionary<String, [UInt8]> = [:]
    /// Other fields by their type.
    var data: OrderedDictionary<UInt8, [UInt8]> = [:]
    var appearance: UInt16?
    var transmitPower: Int16?
    var isConnectable = true
    /// Whether the appearance is in the scan response; bluetoothd advertises it for a program.
    var respondsWithAppearance = true
    /// The UUIDs that a program has registered in their long form, which bluetoothd shortens to 16 bits only.
    var longUUIDs: Set<String> = []

    /// Whether the flags include limited or general discoverable; discovery without a filter requires one.
    var isDiscoverable: Bool { (flags ?? 0) & 0x03 != 0 }

    /// The length that must fit in 31 bytes; the name is in the scan response.
    var lengthInBytes: Int {
        var length = flags == nil ? 0 : 3
        for list in [serviceUUIDs, solicitUUIDs] {
            let lengths = Dictionary(grouping: list, by: uuidLength)
            for (bytes, uuids) in lengths { length += 2 + bytes * uuids.count }
        }
        for (_, bytes) in manufacturerData { length += 4 + bytes.count }
        for (uuid, bytes) in serviceData { length += 2 + uuidLength(uuid) + bytes.count }
        for (_, bytes) in data { length += 2 + bytes.count }
        if transmitPower != nil { length += 3 }
        if appearance != nil, !respondsWithAppearance { length += 4 }
        return length
    }

    private func uuidLength(_ uuid: String) -> Int {
        let length = UUIDText.length(uuid)
        return length == 4 && longUUIDs.contains(uuid) ? 16 : length
    }

    /// The limit of a legacy advertisement; the emulated controllers refuse more.
    static let maximumLengthInBytes = 31
    /// The space for a name in the scan response; a longer name is cut.
    static let maximumNameLengthInBytes = 29
}
