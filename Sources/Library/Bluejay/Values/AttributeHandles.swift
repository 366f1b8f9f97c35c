internal import BluejayBlueZ

/// The handles of a connected peripheral's attributes, without those that bluetoothd hides.
package struct AttributeHandles: Swift.Sendable {
    package private(set) var services: [ServiceIdentifier: UInt16] = [:]
    /// The handles of the declarations.
    package private(set) var characteristics: [CharacteristicIdentifier: UInt16] = [:]
    package private(set) var descriptors: [DescriptorIdentifier: UInt16] = [:]

    init(_ services: [RemoteService]) {
        for service in services {
            self.services[service.identifier] = service.handle
            for characteristic in service.characteristics {
                characteristics[characteristic.identifier] = characteristic.handle
                let identifiers = PeripheralCharacteristic(characteristic).descriptorIdentifiers
                for (identifier, descriptor) in zip(identifiers, characteristic.descriptors) {
                    descriptors[identifier] = descriptor.handle
                }
            }
        }
    }
}
