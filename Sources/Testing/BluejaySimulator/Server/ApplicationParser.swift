internal import BluejayDBus

/// A service of an application with the objects that serve it.
struct ApplicationService: Equatable {
    var path: ObjectPath
    var description: ServiceDescription
    var characteristics: [ApplicationCharacteristic]
    /// Whether the application has a `Handle` property to be set.
    var hasHandle: Bool
}

struct ApplicationCharacteristic: Equatable {
    var path: ObjectPath
    /// Whether notifications arrive on a socket.
    var acquiresNotify: Bool
    /// Whether writes use a socket.
    var acquiresWrite: Bool
    /// The paths of the descriptors, in the order of the description.
    var descriptors: [ObjectPath]
}

/// Parses the objects of an application by bluetoothd's rules for `RegisterApplication`.
enum ApplicationParser {
    private typealias Object = (path: ObjectPath, properties: [String: BusValue])

    private static let reserved: Set<String> = [
        "00001800-0000-1000-8000-00805f9b34fb", "00001801-0000-1000-8000-00805f9b34fb",
    ]
    private static let automatic: Set<String> = [
        AttributeDatabase.clientConfiguration, AttributeDatabase.extendedProperties,
    ]

    static let noObject = BlueZError.failed("No object received")
    static let noService = BlueZError.failed("No valid service object found")
    static let noEntry = BlueZError.failed("Failed to create entry in database")

    /// Parses the reply to `GetManagedObjects`; one invalid object invalidates the whole application.
    ///
    /// Objects of the connection outside `root` are ignored. The services keep the order of the reply.
    static func parse(
        _ objects: BusValue,
        below root: ObjectPath
    ) throws(BusError) -> [ApplicationService] {
        let entries = (objects.entries ?? []).filter {
            guard let path = $0.key.path else { return false }
            return path == root || path.isBelow(root)
        }
        let services = find(BlueZNames.gattService, in: entries)
        let characteristics = find(BlueZNames.gattCharacteristic, in: entries)
        let descriptors = find(BlueZNames.gattDescriptor, in: entries)
        guard services.count + characteristics.count + descriptors.count > 0 else {
            throw noObject
        }
        guard !services.isEmpty else { throw noService }
        let paths = Set(services.map(\.path))
        guard
            characteristics.allSatisfy({ paths.contains($0.properties["Service"]?.path ?? .root) })
        else { throw noService }

        var result: [ApplicationService] = []
        for service in services {
            result.append(try read(service, characteristics, descriptors))
        }
        return result
    }

    private static func find(_ interface: String, in entries: [BusEntry]) -> [Object] {
        entries.compactMap { entry in
            guard let path = entry.key.path,
                let own = entry.value.entries?.first(where: { $0.key.text == interface }),
                let properties = own.value.namedValues
            else { return nil }
            return (path, properties)
        }
    }

    private static func read(
        _ service: Object,
        _ characteristics: [Object],
        _ descriptors: [Object]
    ) throws(BusError) -> ApplicationService {
        guard let uuid = service.properties["UUID"]?.text.flatMap(UUIDText.long),
            !reserved.contains(uuid), let isPrimary = service.properties["Primary"]?.boolean
        else { throw noService }
        var description = ServiceDescription(uuid: uuid, isPrimary: isPrimary)
        var objects: [ApplicationCharacteristic] = []
        for characteristic in characteristics
        where characteristic.properties["Service"]?.path == service.path {
            let own = descriptors.filter {
                $0.properties["Characteristic"]?.path == characteristic.path
            }
            description.characteristics.append(try read(characteristic, own))
            objects.append(
                ApplicationCharacteristic(
                    path: characteristic.path,
                    acquiresNotify: characteristic.properties["NotifyAcquired"] != nil,
                    acquiresWrite: characteristic.properties["WriteAcquired"] != nil,
                    descriptors: own.map(\.path)
                )
            )
        }
        return ApplicationService(
            path: service.path,
            description: description,
            characteristics: objects,
            hasHandle: service.properties["Handle"] != nil
        )
    }

    private static func read(
        _ characteristic: Object,
        _ descriptors: [Object]
    ) throws(BusError) -> CharacteristicDescription {
        guard let uuid = characteristic.properties["UUID"]?.text.flatMap(UUIDText.long),
            let flags = characteristic.properties["Flags"]?.texts,
            flags.allSatisfy(CharacteristicFlags.known.contains)
        else { throw noService }
        var result = CharacteristicDescription(uuid: uuid, flags: flags)
        for descriptor in descriptors {
            guard let uuid = descriptor.properties["UUID"]?.text.flatMap(UUIDText.long),
                let flags = descriptor.properties["Flags"]?.texts,
                flags.allSatisfy(CharacteristicFlags.known.contains),
                !automatic.contains(uuid)
            else { throw noService }
            result.descriptors.append(DescriptorDescription(uuid: uuid, flags: flags))
        }
        return result
    }
}
