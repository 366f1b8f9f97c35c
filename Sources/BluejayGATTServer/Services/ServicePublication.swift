internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import Foundation

/// One service on the bus, as an application of its own.
///
/// bluetoothd ignores what is added to an application later, so one application with all services would
/// have to be registered anew for each change, and the handles of all of them would change.
final class ServicePublication: Publishable {
    let service: LocalService
    let manager = BlueZ.gattManager
    let kind = "Application"
    let path: ObjectPath
    let characteristics: [PublishedCharacteristic]
    private let descriptors: [PublishedDescriptor]
    private let servicePath: ObjectPath

    /// Registers and withdraws it.
    var publication: Publication?

    init(_ service: LocalService, at path: ObjectPath, client: BlueZClient) {
        self.service = service
        self.path = path
        let servicePath = path.below("service0")
        self.servicePath = servicePath
        var descriptors: [PublishedDescriptor] = []
        characteristics = service.characteristics.enumerated().map { index, characteristic in
            let path = servicePath.below("char\(index)")
            for (number, descriptor) in characteristic.descriptors.enumerated() {
                descriptors.append(
                    PublishedDescriptor(
                        descriptor,
                        at: path.below("desc\(number)"),
                        characteristic: path,
                        client: client
                    )
                )
            }
            return PublishedCharacteristic(
                characteristic,
                at: path,
                service: servicePath,
                client: client
            )
        }
        self.descriptors = descriptors
        for (characteristic, published) in zip(service.characteristics, characteristics) {
            characteristic.published = published
        }
    }

    // bluetoothd makes the attributes in the order of the answer: parents first.
    func export(on objects: ObjectServer) {
        let uuid = service.uuid.canonicalText
        let isPrimary = service.isPrimary
        objects.export(
            [
                BusInterface(
                    BlueZ.gattService,
                    properties: [
                        BusProperty("UUID", "s", get: { .string(uuid) }),
                        BusProperty("Primary", "b", get: { .boolean(isPrimary) }),
                    ]
                )
            ],
            at: servicePath
        )
        for characteristic in characteristics {
            objects.export([characteristic.interface], at: characteristic.path)
        }
        for descriptor in descriptors {
            objects.export([descriptor.interface], at: descriptor.path)
        }
        objects.exportManager(at: path)
    }

    func unexport(from objects: ObjectServer) {
        objects.unexportManager(at: path)
        for descriptor in descriptors { objects.unexport(descriptor.path) }
        for characteristic in characteristics { objects.unexport(characteristic.path) }
        objects.unexport(servicePath)
    }

    func contains(_ characteristic: PublishedCharacteristic) -> Bool {
        characteristics.contains { $0 === characteristic }
    }

    /// Lets the characteristics be published again.
    func detach() {
        for characteristic in service.characteristics { characteristic.published = nil }
    }

    func registered() {}

    var isOver: Bool { false }

    func forget() {
        for characteristic in characteristics { characteristic.forget() }
    }

    func centralsChanged(areAny: Bool) {
        for characteristic in characteristics { characteristic.centralsChanged(areAny: areAny) }
    }

    func centralLeft(_ device: String) {
        for characteristic in characteristics { characteristic.centralLeft(device) }
        for descriptor in descriptors { descriptor.centralLeft(device) }
    }
}

extension ObjectPath {
    /// The path one step below; `name` is one of this module's own.
    fileprivate func below(_ name: String) -> ObjectPath { child(name) ?? self }
}
