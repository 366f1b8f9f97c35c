internal import BluejayDBus
internal import BluejayGLib

/// The GATT objects of one remote device: they appear when its services are first resolved, and stay.
final class GattClient {
    unowned let device: RemoteDevice
    private var database = AttributeDatabase()
    private var characteristics: [GattCharacteristicObject] = []
    private(set) var link: AirLink?
    private(set) weak var peer: (any AirPeer)?

    init(_ device: RemoteDevice) {
        self.device = device
    }

    var world: SimulatedBlueZ { device.adapter.world }
    var hasObjects: Bool { !database.services.isEmpty }
    var serviceUUIDs: [String] { database.services.map(\.uuid) }

    func linkUp(_ link: AirLink, _ peer: any AirPeer) {
        self.link = link
        self.peer = peer
        // Subscriptions outlive the link: they are renewed on the next one.
        for object in characteristics where object.isNotifying { object.renewSubscription() }
    }

    func linkDown() {
        link = nil
        for object in characteristics { object.linkDown() }
    }

    func clientGone(_ client: String) {
        for object in characteristics { object.clientGone(client) }
    }

    /// A notification or an indication came.
    func received(_ handle: UInt16, _ value: [UInt8]) {
        characteristics.first { $0.attribute.valueHandle == handle }?.received(value)
    }

    /// An ATT transaction timed out: all of them end, and the link with them.
    func attributeTimedOut() {
        for object in characteristics {
            object.failPending(BlueZError.attribute(0x0E, isWrite: false))
        }
        device.attributeTimedOut()
    }

    // MARK: Objects

    /// Brings the objects to what the peer has; false when there was no difference.
    func update(to new: AttributeDatabase, is586: Bool) -> Bool {
        // Generic Access is bluetoothd's own affair before 5.80.
        let gap = fullUUID("1800")
        let visible = AttributeDatabase(
            services: new.services.filter { is586 || $0.uuid != gap }
        )
        guard visible != database else { return false }
        for service in database.services.reversed() where !visible.services.contains(service) {
            remove(service)
        }
        let kept = database.services
        database = visible
        for service in visible.services where !kept.contains(service) { add(service) }
        return true
    }

    func removeObjects() {
        for service in database.services { remove(service) }
        database = AttributeDatabase()
    }

    private func path(_ service: AttributeDatabase.Service) -> ObjectPath {
        device.path.child("service" + hexHandle(service.handle)) ?? device.path
    }

    private func add(_ service: AttributeDatabase.Service) {
        let path = path(service)
        let owner = device.path
        let server = world.server
        export(
            BusInterface(
                "org.bluez.GattService1",
                properties: [
                    BusProperty("UUID", "s", get: { .string(service.uuid) }),
                    BusProperty("Device", "o", get: { .objectPath(owner) }),
                    BusProperty("Primary", "b", get: { .boolean(service.isPrimary) }),
                    BusProperty("Includes", "ao", get: { .array([], element: "o") }),
                ]
            ),
            path
        )
        for attribute in service.characteristics {
            let object = GattCharacteristicObject(attribute, service: path, of: self)
            characteristics.append(object)
            server.export([object.interface], at: object.path)
            server.emitInterfacesAdded(object.path, manager: .root)
            for descriptor in attribute.descriptors {
                export(descriptorInterface(descriptor, object), descriptorPath(descriptor, object))
            }
        }
    }

    private func remove(_ service: AttributeDatabase.Service) {
        let path = path(service)
        for object in characteristics where object.path.isBelow(path) {
            object.failPending(BlueZError.failed("Operation failed with ATT error: 0x0e"))
            for descriptor in object.attribute.descriptors {
                let path = descriptorPath(descriptor, object)
                world.server.unexport(path)
                device.emitRemoved(path, "org.bluez.GattDescriptor1")
            }
            world.server.unexport(object.path)
            device.emitRemoved(object.path, "org.bluez.GattCharacteristic1")
        }
        characteristics.removeAll { $0.path.isBelow(path) }
        world.server.unexport(path)
        device.emitRemoved(path, "org.bluez.GattService1")
    }

    private func export(_ interface: BusInterface, _ path: ObjectPath) {
        world.server.export([interface], at: path)
        world.server.emitInterfacesAdded(path, manager: .root)
    }

    private func descriptorPath(
        _ descriptor: AttributeDatabase.Descriptor,
        _ owner: GattCharacteristicObject
    ) -> ObjectPath {
        owner.path.child("desc" + hexHandle(descriptor.handle)) ?? owner.path
    }

    private func descriptorInterface(
        _ descriptor: AttributeDatabase.Descriptor,
        _ owner: GattCharacteristicObject
    ) -> BusInterface {
        let path = owner.path
        return BusInterface(
            "org.bluez.GattDescriptor1",
            properties: [
                BusProperty("UUID", "s", get: { .string(descriptor.uuid) }),
                BusProperty("Characteristic", "o", get: { .objectPath(path) }),
                BusProperty("Value", "ay", get: { .bytes([]) }),
            ],
            methods: [
                BusMethod("ReadValue", takes: "a{sv}", gives: "ay") {
                    [weak self, weak owner] call in
                    self?.readDescriptor(descriptor, owner, call)
                },
                BusMethod("WriteValue", takes: "aya{sv}") { call in
                    // bluetoothd keeps the Client Characteristic Configuration to itself.
                    call.fail(BlueZError.make("NotPermitted", "Write not permitted"))
                },
            ]
        )
    }

    private func readDescriptor(
        _ descriptor: AttributeDatabase.Descriptor,
        _ owner: GattCharacteristicObject?,
        _ call: MethodInvocation
    ) {
        guard let link, let peer else { return call.fail(BlueZError.notConnected) }
        if descriptor.uuid == fullUUID("2902") {
            return call.reply([.bytes(owner?.isNotifying == true ? [1, 0] : [0, 0])])
        }
        peer.read(descriptor.handle, offset: 0, link) { answer in
            switch answer {
            case .value(let bytes): call.reply([.bytes(bytes)])
            case .refused(let code): call.fail(BlueZError.attribute(code, isWrite: false))
            }
        }
    }
}
