import Bluejay
import BluejayCommandLine
import BluejayCore
import Foundation

/// The display texts of one scanned device.
struct ScanRow {
    let discovery: ScanDiscovery

    init(_ discovery: ScanDiscovery) {
        self.discovery = discovery
    }

    /// A connected device, which may not advertise.
    init(_ known: KnownPeripheral) {
        let services = known.services.map(\.uuid)
        self.init(
            ScanDiscovery(
                peripheralIdentifier: known.identifier,
                advertisement: Advertisement(localName: known.name, serviceUUIDs: services),
                rssi: known.rssi ?? 127,
                isConnected: known.isConnected
            )
        )
    }

    /// The same device after its connection has ended, before it has advertised.
    var disconnected: ScanRow {
        ScanRow(
            ScanDiscovery(
                peripheralIdentifier: identifier,
                advertisement: discovery.advertisement,
                rssi: 127
            )
        )
    }

    var identifier: PeripheralIdentifier { discovery.peripheralIdentifier }

    /// The identifier with the advertised name, if there is one.
    var named: PeripheralIdentifier {
        PeripheralIdentifier(
            uuid: identifier.uuid,
            name: discovery.advertisement.localName ?? identifier.name
        )
    }

    var name: String { named.name.printable }

    /// Whether the name only stands for a missing one.
    var isNameless: Bool {
        named.name == PeripheralIdentifier(uuid: identifier.uuid, name: nil).name
    }

    var address: String { identifier.address ?? identifier.uuid.uuidString }

    /// The signal strength in dBm, or `nil` if unknown.
    var rssi: Int? { discovery.rssi == 127 ? nil : discovery.rssi }

    /// The advertised services by name, or by UUID if they have none.
    var services: [String] {
        discovery.advertisement.serviceUUIDs.map { $0.assignedName ?? $0.uuidString.printable }
    }

    /// The advertised manufacturer data, with the company's name if it is in the table.
    var companies: [(number: String, data: String, name: String?)] {
        discovery.advertisement.manufacturerData.sorted { $0.key < $1.key }.map {
            (
                Hexadecimal.text(UInt64($0.key), digits: 4, isUppercase: true),
                $0.value.hexadecimal, CompanyName.of($0.key)
            )
        }
    }

    /// The output line for programs: tab-separated fields.
    var line: String {
        [
            address, rssi.map(String.init) ?? "-", name, services.joined(separator: ", "),
            companies.map { "0x\($0.number) \($0.data)" }.joined(separator: ", "),
            discovery.isConnected ? "connected" : "",
        ].joined(separator: "\t")
    }

    /// The device of a line of JSON.
    var outputDevice: OutputDevice {
        OutputDevice(address: address, name: discovery.advertisement.localName ?? identifier.name)
    }
}
