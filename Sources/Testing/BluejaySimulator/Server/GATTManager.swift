internal import BluejayDBus
internal import OrderedCollections

/// `org.bluez.GattManager1` of an adapter: its own services, and those of applications on the bus.
final class GATTManager {
    unowned let adapter: Adapter
    private(set) var database = AttributeDatabase()
    private var applications: [RemoteApplication] = []
    private var builtIn: [UInt16: [UInt8]] = [:]
    /// The subscriptions to characteristics of the adapter's own services, by client.
    private var subscriptions: [ObjectIdentifier: Set<UInt16>] = [:]
    private var prepared: [ObjectIdentifier: PreparedWrites] = [:]

    init(_ adapter: Adapter) {
        self.adapter = adapter
        for service in BuiltInServices.of(adapter) {
            guard let added = database.add(service.description) else { continue }
            for (characteristic, value) in zip(added.characteristics, service.values) {
                builtIn[characteristic.valueHandle] = value
            }
        }
    }

    /// The value of `Adapter1.UUIDs`, in bluetoothd's order.
    var uuids: [String] {
        var uuids: OrderedSet<String> = []
        for short in ["1801", "1800", "1200"] { uuids.append(UUIDText.long(short) ?? short) }
        for application in applications {
            for service in application.services { uuids.append(service.description.uuid) }
        }
        uuids.append(BuiltInServices.deviceInformation)
        return Array(uuids)
    }

    // MARK: Registering

    var interface: BusInterface {
        BusInterface(
            BlueZNames.gattManager,
            methods: [
                BusMethod("RegisterApplication", inputSignature: "oa{sv}") { [weak self] in
                    self?.register($0)
                },
                BusMethod("UnregisterApplication", inputSignature: "o") { [weak self] in
                    self?.unregister($0)
                },
            ]
        )
    }

    private func register(_ call: MethodInvocation) {
        guard let root = call.arguments[0].path, let connection = adapter.world.bus.connection
        else {
            return call.fail(BlueZError.invalidArguments)
        }
        guard application(call.sender, root) == nil else {
            return call.fail(BlueZError.alreadyExists)
        }
        let application = RemoteApplication(call.sender, root, on: connection)
        applications.append(application)
        application.fetch { [weak self] result in
            guard let self, applications.contains(where: { $0 === application }) else { return }
            switch result {
            case .success(let services): finish(application, services, call)
            case .failure(let error):
                applications.removeAll { $0 === application }
                call.fail(error)
            }
        }
    }

    private func finish(
        _ application: RemoteApplication,
        _ services: [ApplicationService],
        _ call: MethodInvocation
    ) {
        for service in services {
            guard let added = database.add(service.description) else {
                remove(application)
                return call.fail(ApplicationParser.noEntry)
            }
            application.addService(service, as: added)
        }
        application.watch { [weak self] in self?.remove(application) }
        adapter.changed("UUIDs")
        call.reply()
        notifyClients()
    }

    private func unregister(_ call: MethodInvocation) {
        guard let root = call.arguments[0].path,
            let application = application(call.sender, root)
        else { return call.fail(BlueZError.doesNotExist) }
        remove(application)
        call.reply()
    }

    func clientDisconnected(_ client: String) {
        for application in applications where application.client == client { remove(application) }
    }

    func removeAllApplications() {
        for application in applications { remove(application) }
    }

    private func remove(_ application: RemoteApplication) {
        guard applications.contains(where: { $0 === application }) else { return }
        applications.removeAll { $0 === application }
        application.close()
        for service in application.handles { database.remove(service) }
        adapter.changed("UUIDs")
        notifyClients()
    }

    private func application(_ client: String, _ root: ObjectPath) -> RemoteApplication? {
        applications.first { $0.client == client && $0.root == root }
    }

    // Sends a Service Changed indication; connected clients then rediscover the services.
    private func notifyClients() {
        adapter.world.schedule(RecordedDelays.serviceChange) { [weak self] in
            for device in self?.adapter.clientsOfServices ?? [] {
                device.connection.servicesChanged()
            }
        }
    }

