internal import OrderedCollections

/// The visibility and the advertising data of a scripted device.
struct DevicePresence {
    private var content = AdvertisingData()
    private var isInRange = true
    private var isAdvertising = true
    /// Whether the device answers no requests.
    private(set) var isUnresponsive = false
    private(set) var rssiInDBm: Int16

    private static let discoverableFlags: UInt8 = 0x06

    init(name: String?, advertising services: [String], rssi: Int16) {
        rssiInDBm = rssi
        content.flags = Self.discoverableFlags
        content.name = name
        content.serviceUUIDs = services.map(UUIDText.scripted)
    }

    var advertisements: [AdvertisingData] { isInRange && isAdvertising ? [content] : [] }
    var lengthInBytes: Int { content.lengthInBytes }

    var isConnectable: Bool {
        get { content.isConnectable }
        set { content.isConnectable = newValue }
    }

    var isDiscoverable: Bool {
        get { content.flags != nil }
        set { content.flags = newValue ? Self.discoverableFlags : nil }
    }

    mutating func setManufacturerData(_ company: UInt16, _ bytes: [UInt8]?) {
        content.manufacturerData[company] = bytes
    }

    mutating func setServiceData(_ service: String, _ bytes: [UInt8]?) {
        content.serviceData[UUIDText.scripted(service)] = bytes
    }

    mutating func setData(_ type: UInt8, _ bytes: [UInt8]?) {
        content.data[type] = bytes
    }

    mutating func setAppearance(_ appearance: UInt16?) {
        content.appearance = appearance
    }

    mutating func setSignalStrength(_ rssi: Int16) {
        rssiInDBm = rssi
    }

    mutating func leaveRange() {
        isInRange = false
    }

    mutating func returnToRange() {
        isInRange = true
        isUnresponsive = false
    }

    mutating func stopResponding() {
        isUnresponsive = true
    }

    mutating func setAdvertising(_ advertises: Bool) {
        isAdvertising = advertises
    }
}
