import BluejayCore

/// The keys that name a characteristic, part of several lines of JSON.
struct CharacteristicRecord: Encodable, Equatable, Sendable {
    let service: String
    let serviceInstance: Int
    let characteristic: String
    let characteristicName: String?
    let instance: Int
    let handle: Int?

    init(_ characteristic: CharacteristicIdentifier, handle: UInt16? = nil) {
        service = characteristic.service.uuid.uuidString
        serviceInstance = characteristic.service.instance
        self.characteristic = characteristic.uuid.uuidString
        characteristicName = characteristic.uuid.standardName
        instance = characteristic.instance
        self.handle = handle.map(Int.init)
    }
}
