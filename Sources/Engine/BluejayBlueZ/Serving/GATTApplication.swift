package import BluejayDBus
package import FoundationEssentials

/// One exported service, as a separate application.
///
/// bluetoothd ignores objects added to a registered application. A single application for all services
/// would therefore need a new registration for each change, which would change all handles.
package final class GATTApplication: RegistrableObject {
    private let service: ExportedService
    private let path: ObjectPath
    private let servicePath: ObjectPath
    private let characteristicPaths: [ObjectPath]
    /// Templates of value changes, created with the first value of each characteristic.
    private var changes: [Int: PropertiesChangedTemplate] = [:]

    /// - Parameters:
    ///   - service: The service; its publisher retains the handlers.
    ///   - path: A path that no other object has.
    package init(_ service: ExportedService, at path: ObjectPath) {
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

    // bluetoothd creates the attributes in the order of the reply: parents first.
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

    /// Passes a value to bluetoothd, which sends it to every subscriber.
    ///
    /// - Parameters:
    ///   - value: At most 512 bytes; bluetoothd truncates it to each central's MTU.
    ///   - index: The index of the characteristic in the service.
    ///   - objects: The server that exports the service.
    package func emit(_ value: Data, ofCharacteristic index: Int, on objects: ObjectServer) {
        guard characteristicPaths.indices.contains(index) else { return }
        if changes[index] == nil {
            changes[index] = ExportedGattCharacteristic1.valueChange(of: characteristicPaths[index])
        }
        if let change = changes[index] { objects.emit(change, value) }
    }
}

extension ObjectPath {
    /// The path one step below; `name` must be a valid path element.
    fileprivate func below(_ name: String) -> ObjectPath { child(name) ?? self }
}
