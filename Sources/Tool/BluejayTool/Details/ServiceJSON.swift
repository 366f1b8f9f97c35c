import Bluejay
import BluejayCore

struct ServiceJSON: RecordContent {
    struct Descriptor: Encodable {
        let descriptor: String
        let descriptorName: String?
        let instance: Int
        let handle: Int?
    }

    struct Characteristic: Encodable {
        let characteristic: String
        let characteristicName: String?
        let instance: Int
        let handle: Int?
        let description: String?
        let properties: [String]
        let descriptors: [Descriptor]
    }

    static let type = RecordType.service
    let service: String
    let serviceName: String?
    let serviceInstance: Int
    let handle: Int?
    let primary: Bool
    let characteristics: [Characteristic]

    init(
        _ service: PeripheralService,
        _ handles: AttributeHandles,
        _ descriptions: UserDescriptions
    ) {
        self.service = service.identifier.uuid.uuidString
        serviceName = service.identifier.uuid.assignedName
        serviceInstance = service.identifier.instance
        handle = handles.services[service.identifier].map(Int.init)
        primary = service.isPrimary
        characteristics = service.characteristics.map { characteristic in
            let identifier = characteristic.identifier
            return Characteristic(
                characteristic: identifier.uuid.uuidString,
                characteristicName: identifier.uuid.assignedName,
                instance: identifier.instance,
                handle: handles.characteristics[identifier].map(Int.init),
                description: descriptions[identifier],
                properties: characteristic.properties.flags,
                descriptors: characteristic.descriptorIdentifiers.map { descriptor in
                    Descriptor(
                        descriptor: descriptor.uuid.uuidString,
                        descriptorName: descriptor.uuid.assignedName,
                        instance: descriptor.instance,
                        handle: handles.descriptors[descriptor].map(Int.init)
                    )
                }
            )
        }
    }
}
