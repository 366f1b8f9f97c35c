package import BluejayDBus
package import FoundationEssentials

/// One service on the bus, as an application of its own.
///
/// bluetoothd ignores what is added to an application later, so one application with all services would
/// have to be registered anew for each change, and the handles of all of them would change.
package final class GATTApplication: RegistrableObject {
    private let service: ServedService
    private let path: ObjectPath
    private let servicePath: ObjectPath
    private let characteristicPaths: [ObjectPath]
    /// Made with the first value of each.
    private var changes: [Int: PropertiesChangedTemplate] = [:]

    /// - Parameters:
    ///   - service: Its handlers are held by whoever publishes it.
    ///   - path: A path that nothing else has.
    package init(_ service: ServedService, at path: ObjectPath) {
        self.service = service
        self.path = path
        let servicePath = path.below("service0")
        self.servicePath = servicePath
        characteristicPaths = service.characteristics.indices.map {
            servicePath.below("char\($0)")
        }
    }

    package func registration(at adapter: ObjectPath) -> MethodCall {
        GattManager1.registerApplication(path, at: adapter)
    }

    package func unregistration(at adapter: ObjectPath) -> MethodCall {
        GattManager1.unregisterApplication(path, at: adapter)
    }

    // bluetoothd makes the attributes in the order of the answer: parents first.
    package func export(on objects: ObjectServer) {
        objects.export(
            [ExportedGattService1.busInterface(uuid: service.uuid, isPrimary: service.isPrimary)],
            at: servicePath
        )
        for (characteristic, path) in zip(service.characteristics, characteristicPaths) {
            objects.export(
                [ExportedGattCharacteristic1.busInterface(characteristic, service: servicePath)],
                at: path
            )
        }
        for (characteristic, path) in zip(service.characteristics, characteristicPaths) {
            for (number, descriptor) in characteristic.descriptors.enumerated() {
                objects.export(
                    [ExportedGattDescriptor1.busInterface(descriptor, characteristic: path)],
                    at: path.below("desc\(number)")
                )
            }
        }
        objects.exportManager(at: path)
    }

    package func unexport(from objects: ObjectServer) {
        objects.unexportManager(at: path)
        for (characteristic, path) in zip(service.characteristics, characteristicPaths).reversed() {
            for number in characteristic.descriptors.indices.reversed() {
                objects.unexport(path.below("desc\(number)"))
            }
            objects.unexport(path)
        }
        objects.unexport(servicePath)
    }

    /// Gives a value to bluetoothd, which sends it to every subscriber.
    ///
    /// - Parameters:
    ///   - value: At most 512 bytes; each central gets what its MTU holds.
    ///   - index: The place of the characteristic in the service.
    ///   - objects: Where the service is exported.
    package func emit(_ value: Data, ofCharacteristic index: Int, on objects: ObjectServer) {
        guard characteristicPaths.indices.contains(index) else { return }
        if changes[index] == nil {
            changes[index] = ExportedGattCharacteristic1.valueChange(of: characteristicPaths[index])
        }
        if let change = changes[index] { objects.emit(change, value) }
    }
}

extension ObjectPath {
    /// The path one step below; `name` is one of this file's own.
    fileprivate func below(_ name: String) -> ObjectPath { child(name) ?? self }
}
