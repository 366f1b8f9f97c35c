internal import BluejayDBus
internal import BluejayGLib

/// The GATT application of a client: its objects on the bus, and who is subscribed to what.
final class RemoteApplication {
    /// A characteristic or a descriptor of the client.
    struct Attribute {
        let path: ObjectPath
        let interface: String
        let flags: [String]
    }

    private struct ParsedCharacteristic {
        let path: ObjectPath
        let uuid: String
        let flags: [String]
        var descriptors: [(path: ObjectPath, uuid: String, flags: [String])] = []
    }

    private struct ParsedService {
        let path: ObjectPath
        let uuid: String
        let isPrimary: Bool
        var characteristics: [ParsedCharacteristic] = []
    }

    let client: String
    let path: ObjectPath
    /// By the handle of the value.
    private(set) var attributes: [UInt16: Attribute] = [:]
    private(set) var serviceHandles: Set<UInt16> = []
    private var services: [ParsedService]
    private var subscribers: [UInt16: [AirLink]] = [:]
    private var subscription: SignalSubscription?
    private unowned let world: SimulatedBlueZ

    private init(
        _ services: [ParsedService],
        client: String,
        path: ObjectPath,
        world: SimulatedBlueZ
    ) {
        self.services = services
        self.client = client
        self.path = path
        self.world = world
        subscription = world.connection.subscribe(
            MatchRule(
                sender: client,
                interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged"
            )
        ) { [weak self] in self?.changed($0) }
    }

    func end() {
        subscription?.cancel()
        subscription = nil
        subscribers = [:]
    }

    // MARK: Registration

    static func parse(
        _ objects: [BusEntry],
        client: String,
        path: ObjectPath,
        world: SimulatedBlueZ
    ) -> Result<RemoteApplication, BusError> {
        var services: [ParsedService] = []
        func each(_ interface: String, _ body: (ObjectPath, [String: BusValue]) -> Bool) -> Bool {
            for object in objects {
                guard let path = object.key.path else { continue }
                for entry in object.value.entries ?? [] where entry.key.text == interface {
                    guard body(path, entry.value.namedValues ?? [:]) else { return false }
                }
            }
            return true
        }
        let invalid = BlueZError.failed("Failed to create entry in database")
        guard
            each(
                "org.bluez.GattService1",
                { path, properties in
                    guard let uuid = properties["UUID"]?.text, isUUID(uuid),
                        !["1800", "1801"].map(fullUUID).contains(fullUUID(uuid))
                    else { return false }
                    services.append(
                        ParsedService(
                            path: path,
                            uuid: fullUUID(uuid),
                            isPrimary: properties["Primary"]?.boolean ?? true
                        )
                    )
                    return true
                }
            )
        else { return .failure(invalid) }
        guard !services.isEmpty else {
            return .failure(BlueZError.failed("No valid service object found"))
        }
        guard
            each(
                "org.bluez.GattCharacteristic1",
                { path, properties in
                    guard let uuid = properties["UUID"]?.text, isUUID(uuid),
                        let flags = properties["Flags"]?.texts, flags.allSatisfy(isFlag),
                        let owner = services.firstIndex(where: {
                            $0.path == properties["Service"]?.path
                        })
                    else { return false }
                    services[owner].characteristics.append(
                        ParsedCharacteristic(path: path, uuid: fullUUID(uuid), flags: flags)
                    )
                    return true
                }
            ),
            each(
                "org.bluez.GattDescriptor1",
                { path, properties in
                    guard let uuid = properties["UUID"]?.text, isUUID(uuid),
                        let owner = properties["Characteristic"]?.path
                    else { return false }
                    let flags = properties["Flags"]?.texts ?? []
                    for index in services.indices {
                        if let place = services[index].characteristics.firstIndex(where: {
                            $0.path == owner
                        }) {
                            services[index].characteristics[place].descriptors.append(
                                (path, fullUUID(uuid), flags)
                            )
                            return true
                        }
                    }
                    return false
                }
            )
        else { return .failure(invalid) }
        return .success(
            RemoteApplication(services, client: client, path: path, world: world)
        )
    }

    private static func isUUID(_ text: String) -> Bool {
        let hex = text.filter(\.isHexDigit).count
        switch text.utf8.count {
        case 4, 8: return hex == text.utf8.count
        case 36: return hex == 32
        default: return false
        }
    }

