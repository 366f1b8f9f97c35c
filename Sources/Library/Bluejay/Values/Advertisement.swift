internal import BluejayCore
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

    /// The flags, or `nil` if the peripheral sends none.
    public var flags: AdvertisingFlags?

    /// The appearance, or `nil` if the peripheral sends none.
    public var appearance: Appearance?

    /// The bytes of the fields that BlueZ does not interpret, by their AD type.
    ///
    /// The types are those of Bluetooth's Assigned Numbers, 2.3, such as 0x24 for a URI. Fields that BlueZ
    /// interprets are in the other properties only.
    public var rawFields: [UInt8: Data]

    /// Creates an advertisement.
    public init(
        localName: String? = nil,
        manufacturerData: [UInt16: Data] = [:],
        serviceData: [BluetoothUUID: Data] = [:],
        serviceUUIDs: [BluetoothUUID] = [],
        txPower: Int? = nil,
        isConnectable: Bool? = nil,
        flags: AdvertisingFlags? = nil,
        appearance: Appearance? = nil,
        rawFields: [UInt8: Data] = [:]
    ) {
        self.localName = localName
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.serviceUUIDs = serviceUUIDs
        self.txPower = txPower
        self.isConnectable = isConnectable
        self.flags = flags
        self.appearance = appearance
        self.rawFields = rawFields
    }

    /// The services the peripheral searches for, from ``rawFields``; an incomplete UUID is omitted.
    public var solicitedServiceUUIDs: [BluetoothUUID] {
        // Core Specification Supplement, Part A, 1.10: lists of UUIDs of 16, 32 and 128 bits.
        let lists: [(type: UInt8, length: Int)] = [(0x14, 2), (0x1F, 4), (0x15, 16)]
        return lists.flatMap { type, length in
            let bytes = Array(rawFields[type] ?? Data())
            return stride(from: 0, through: bytes.count - length, by: length).compactMap {
                BluetoothUUID(littleEndian: bytes[$0..<$0 + length])
            }
        }
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
        let solicited = solicitedServiceUUIDs
        if !solicited.isEmpty {
            packet[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited
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

/// The key of the services the peripheral searches for, a `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

/// The key of the transmit power in dBm, an `Int`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"

/// The key for accepting connections, a `Bool`; absent in a scan, because BlueZ does not report it.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"

/// The flags of an advertisement (Core Specification Supplement, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Swift.Sendable {
    /// The first octet of the field.
    public let rawValue: UInt8

    /// Creates flags from their octet.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The peripheral is discoverable for a short time.
    public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)

    /// The peripheral is discoverable.
    public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)

    /// The peripheral does not support Bluetooth Classic.
    public static let classicNotSupported = AdvertisingFlags(rawValue: 0x04)

    /// The peripheral's controller supports Low Energy and Classic at the same time.
    public static let simultaneousController = AdvertisingFlags(rawValue: 0x08)
}

extension AdvertisingFlags: CustomStringConvertible {
    /// The names of the flags, such as `general discoverable, no Classic`; reserved bits as a number.
    public var description: String {
        let names: [(AdvertisingFlags, String)] = [
            (.limitedDiscoverable, "limited discoverable"),
            (.generalDiscoverable, "general discoverable"),
            (.classicNotSupported, "no Classic"),
            (.simultaneousController, "Low Energy and Classic at the same time"),
        ]
        var texts = names.filter { contains($0.0) }.map(\.1)
        let reserved = rawValue & 0xF0
        if reserved != 0 {
            texts.append("0x" + Hexadecimal.text(UInt64(reserved), digits: 2, isUppercase: true))
        }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }
}
