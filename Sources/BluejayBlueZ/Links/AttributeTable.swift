internal import BluejayCore
internal import BluejayDBus

/// The services of one link, looked up once: whoever reads or writes finds the characteristic by its
/// identifier, however many there are.
struct AttributeTable {
    private(set) var services: [RemoteService] = []
    private var byIdentifier: [CharacteristicIdentifier: RemoteCharacteristic] = [:]
    private var byPath: [ObjectPath: RemoteCharacteristic] = [:]
    private var byNumber: [AttributeMachine.Attribute: RemoteCharacteristic] = [:]
    private var present: Set<ServiceIdentifier> = []
    private var lastNumber = 0

    /// Of several with one identifier it is the first.
    func characteristic(_ identifier: CharacteristicIdentifier) -> RemoteCharacteristic? {
        byIdentifier[identifier]
    }

    func characteristic(at path: ObjectPath) -> RemoteCharacteristic? { byPath[path] }

    func characteristic(_ number: AttributeMachine.Attribute) -> RemoteCharacteristic? {
        byNumber[number]
    }

    func has(_ service: ServiceIdentifier) -> Bool { present.contains(service) }

    /// Takes the services over from the tree; what was there before is the same object as before.
    ///
    /// - Parameters:
    ///   - found: The services that have objects.
    ///   - hasBattery: Whether bluetoothd keeps the service Battery to itself.
    mutating func update(_ found: [GATTService], hasBattery: Bool) {
        let old = services
        services = found.map { service in
            let identifier = ServiceIdentifier(uuid: service.uuid)
            return RemoteService(
                identifier: identifier,
                isPrimary: service.isPrimary,
                characteristics: service.characteristics.map { make($0, identifier) },
                path: service.path
            )
        }
        if hasBattery { services.append(battery(old)) }
        index()
    }

    /// A service has gone; one that comes to its place is another.
    mutating func removeService(at path: ObjectPath) -> ServiceIdentifier? {
        guard let index = services.firstIndex(where: { $0.path == path }) else { return nil }
        return services.remove(at: index).identifier
    }

    /// A characteristic has gone; one that comes to its place is another.
    mutating func remove(at path: ObjectPath) -> RemoteCharacteristic? {
        guard let gone = byPath.removeValue(forKey: path) else { return nil }
        byNumber[gone.number] = nil
        if byIdentifier[gone.identifier] === gone { byIdentifier[gone.identifier] = nil }
        return gone
    }

    mutating func removeAll() {
        services = []
        index()
    }

    private mutating func make(
        _ characteristic: GATTCharacteristic,
        _ service: ServiceIdentifier
    ) -> RemoteCharacteristic {
        if let known = byPath[characteristic.path] { return known }
        lastNumber += 1
        return RemoteCharacteristic(
            CharacteristicIdentifier(uuid: characteristic.uuid, service: service),
            lastNumber,
            properties: characteristic.properties,
            descriptors: characteristic.descriptors,
            path: characteristic.path
        )
    }

    private mutating func battery(_ old: [RemoteService]) -> RemoteService {
        if let known = old.first(where: { $0.path == nil }) { return known }
        lastNumber += 1
        let level = CharacteristicIdentifier.batteryLevel
        let characteristic = RemoteCharacteristic(
            level,
            lastNumber,
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
        byNumber = [:]
        present = Set(services.map(\.identifier))
        for characteristic in services.flatMap(\.characteristics) {
            byNumber[characteristic.number] = characteristic
            if let path = characteristic.path { byPath[path] = characteristic }
            if byIdentifier[characteristic.identifier] == nil {
                byIdentifier[characteristic.identifier] = characteristic
            }
        }
    }
}