    private static func isFlag(_ flag: String) -> Bool {
        let plain: Set = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate",
            "authenticated-signed-writes", "extended-properties", "reliable-write",
            "writable-auxiliaries", "authorize",
        ]
        if plain.contains(flag) { return true }
        let security = ["encrypt-authenticated-", "encrypt-", "secure-"]
        guard let prefix = security.first(where: flag.hasPrefix) else { return false }
        return ["read", "write", "notify", "indicate"].contains(
            String(flag.dropFirst(prefix.count))
        )
    }

    /// Adds the services to a database, and notes which handle is which object.
    func assignHandles(after database: AttributeDatabase) -> AttributeDatabase {
        var builder = AttributeBuilder(after: database)
        for service in services {
            builder.add(
                service.uuid,
                isPrimary: service.isPrimary,
                characteristics: service.characteristics.map {
                    .init(uuid: $0.uuid, flags: $0.flags, descriptors: $0.descriptors.map(\.uuid))
                }
            )
            guard let added = builder.database.services.last else { continue }
            serviceHandles.insert(added.handle)
            for (parsed, entry) in zip(service.characteristics, added.characteristics) {
                attributes[entry.valueHandle] = Attribute(
                    path: parsed.path,
                    interface: "org.bluez.GattCharacteristic1",
                    flags: parsed.flags
                )
                let own = entry.descriptors.suffix(parsed.descriptors.count)
                for (descriptor, place) in zip(parsed.descriptors, own) {
                    attributes[place.handle] = Attribute(
                        path: descriptor.path,
                        interface: "org.bluez.GattDescriptor1",
                        flags: descriptor.flags
                    )
                }
            }
        }
        return builder.database
    }

    // MARK: Access

    func read(
        _ attribute: Attribute,
        _ options: BusProperties,
        _ answer: @escaping (AttributeAnswer) -> Void
    ) {
        guard attribute.flags.contains(where: { $0.hasSuffix("read") }) else {
            return answer(.refused(0x02))
        }
        call(attribute, "ReadValue", [.properties(options)]) { result in
            switch result {
            case .success(let values):
                answer(.value(Array((values.first?.bytes ?? []).prefix(512))))
            case .failure(let error): answer(.refused(Self.code(error, isWrite: false)))
            }
        }
    }

    func write(
        _ attribute: Attribute,
        _ value: [UInt8],
        _ options: BusProperties,
        _ answer: @escaping (AttributeAnswer) -> Void
    ) {
        guard attribute.flags.contains(where: { $0.contains("write") }) else {
            return answer(.refused(0x03))
        }
        // With this flag bluetoothd answers by itself, whatever the application says.
        let isAnsweredHere = attribute.flags.contains("write-without-response")
        call(attribute, "WriteValue", [.bytes(value), .properties(options)]) { result in
            guard !isAnsweredHere else { return }
            switch result {
            case .success: answer(.value([]))
            case .failure(let error): answer(.refused(Self.code(error, isWrite: true)))
            }
        }
        if isAnsweredHere { answer(.value([])) }
    }

    private func call(
        _ attribute: Attribute,
        _ member: String,
        _ arguments: [BusValue],
        _ reply: @escaping (CallResult) -> Void
    ) {
        let call = MethodCall(client, attribute.path, attribute.interface, member, arguments)
        world.connection.call(call, timeout: .seconds(30), reply: reply)
    }

    /// The ATT error code of an application's error.
    static func code(_ error: BusError, isWrite: Bool) -> UInt8 {
        switch error.name {
        case "org.bluez.Error.Failed":
            guard let number = number(error.message) else {
                return error.message.isEmpty ? 0x0E : 0x80
            }
            return 0x80...0x9F ~= number ? UInt8(number) : 0x0E
        case "org.bluez.Error.NotSupported": return 0x06
        case "org.bluez.Error.NotAuthorized": return 0x08
        case "org.bluez.Error.InvalidValueLength": return 0x0D
        case "org.bluez.Error.InvalidOffset": return 0x07
        case "org.bluez.Error.InProgress": return 0xFE
        case "org.bluez.Error.ImproperlyConfigured": return 0xFD
        case "org.bluez.Error.NotPermitted": return isWrite ? 0x03 : 0x02
        default: return 0x0E
        }
    }

    private static func number(_ text: String) -> Int? {
        text.lowercased().hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }

    // MARK: Notifications

    func setNotifying(_ attribute: Attribute, _ isOn: Bool, _ link: AirLink) {
        guard let handle = attributes.first(where: { $0.value.path == attribute.path })?.key else {
            return
        }
        var links = subscribers[handle] ?? []
        let wasEmpty = links.isEmpty
        links.removeAll { $0 === link }
        if isOn { links.append(link) }
        subscribers[handle] = links
        // The application hears of the first and of the last subscriber only.
        if wasEmpty != links.isEmpty {
            call(attribute, links.isEmpty ? "StopNotify" : "StartNotify", []) { _ in }
        }
    }

    func centralLeft(_ link: AirLink) {
        for (handle, links) in subscribers where links.contains(where: { $0 === link }) {
            if let attribute = attributes[handle] { setNotifying(attribute, false, link) }
        }
    }

    private func changed(_ message: BusMessage) {
        guard message.sender == client, let values = try? message.arguments(), values.count == 3,
            values[0].text == "org.bluez.GattCharacteristic1",
            let value = values[1].namedValues?["Value"]?.bytes,
            let (handle, attribute) = attributes.first(where: { $0.value.path == message.path })
        else { return }
        let links = subscribers[handle] ?? []
        for link in links { link.send(handle, Array(value.prefix(Int(link.mtu) - 3))) }
        let isIndication =
            attribute.flags.contains("indicate") && !attribute.flags.contains("notify")
        if isIndication, !links.isEmpty { call(attribute, "Confirm", []) { _ in } }
    }
}
