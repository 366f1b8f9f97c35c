internal import OrderedCollections

/// What one advertiser sends, the scan response included.
struct AdvertisingData: Equatable {
    /// The flags octet; nil when it is not sent.
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

    /// Whether the flags say limited or general discoverable: without a filter nothing else is shown.
    var isDiscoverable: Bool { (flags ?? 0) & 0x03 != 0 }

    /// The length of what must fit the 31 bytes; the name and the appearance go into the response.
    var lengthInBytes: Int {
        var length = flags == nil ? 0 : 3
        for list in [serviceUUIDs, solicitUUIDs] {
            let lengths = Dictionary(grouping: list, by: UUIDText.length)
            for (bytes, uuids) in lengths { length += 2 + bytes * uuids.count }
        }
        for (_, bytes) in manufacturerData { length += 4 + bytes.count }
        for (uuid, bytes) in serviceData { length += 2 + UUIDText.length(uuid) + bytes.count }
        for (_, bytes) in data { length += 2 + bytes.count }
        if transmitPower != nil { length += 3 }
        return length
    }

    /// A legacy advertisement; more is refused by the emulated controllers.
    static let maximumLengthInBytes = 31
    /// What is left of the scan response for a name; a longer one is cut.
    static let maximumNameLengthInBytes = 29
}