    // MARK: Requests

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        switch request {
        case .prepare(let handle, let value, let offset):
            return completion(prepare(handle, value, offset, from: client))
        case .execute(let writes):
            let all = prepared.removeValue(forKey: ObjectIdentifier(client))?.writes ?? []
            return execute(writes ? all[...] : [], from: client, completion: completion)
        case .read, .write, .command, .configure: break
        }
        if let result = handleBuiltIn(request, from: client) { return completion(result) }
        for application in applications {
            if application.perform(request, from: client, completion: completion) { return }
        }
        completion(.failure(.invalidHandle))
    }

    func keep(_ handle: UInt16, _ value: [UInt8], _ offset: Int, of client: ATTClient)
        -> ATTErrorCode?
    {
        prepared[ObjectIdentifier(client), default: PreparedWrites()].add(handle, value, offset)
    }

    /// Removes the subscriptions and the prepared writes of a client whose link has ended.
    func clientDisconnected(_ client: ATTClient) {
        subscriptions[ObjectIdentifier(client)] = nil
        prepared[ObjectIdentifier(client)] = nil
        for application in applications { application.clientDisconnected(client) }
    }

    private func handleBuiltIn(_ request: ATTRequest, from client: ATTClient) -> ATTResult? {
        switch request {
        case .read(let handle, let offset):
            if let value = builtIn[handle] {
                guard offset <= value.count else { return .failure(.invalidOffset) }
                return .success(Array(value.dropFirst(offset)))
            }
            return isBuiltInDescriptor(handle) ? .success([0, 0]) : nil
        case .write(let handle, _, _):
            return builtIn[handle] == nil ? nil : .failure(.writeNotPermitted)
        case .command(let handle, _): return builtIn[handle] == nil ? nil : .success([])
        case .configure(let handle, let configuration):
            guard builtIn[handle] != nil else { return nil }
            let id = ObjectIdentifier(client)
            if configuration == .nothing {
                subscriptions[id]?.remove(handle)
            } else {
                subscriptions[id, default: []].insert(handle)
            }
            return .success([])
        case .prepare, .execute: return nil
        }
    }

    private func isBuiltInDescriptor(_ handle: UInt16) -> Bool {
        database.services.contains { service in
            service.characteristics.contains {
                builtIn[$0.valueHandle] != nil && $0.descriptors.contains { $0.handle == handle }
            }
        }
    }
}

/// The services that every device has without an application.
enum BuiltInServices {
    static let access = "00001800-0000-1000-8000-00805f9b34fb"
    static let attribute = "00001801-0000-1000-8000-00805f9b34fb"
    static let deviceInformation = "0000180a-0000-1000-8000-00805f9b34fb"

    /// The services of an adapter, with the values of their characteristics.
    static func of(_ adapter: Adapter) -> [(description: ServiceDescription, values: [[UInt8]])] {
        let name = Array(adapter.world.version.adapterName.utf8)
        var access = access(name, appearance: 0)
        access.description.characteristics.append(characteristic("2aa6", ["read"]))
        access.values.append([1])
        var attribute = attribute(seed: adapter.address.text)
        var features = characteristic("2b3a", ["read"])
        features.knownValue = [1]
        attribute.description.characteristics.append(features)
        attribute.values.append([1])
        let information = ServiceDescription(
            uuid: deviceInformation,
            characteristics: [characteristic("2a50", ["read"])]
        )
        return [access, attribute, (information, [adapter.world.version.plugAndPlay])]
    }

    /// Generic Access: the name and the appearance.
    static func access(
        _ name: [UInt8],
        appearance: UInt16
    ) -> (description: ServiceDescription, values: [[UInt8]]) {
        let description = ServiceDescription(
            uuid: access,
            characteristics: [
                characteristic("2a00", ["read"]), characteristic("2a01", ["read"]),
            ]
        )
        return (description, [name, [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]])
    }

    /// Generic Attribute: Service Changed, the client's features, and the database hash.
    static func attribute(
        seed: String
    ) -> (description: ServiceDescription, values: [[UInt8]]) {
        let hash = hash(seed)
        var known = characteristic("2b2a", ["read"])
        known.knownValue = hash
        let description = ServiceDescription(
            uuid: attribute,
            characteristics: [
                characteristic("2a05", ["indicate"]), characteristic("2b29", ["read", "write"]),
                known,
            ]
        )
        return (description, [[], [0], hash])
    }

    private static func characteristic(
        _ uuid: String,
        _ flags: [String]
    ) -> CharacteristicDescription {
        CharacteristicDescription(uuid: UUIDText.long(uuid) ?? uuid, flags: flags)
    }

    // Stands in for the AES-CMAC of the specification: clients compare the hash but do not compute it.
    private static func hash(_ seed: String) -> [UInt8] {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        return (0..<16).map { index in
            for byte in seed.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
            state ^= UInt64(index)
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }
}
