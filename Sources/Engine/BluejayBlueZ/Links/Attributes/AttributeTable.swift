internal import BluejayCore
internal import BluejayDBus

/// The services of one link, with an index of their attributes.
struct AttributeTable {
    private(set) var services: [RemoteService] = []
    private var byIdentifier: [CharacteristicIdentifier: RemoteCharacteristic] = [:]
    private var byPath: [ObjectPath: RemoteCharacteristic] = [:]
    private var byID = NumberTable<RemoteCharacteristic>()
    private var descriptors: [AttributeStateMachine.AttributeID: RemoteDescriptor] = [:]
    private var descriptorsByPath: [ObjectPath: RemoteDescriptor] = [:]
    private var present: Set<ServiceIdentifier> = []
    private var lastID = 0

    // Inlined, because a call copies the table for 490 instructions.
    @inline(__always)
    func characteristic(_ identifier: CharacteristicIdentifier) -> RemoteCharacteristic? {
        byIdentifier[identifier] ?? (identifier.service.isAny ? only(identifier.uuid) : nil)
    }

    /// The characteristic with a UUID, or `nil` if none or several have it.
    private func only(_ uuid: BluetoothUUID) -> RemoteCharacteristic? {
        var found: RemoteCharacteristic?
        for characteristic in byIdentifier.values where characteristic.identifier.uuid == uuid {
            guard found == nil else { return nil }
            found = characteristic
        }
        return found
    }

    func characteristic(at path: ObjectPath) -> RemoteCharacteristic? { byPath[path] }

    func characteristic(_ id: AttributeStateMachine.AttributeID) -> RemoteCharacteristic? {
        byID[id]
    }

    func descriptor(_ id: AttributeStateMachine.AttributeID) -> RemoteDescriptor? {
        descriptors[id]
    }

    func has(_ service: ServiceIdentifier) -> Bool { present.contains(service) }

    /// Updates the services from the object tree; existing characteristics keep their objects.
    ///
    /// - Parameters:
    ///   - found: The services that have objects.
    ///   - hasBattery: Whether bluetoothd hides the Battery service.
    mutating func update(_ found: [DiscoveredService], hasBattery: Bool) {
        let old = services
        var instances = InstanceCounter()
        let identifiers = found.map { service in
            ServiceIdentifier(uuid: service.uuid, instance: instances.next(service.uuid))
        }
        let byPath = Dictionary(
            zip(found.map(\.path), identifiers),
            uniquingKeysWith: { first, _ in first }
        )
        services = zip(found, identifiers).map { service, identifier in
            RemoteService(
                identifier: identifier,
                isPrimary: service.isPrimary,
                characteristics: make(service.characteristics, identifier),
                includes: service.includes.compactMap { byPath[$0] },
                path: service.path
            )
        }
        if hasBattery { services.append(battery(old)) }
        index()
    }

    /// Removes a service; a later one at the same path is a new service.
    mutating func removeService(at path: ObjectPath) -> ServiceIdentifier? {
        guard let index = services.firstIndex(where: { $0.path == path }) else { return nil }
        return services.remove(at: index).identifier
    }

    mutating func remove(at path: ObjectPath) -> RemoteCharacteristic? {
        guard let removed = byPath.removeValue(forKey: path) else { return nil }
        byID[removed.id] = nil
        if byIdentifier[removed.identifier] === removed { byIdentifier[removed.identifier] = nil }
        return removed
    }

    mutating func removeDescriptor(at path: ObjectPath) -> RemoteDescriptor? {
        guard let removed = descriptorsByPath.removeValue(forKey: path) else { return nil }
        descriptors[removed.id] = nil
        return removed
    }

    mutating func removeAll() {
        services = []
        index()
    }

    private mutating func make(
        _ found: [DiscoveredCharacteristic],
        _ service: ServiceIdentifier
    ) -> [RemoteCharacteristic] {
        var instances = InstanceCounter()
        return found.map { characteristic in
            let identifier = CharacteristicIdentifier(
                uuid: characteristic.uuid,
                service: service,
                instance: instances.next(characteristic.uuid)
            )
            guard let known = byPath[characteristic.path] else {
                return make(characteristic, identifier)
            }
            known.identifier = identifier
            return known
        }
    }

    private mutating func make(
        _ characteristic: DiscoveredCharacteristic,
        _ identifier: CharacteristicIdentifier
    ) -> RemoteCharacteristic {
        lastID += 1
        let id = lastID
        let descriptors = characteristic.descriptors.map { descriptor in
            lastID += 1
            return RemoteDescriptor(descriptor.uuid, lastID, path: descriptor.path)
        }
        return RemoteCharacteristic(
            identifier,
            id,
            properties: characteristic.properties,
            descriptors: descriptors,
            path: characteristic.path
        )
    }

    private mutating func battery(_ old: [RemoteService]) -> RemoteService {
        if let known = old.first(where: { $0.path == nil }) { return known }
        lastID += 1
        let level = CharacteristicIdentifier.batteryLevel
        let characteristic = RemoteCharacteristic(
            level,
            lastID,
            properties: [.read, .notify],
            path: nil
        )
        return RemoteService(
            identifier: level.service,
            isPrimary: true,
            characteristics: [characteristic],
            path: nil
        )
    }

    private mutating func index() {
        byIdentifier = [:]
        byPath = [:]
        byID = NumberTable()
        descriptors = [:]
        descriptorsByPath = [:]
        present = Set(services.map(\.identifier))
        for characteristic in services.flatMap(\.characteristics) {
            byID[characteristic.id] = characteristic
            if let path = characteristic.path { byPath[path] = characteristic }
            byIdentifier[characteristic.identifier] = characteristic
            for descriptor in characteristic.descriptors {
                descriptors[descriptor.id] = descriptor
                descriptorsByPath[descriptor.path] = descriptor
            }
        }
    }
}

private struct InstanceCounter {
    private var counts: [BluetoothUUID: Int] = [:]

    mutating func next(_ uuid: BluetoothUUID) -> Int {
        defer { counts[uuid, default: 0] += 1 }
        return counts[uuid, default: 0]
    }
}
