import Bluejay
import BluejayAsync
import BluejayCore
import Foundation

/// The texts with which a device describes its characteristics (descriptor 2901).
struct UserDescriptions {
    private static let uuid = BluetoothUUID(uint16: 0x2901)

    private var texts: [CharacteristicIdentifier: String] = [:]

    init(_ texts: [CharacteristicIdentifier: String] = [:]) {
        self.texts = texts
    }

    /// Reads the descriptions; a description that the device does not release is omitted.
    static func read(
        _ services: [PeripheralService],
        from bluejay: Bluejay
    ) async throws -> UserDescriptions {
        var descriptions = UserDescriptions()
        for characteristic in services.flatMap(\.characteristics) {
            guard
                let descriptor = characteristic.descriptorIdentifiers.first(where: {
                    $0.uuid == uuid
                }), let value = try? await bluejay.read(from: descriptor, as: Data.self)
            else {
                try Task.checkCancellation()
                continue
            }
            let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
            if !text.isEmpty { descriptions.texts[characteristic.identifier] = text }
        }
        return descriptions
    }

    /// Unfiltered text of the device.
    subscript(characteristic: CharacteristicIdentifier) -> String? { texts[characteristic] }
}
