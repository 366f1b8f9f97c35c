import Bluejay
import BluejayCore
import BluejayGLib
import Foundation

/// The attributes of the device connected last over one bus, stored for completion beside ``LastDevice``.
struct AttributeCache {
    struct Characteristic: Codable, Equatable {
        /// The shortest unambiguous reference by name, or by UUID for a characteristic without a name.
        let name: String
        /// The shortest unambiguous reference by UUID.
        let uuid: String
        /// The supported operations, as `services --json` prints them.
        let properties: [String]
    }

    /// The content of the file.
    struct Content: Codable, Equatable {
        let device: UUID
        /// The names of the services, or their UUIDs.
        let services: [String]
        let characteristics: [Characteristic]
    }

    /// The name of the file, without the suffix of the bus.
    static let fileName = "attributes"

    private let file: URL

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        file = LastDevice.file(named: Self.fileName, environment: environment)
    }

    /// Returns the stored attributes, or `nil` if they belong to another device or are malformed.
    func content(of device: PeripheralIdentifier) -> Content? {
        guard let data = try? Data(contentsOf: file),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.device == device.uuid
        else { return nil }
        return content
    }

    /// Stores the attributes of a device; errors are ignored.
    func save(_ services: [PeripheralService], of device: PeripheralIdentifier) {
        let content = Content(
            device: device.uuid,
            services: services.map { Self.name(of: $0.identifier.uuid) },
            characteristics: Self.characteristics(of: services)
        )
        guard let data = try? JSONEncoder().encode(content) else { return }
        try? PrivateFile(file, ownsFolder: true).write(data)
    }

    /// Returns the references to the characteristics of a device, in its order.
    static func characteristics(of services: [PeripheralService]) -> [Characteristic] {
        let all = services.flatMap(\.characteristics)
        let attributes = all.map { ValueAttribute.characteristic($0) }
        return zip(all, attributes).map { characteristic, attribute in
            let uuid = characteristic.identifier.uuid
            // A device with many instances needs the reference with its service.
            let reference = [uuid.uuidString, attribute.displayText(among: attributes)]
                .first { selects($0, characteristic, in: services) }
            let short = reference ?? attribute.displayText(among: attributes)
            let name = name(of: uuid)
            return Characteristic(
                name: selects(name, characteristic, in: services) ? name : short,
                uuid: short,
                properties: characteristic.properties.flags
            )
        }
    }

    private static func selects(
        _ reference: String,
        _ characteristic: PeripheralCharacteristic,
        in services: [PeripheralService]
    ) -> Bool {
        (try? CharacteristicReference(reference).choose(from: services)) == characteristic
    }

    /// Returns the assigned name without characters that a shell interprets, or the UUID.
    private static func name(of uuid: BluetoothUUID) -> String {
        guard let name = uuid.standardName else { return uuid.uuidString }
        return name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }
}
