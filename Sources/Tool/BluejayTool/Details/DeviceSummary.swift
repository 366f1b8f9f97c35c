import Bluejay
import BluejayCommandLine
import BluejayCore
import Foundation

/// The known facts about a connected device.
struct DeviceSummary: RecordContent {
    static let type = RecordType.device
    let addressKind: String?
    /// The name on this machine.
    let alias: String
    let appearance: UInt16?
    let appearanceName: String?
    let bonded: Bool?
    let firmware: String?
    let hardware: String?
    let identifier: String
    let manufacturer: String?
    let model: String?
    let mtu: Int?
    let paired: Bool
    let product: String?
    /// The signal strength in dBm, which bluetoothd stored from an advertisement.
    let rssi: Int?
    let serialNumber: String?
    let services: Int
    let software: String?
    let systemID: String?

    init(
        _ details: PeripheralDetails,
        _ information: DeviceInformation?,
        mtu: Int?,
        rssi: Int?,
        services: Int
    ) {
        addressKind = details.addressClass?.displayText
        alias = details.alias
        appearance = details.appearance?.rawValue
        appearanceName = details.appearance.flatMap(AppearanceNames.name)
        bonded = details.isBonded
        firmware = information?.firmwareRevision
        hardware = information?.hardwareRevision
        identifier = details.peripheral.uuid.uuidString
        manufacturer = information?.manufacturer
        model = information?.model
        self.mtu = mtu
        paired = details.isPaired
        product = information?.plugAndPlayID?.displayText
        self.rssi = rssi
        serialNumber = information?.serialNumber
        self.services = services
        software = information?.softwareRevision
        systemID = information?.systemID?.description
    }

    /// Returns one line without terminal codes for each known fact; a `nil` width is unlimited.
    func lines(of device: PeripheralIdentifier, width: Int?) -> [String] {
        let pairing = !paired ? "no" : bonded == false ? "yes, until the link ends" : "yes"
        let fields: [(String, String?)] = [
            ("name", alias), ("address", device.address), ("kind", addressKind),
            ("identifier", identifier),
            ("appearance", appearance.map { Appearance(rawValue: $0).displayText }),
            ("paired", pairing),
            ("mtu", mtu.map { "\($0) bytes" }), ("signal", rssi.map { "\($0) dBm" }),
            ("services", "\(services)"), ("manufacturer", manufacturer), ("model", model),
            ("serial number", serialNumber), ("hardware", hardware), ("firmware", firmware),
            ("software", software), ("system id", systemID), ("product", product),
        ]
        return fields.compactMap { title, text in
            text.map { text in
                let line = title.fitted(to: 15) + text.printable
                return width.map(line.truncated) ?? line
            }
        }
    }
}

extension AddressClass {
    fileprivate var displayText: String {
        switch self {
        case .public: "public"
        case .staticRandom: "static random"
        case .resolvablePrivate: "private, resolvable"
        case .nonResolvablePrivate: "private, not resolvable"
        }
    }
}

extension PlugAndPlayIdentifier {
    fileprivate var displayText: String {
        let (source, company): (String, String?) =
            switch vendorSource {
            case .bluetooth: ("Bluetooth", CompanyName.of(vendor))
            case .usb: ("USB", nil)
            case .reserved(let number): ("source \(number)", nil)
            }
        let digits = [vendor, product].map {
            Hexadecimal.text(UInt64($0), digits: 4, isUppercase: true)
        }
        let name = company.map { " (\($0))" } ?? ""
        let version = "\(version >> 8).\(version >> 4 & 0xF).\(version & 0xF)"
        return "\(source) vendor 0x\(digits[0])\(name), product 0x\(digits[1]), version \(version)"
    }
}
