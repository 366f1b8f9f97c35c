public import FoundationEssentials

/// What a peripheral says about itself before it is connected.
public struct Advertisement: Hashable, Swift.Sendable {
    /// The name the peripheral advertises.
    public var localName: String?

    /// The data of each company, by the company's assigned number.
    public var manufacturerData: [UInt16: Data]

    /// The data of each service.
    public var serviceData: [BluetoothUUID: Data]

    /// The services the peripheral advertises; it may have more.
    public var serviceUUIDs: [BluetoothUUID]

    /// The power at which the peripheral sends, in dBm.
    public var txPower: Int?

    /// Whether the peripheral accepts connections; nil in a scan, for BlueZ does not tell.
    public var isConnectable: Bool?

    /// Makes an advertisement.
    public init(
        localName: String? = nil,
        manufacturerData: [UInt16: Data] = [:],
        serviceData: [BluetoothUUID: Data] = [:],
        serviceUUIDs: [BluetoothUUID] = [],
        txPower: Int? = nil,
        isConnectable: Bool? = nil
    ) {
        self.localName = localName
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.serviceUUIDs = serviceUUIDs
        self.txPower = txPower
        self.isConnectable = isConnectable
    }

    /// The dictionary CoreBluetooth would give; absent values have no key.
    ///
    /// The types are `String`, `Data`, `[CBUUID: Data]`, `[CBUUID]`, `Int` and `Bool`; the last two
    /// can be cast to `NSNumber`. The dictionary has room for one company: that with the lowest
    /// number. ``manufacturerData`` has all of them. A scan with duplicates has those of the present
    /// advertisement, another one all that bluetoothd remembers.
    var packet: [String: Any] {
        var packet: [String: Any] = [:]
        packet[CBAdvertisementDataIsConnectable] = isConnectable
        packet[CBAdvertisementDataLocalNameKey] = localName
        packet[CBAdvertisementDataTxPowerLevelKey] = txPower
        if let first = manufacturerData.min(by: { $0.key < $1.key }) {
            packet[CBAdvertisementDataManufacturerDataKey] =
                first.key.toBluetoothData() + first.value
        }
        if !serviceData.isEmpty {
            packet[CBAdvertisementDataServiceDataKey] = serviceData
        }
        if !serviceUUIDs.isEmpty {
            packet[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs
        }
        return packet
    }
}

/// The key of the advertised name, a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"

/// The key of the data of one company: `Data` that begins with the company's number, the lower
/// byte first.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"

/// The key of the data of the services, a `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"

/// The key of the advertised services, a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"

/// The key of the sending power in dBm, an `Int`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"

/// The key of whether the peripheral accepts connections, a `Bool`; not there in a scan, for BlueZ
/// does not tell.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
