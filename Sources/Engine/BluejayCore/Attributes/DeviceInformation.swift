public import FoundationEssentials

/// The contents of a peripheral's Device Information service, `180A`.
///
/// Specified in Device Information Service 1.2. A characteristic that is missing or unreadable is `nil`.
public struct DeviceInformation: Hashable, Swift.Sendable {
    /// Manufacturer Name, `2A29`.
    public var manufacturer: String?
    /// Model Number, `2A24`.
    public var model: String?
    /// Serial Number, `2A25`.
    public var serialNumber: String?
    /// Hardware Revision, `2A27`.
    public var hardwareRevision: String?
    /// Firmware Revision, `2A26`.
    public var firmwareRevision: String?
    /// Software Revision, `2A28`.
    public var softwareRevision: String?
    /// System ID, `2A23`.
    public var systemID: SystemIdentifier?
    /// PnP ID, `2A50`.
    public var plugAndPlayID: PlugAndPlayIdentifier?
    /// IEEE 11073-20601 Regulatory Certification Data List, `2A2A`, undecoded.
    public var regulatoryData: Data?

    /// Creates an empty value.
    public init() {}
}

extension DeviceInformation {
    /// The characteristics, in the order in which they are read.
    package static let characteristics: [CharacteristicIdentifier] = [
        .manufacturerNameString, .modelNumberString, .serialNumberString, .hardwareRevisionString,
        .firmwareRevisionString, .softwareRevisionString, .systemID, .pnpID,
        .regulatoryCertificationDataList,
    ]

    /// Whether a further instance of a characteristic may contribute: the field is `nil` or empty.
    package func lacks(_ characteristic: CharacteristicIdentifier) -> Bool {
        switch characteristic {
        case .manufacturerNameString: manufacturer?.isEmpty != false
        case .modelNumberString: model?.isEmpty != false
        case .serialNumberString: serialNumber?.isEmpty != false
        case .hardwareRevisionString: hardwareRevision?.isEmpty != false
        case .firmwareRevisionString: firmwareRevision?.isEmpty != false
        case .softwareRevisionString: softwareRevision?.isEmpty != false
        case .systemID: systemID == nil
        case .pnpID: plugAndPlayID == nil
        case .regulatoryCertificationDataList: regulatoryData?.isEmpty != false
        default: false
        }
    }

    /// Stores the value of a characteristic; a value that is too short sets `nil`.
    package mutating func decode(_ value: Data, for characteristic: CharacteristicIdentifier) {
        switch characteristic {
        case .manufacturerNameString: manufacturer = Self.text(value)
        case .modelNumberString: model = Self.text(value)
        case .serialNumberString: serialNumber = Self.text(value)
        case .hardwareRevisionString: hardwareRevision = Self.text(value)
        case .firmwareRevisionString: firmwareRevision = Self.text(value)
        case .softwareRevisionString: softwareRevision = Self.text(value)
        case .systemID: systemID = try? SystemIdentifier(bluetoothData: value)
        case .pnpID: plugAndPlayID = try? PlugAndPlayIdentifier(bluetoothData: value)
        case .regulatoryCertificationDataList: regulatoryData = value
        default: break
        }
    }

    // Firmware pads text with zeros, and may use another encoding.
    private static func text(_ value: Data) -> String {
        String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The unique identifier of a device: System ID, `2A23`, an EUI-64.
///
/// A device with a public address derives it from the address, with `FFFE` between the halves.
public struct SystemIdentifier: Hashable, Swift.Sendable {
    /// The manufacturer: 24 bits assigned by the IEEE.
    public let organization: UInt32
    /// The device: 40 bits assigned by the manufacturer.
    public let device: UInt64
}

extension SystemIdentifier: Receivable {
    /// Decodes eight bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        let bits: UInt64 = try bluetoothData.prefix(8).extract(start: 0, length: 8)
        device = bits & 0xFF_FFFF_FFFF
        organization = UInt32(bits >> 40)
    }
}

extension SystemIdentifier: CustomStringConvertible {
    /// The eight bytes in the IEEE's notation of an EUI-64, such as `C4-7C-8D-FF-FE-6A-1F-02`.
    public var description: String {
        let bits = UInt64(organization) << 40 | device
        return (0..<8).map { place in
            Hexadecimal.text(bits >> UInt64(56 - 8 * place) & 0xFF, digits: 2, isUppercase: true)
        }.joined(separator: "-")
    }
}

/// The identifier of a product: PnP ID, `2A50`.
public struct PlugAndPlayIdentifier: Hashable, Swift.Sendable {
    /// The organization that assigned a vendor identifier.
    public enum VendorSource: Hashable, Swift.Sendable {
        /// The Bluetooth SIG; the vendor identifier is a company identifier.
        case bluetooth
        /// The USB Implementers Forum.
        case usb
        /// A reserved number.
        case reserved(UInt8)
    }

    /// The organization that assigned ``vendor``.
    public let vendorSource: VendorSource
    /// The vendor identifier.
    public let vendor: UInt16
    /// The product identifier, assigned by the vendor.
    public let product: UInt16
    /// The version in binary-coded decimal: `0x0213` is 2.1.3.
    public let version: UInt16
}

extension PlugAndPlayIdentifier: Receivable {
    /// Decodes seven bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        let source: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        switch source {
        case 1: vendorSource = .bluetooth
        case 2: vendorSource = .usb
        default: vendorSource = .reserved(source)
        }
        vendor = try bluetoothData.extract(start: 1, length: 2)
        product = try bluetoothData.extract(start: 3, length: 2)
        version = try bluetoothData.extract(start: 5, length: 2)
    }
}
