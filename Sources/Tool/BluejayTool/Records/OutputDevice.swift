import BluejayCore
import Foundation

/// The device of a line of JSON.
struct OutputDevice: Equatable, Sendable {
    let address: String
    /// The name as received, including control characters, which JSON escapes.
    let name: String

    init(address: String, name: String) {
        self.address = address
        self.name = name
    }

    init(_ device: PeripheralIdentifier) {
        self.init(address: device.address ?? device.uuid.uuidString, name: device.name)
    }
}
