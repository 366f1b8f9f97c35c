import Bluejay
import Foundation

struct DiscoveryJSON: RecordContent {
    static let type = RecordType.discovery
    let appearance: UInt16?
    let appearanceName: String?
    let connected: Bool
    let identifier: String
    let manufacturerData: [String: String]
    let rssi: Int?
    let serviceData: [String: String]
    let services: [String]
    let txPower: Int?

    init(_ device: ScanRow) {
        let advertisement = device.discovery.advertisement
        appearance = advertisement.appearance?.rawValue
        appearanceName = advertisement.appearance.flatMap(AppearanceNames.name)
        connected = device.discovery.isConnected
        identifier = device.identifier.uuid.uuidString
        manufacturerData = Dictionary(
            uniqueKeysWithValues: device.companies.map { ($0.number, $0.data) }
        )
        rssi = device.rssi
        serviceData = Dictionary(
            uniqueKeysWithValues: advertisement.serviceData.map {
                ($0.key.uuidString, $0.value.hexadecimal)
            }
        )
        services = advertisement.serviceUUIDs.map(\.uuidString)
        txPower = advertisement.txPower
    }
}
