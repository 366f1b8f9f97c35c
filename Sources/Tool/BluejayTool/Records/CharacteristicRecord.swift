import Bluejay
import BluejayCore

/// The keys that name a characteristic or one of its descriptors, part of several lines of JSON.
struct CharacteristicRecord: Encodable, Equatable, Sendable {
    let service: String
    let serviceInstance: Int
    let characteristic: String
    let characteristicName: String?
    let instance: Int
    var descriptor: String?
    var descriptorName: String?
    var descriptorInstance: Int?
    /// The handle of the descriptor, or else of the characteristic.
    var handle: Int?

    init(_ characteristic: CharacteristicIdentifier, handle: UInt16? = nil) {
        service = characteristic.service.uuid.uuidString
        serviceInstance = characteristic.service.instance
        self.characteristic = characteristic.uuid.uuidString
        characteristicName = characteristic.uuid.assignedName
        instance = characteristic.instance
        self.handle = handle.map(Int.init)
    }

    init(_ attribute: ValueAttribute, _ handles: AttributeHandles) {
        self.init(
            attribute.characteristic,
            handle: handles.characteristics[attribute.characteristic]
        )
        guard let descriptor = attribute.descriptor else { return }
        self.descriptor = descriptor.uuid.uuidString
        descriptorName = descriptor.uuid.assignedName
        descriptorInstance = descriptor.instance
        handle = handles.descriptors[descriptor].map(Int.init)
    }
}
