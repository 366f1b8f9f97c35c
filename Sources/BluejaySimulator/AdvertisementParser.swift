internal import BluejayDBus

/// Reads `LEAdvertisement1`, and measures what would go over the air.
enum AdvertisementParser {
    /// The content, or nil when bluetoothd would refuse it.
    static func parse(_ properties: [String: BusValue], adapterName: String) -> AirAdvertisement? {
        var content = AirAdvertisement()
        guard let type = properties["Type"]?.text, ["peripheral", "broadcast"].contains(type) else {
            return nil
        }
        content.isConnectable = type == "peripheral"
        content.isDiscoverable = content.isConnectable
        let includes = properties["Includes"]?.texts ?? []
        if let name = properties["LocalName"] {
            guard let text = name.text, !includes.contains("local-name") else { return nil }
            content.name = text
        } else if includes.contains("local-name") {
            content.name = adapterName
        }
        if let uuids = properties["ServiceUUIDs"] {
            guard let texts = uuids.texts else { return nil }
            content.serviceUUIDs = texts.map(fullUUID)
        }
        for entry in properties["ManufacturerData"]?.entries ?? [] {
            guard let id = entry.key.integer, let bytes = entry.value.bytes else { return nil }
            content.manufacturerData[UInt16(truncatingIfNeeded: id)] = bytes
        }
        for entry in properties["ServiceData"]?.entries ?? [] {
            guard let uuid = entry.key.text, let bytes = entry.value.bytes else { return nil }
            content.serviceData[fullUUID(uuid)] = bytes
        }
        if case .boolean(let flag)? = properties["Discoverable"] {
            guard content.isConnectable || !flag else { return nil }
            content.isDiscoverable = flag
        }
        if case .uint16(let appearance)? = properties["Appearance"] {
            content.appearance = appearance
        }
        if includes.contains("tx-power") { content.txPower = 0 }
        return content
    }

    /// Whether it fits into the 31 bytes of a legacy advertisement; the name goes into the answer to a
    /// scan. Core Specification, Vol 3, Part C, 11.
    static func fits(_ content: AirAdvertisement) -> Bool {
        func size(_ uuid: String) -> Int { shortForm(uuid) ? 2 : 16 }
        var length = content.isConnectable ? 3 : 0
        for isShort in [true, false] {
            let uuids = content.serviceUUIDs.filter { shortForm($0) == isShort }
            if !uuids.isEmpty { length += 2 + uuids.reduce(0) { $0 + size($1) } }
        }
        for (_, bytes) in content.manufacturerData { length += 4 + bytes.count }
        for (uuid, bytes) in content.serviceData { length += 2 + size(uuid) + bytes.count }
        if content.appearance != nil { length += 4 }
        if content.txPower != nil { length += 3 }
        return length <= 31
    }

    private static func shortForm(_ uuid: String) -> Bool {
        uuid.hasPrefix("0000") && uuid.hasSuffix("-0000-1000-8000-00805f9b34fb")
    }
}
