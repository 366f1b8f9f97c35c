public import FoundationEssentials

/// The advertised data of a peripheral.
public struct Advertisement: Hashable, Swift.Sendable {
    /// The name the peripheral advertises.
    public var localName: String?

    /// The data of each company, by the company's assigned number.
    public var manufacturerData: [UInt16: Data]

    /// The data of each service.
    public var serviceData: [BluetoothUUID: Data]

    /// The services the peripheral advertises; it may have more.
    public var serviceUUIDs: [BluetoothUUID]

    /// The transmit power in dBm.
    public var txPower: Int?

    /// Whether the peripheral accepts connections; `nil` in a scan, because BlueZ does not report it.
    public var isConnectable: Bool?

    /// Creates an advertisement.
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

    /// The dictionary that CoreBluetooth would provide; absent values have no key.
    ///
    /// The types are `String`, `Data`, `[CBUUID: Data]`, `[CBUUID]`, `Int` and `Bool`; the last two can be
    /// cast to `NSNumber`. The dictionary has room for one company: the one with the lowest number.
    /// ``manufacturerData`` has all companies: in a scan with duplicates, those of the current advertisement;
    /// otherwise, all that bluetoothd remembers.
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

/// The key of the data of one company: `Data` that begins with the company's number, low byte first.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"

/// The key of the data of the services, a `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"

/// The key of the advertised services, a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"

/// The key of the transmit power in dBm, an `Int`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"

/// The key for accepting connections, a `Bool`; absent in a scan, because BlueZ does not report it.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
