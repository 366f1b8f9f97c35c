internal import BluejayDBus
internal import OrderedCollections

/// The services of one device as objects on the bus; they outlive the link.
final class GATTClientObjects {
    unowned let device: Device
    /// All known services of the peer, including hidden ones.
    private(set) var services: [AttributeDatabase.Service] = []
    /// Characteristics by the handle of their value.
    private var characteristics: OrderedDictionary<UInt16, ClientCharacteristic> = [:]
    private var descriptors: [UInt16: ClientDescriptor] = [:]

    init(_ device: Device) {
        self.device = device
    }

    var isEmpty: Bool { services.isEmpty }

    // MARK: Objects

    /// Updates the objects to a database; objects of unchanged services stay, with their subscriptions.
    func update(to database: AttributeDatabase) {
        let old = services
        let new = database.services
        services = new
        for service in old where !new.contains(where: service.looksLike) { remove(service) }
        for service in new where !old.contains(where: service.looksLike) { add(service) }
    }

    /// Removes services invalidated by Service Changed, even if an identical service exists again.
    ///
    /// - Returns: Whether a service was removed.
    func removeInvalid(_ database: AttributeDatabase) -> Bool {
        let invalid = services.filter { !database.services.contains($0) }
        services.removeAll { invalid.contains($0) }
        for service in invalid { remove(service) }
        return !invalid.isEmpty
    }

    private func isVisible(_ service: AttributeDatabase.Service) -> Bool {
        device.world.version.exportsClaimedServices || !ClaimedServices.contains(service.uuid)
    }

    func removeAll() {
        let all = services
        services = []
        for service in all { remove(service) }
    }

    /// Forgets all objects without signals, after the bus has already lost them.
    func forgetAll() {
        services = []
        characteristics = [:]
        descriptors = [:]
    }

    private func add(_ service: AttributeDatabase.Service) {
        guard isVisible(service), let path = path(of: service) else { return }
        let world = device.world
        let isClaimed = ClaimedServices.contains(service.uuid)
        world.bus.export([interface(of: service)], at: path)
        for characteristic in service.characteristics {
            guard let child = path.child("char" + HexNumber.text(characteristic.handle, digits: 4))
            else {
                continue
            }
            let object = ClientCharacteristic(
                characteristic,
                at: child,
                in: path,
                of: device,
                isClaimed: isClaimed
            )
            characteristics[characteristic.valueHandle] = object
            world.bus.export([object.interface], at: child)
            for descriptor in characteristic.descriptors {
                guard let leaf = child.child("desc" + HexNumber.text(descriptor.handle, digits: 4))
                else { continue }
                let leafObject = ClientDescriptor(
                    descriptor,
                    at: leaf,
                    in: child,
                    of: device,
                    isClaimed: isClaimed
                )
                descriptors[descriptor.handle] = leafObject
                world.bus.export([leafObject.interface], at: leaf)
            }
        }
    }

    private func remove(_ service: AttributeDatabase.Service) {
        guard let path = path(of: service) else { return }
        let world = device.world
        for characteristic in service.characteristics {
            guard let child = path.child("char" + HexNumber.text(characteristic.handle, digits: 4))
            else {
                continue
            }
            characteristics.removeValue(forKey: characteristic.valueHandle)?.close()
            for descriptor in characteristic.descriptors {
                descriptors.removeValue(forKey: descriptor.handle)?.close()
                if let leaf = child.child("desc" + HexNumber.text(descriptor.handle, digits: 4)) {
                    world.bus.unexport(leaf)
                }
            }
            world.bus.unexport(child)
        }
        world.bus.unexport(path)
    }

    private func path(of service: AttributeDatabase.Service) -> ObjectPath? {
        device.path.child("service" + HexNumber.text(service.handle, digits: 4))
    }

    private func interface(of service: AttributeDatabase.Service) -> BusInterface {
        var properties = [
            BusProperty("UUID", "s") { .string(service.uuid) },
            BusProperty("Device", "o") { [path = device.path] in .objectPath(path) },
            BusProperty("Primary", "b") { .boolean(service.isPrimary) },
            BusProperty("Includes", "ao") { [weak self] in self?.includes(of: service) },
        ]
        if device.world.version.hasHandles {
            properties.insert(BusProperty("Handle", "q") { .uint16(service.handle) }, at: 0)
        }
        return BusInterface(BlueZNames.gattService, properties: properties)
    }

    // Services that bluetoothd hides have no path.
    private func includes(of service: AttributeDatabase.Service) -> BusValue {
        let included = services.filter { service.includes.contains($0.handle) && isVisible($0) }
        return .array(included.compactMap(path(of:)).map { .objectPath($0) }, element: "o")
    }

    /// The number of characteristics with subscribers.
    var subscribedCount: Int { characteristics.values.count(where: \.hasSubscribers) }

    /// The object of the first characteristic with a full UUID, or `nil`.
    func path(ofCharacteristic uuid: String) -> ObjectPath? {
        characteristics.values.first { $0.attribute.uuid == uuid }?.path
    }

    func mtuChanged() {
        for characteristic in characteristics.values { characteristic.changed("MTU") }
    }

    // MARK: Events

    func received(_ handle: UInt16, _ value: [UInt8]) {
        characteristics[handle]?.received(value)
    }

    func hasSubscribers(_ handle: UInt16) -> Bool {
        characteristics[handle]?.hasSubscribers ?? false
    }

    /// Renews the subscriptions after a reconnection; `completion` is called after all of them.
    func resubscribe(completion: @escaping () -> Void) {
        let all = Array(characteristics.values)
        var left = all.count
        guard left > 0 else { return completion() }
        for characteristic in all {
            characteristic.resubscribe {
                left -= 1
                if left == 0 { completion() }
            }
        }
    }

    func linkEnded() {
        for characteristic in characteristics.values { characteristic.linkEnded() }
    }

    func clientDisconnected(_ client: String) {
        for characteristic in characteristics.values { characteristic.clientDisconnected(client) }
    }
}
