internal import BluejayDBus
internal import OrderedCollections

/// `org.bluez.GattManager1` of an adapter: its own services, and those of applications on the bus.
final class GATTManager {
    enum Event {
        /// The value of `Adapter1.UUIDs` has changed.
        case uuidsChanged
        /// The connected clients must discover the services again.
        case servicesChanged
    }

    private unowned let world: SimulatedWorld
    private let report: (Event) -> Void
    private(set) var database = AttributeDatabase()
    private var applications: [RemoteApplication] = []
    var applicationCount: Int { applications.count }
    private var builtIn: [UInt16: [UInt8]] = [:]
    /// The subscriptions to characteristics of the adapter's own services, by client.
    private var subscriptions: [ObjectIdentifier: Set<UInt16>] = [:]
    private var prepared: [ObjectIdentifier: PreparedWrites] = [:]

    /// Creates the manager of the adapter with an address.
    init(
        _ address: RadioAddress,
        in world: SimulatedWorld,
        report: @escaping (Event) -> Void
    ) {
        self.world = world
        self.report = report
        for service in BuiltInServices.ofAdapter(address, world.version) {
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
        guard let root = call.arguments[0].path, let connection = world.bus.connection else {
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
        report(.uuidsChanged)
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
        report(.uuidsChanged)
        notifyClients()
    }

    private func application(_ client: String, _ root: ObjectPath) -> RemoteApplication? {
        applications.first { $0.client == client && $0.root == root }
    }

    // Sends a Service Changed indication; connected clients then rediscover the services.
    private func notifyClients() {
        world.schedule(RecordedDelays.serviceChange) { [weak self] in
            self?.report(.servicesChanged)
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
