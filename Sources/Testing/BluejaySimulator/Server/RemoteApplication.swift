internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// An application registered with `GattManager1`, with the objects that serve its attributes.
final class RemoteApplication {
    let client: String
    let root: ObjectPath
    private(set) var services: [ApplicationService] = []
    private(set) var handles: [UInt16] = []
    private let connection: BusConnection
    private var characteristics: OrderedDictionary<UInt16, ApplicationCharacteristicServer> = [:]
    private var descriptors: [UInt16: ApplicationDescriptorServer] = [:]
    private var subscriptions: [SignalSubscription] = []

    init(_ client: String, _ root: ObjectPath, on connection: BusConnection) {
        self.client = client
        self.root = root
        self.connection = connection
    }

    func fetch(completion: @escaping (Result<[ApplicationService], BusError>) -> Void) {
        let call = MethodCall(to: client, at: root, BlueZNames.objectManager, "GetManagedObjects")
        connection.call(call) { [root] result in
            guard case .success(let values) = result, let objects = values.first else {
                return completion(.failure(ApplicationParser.noObject))
            }
            do throws(BusError) {
                completion(.success(try ApplicationParser.parse(objects, below: root)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Serves a service with the handles assigned by the database.
    func addService(_ service: ApplicationService, as added: AttributeDatabase.Service) {
        services.append(service)
        handles.append(added.handle)
        if service.hasHandle { reportHandle(service.path, BlueZNames.gattService, added.handle) }
        for (object, attribute) in zip(service.characteristics, added.characteristics) {
            characteristics[attribute.valueHandle] = ApplicationCharacteristicServer(
                attribute,
                object,
                of: client,
                on: connection
            )
            let own = attribute.descriptors.suffix(object.descriptors.count)
            for (path, descriptor) in zip(object.descriptors, own) {
                descriptors[descriptor.handle] = ApplicationDescriptorServer(
                    path: path,
                    flags: descriptor.flags
                )
            }
        }
    }

    /// Observes values and removals of the objects; `emptied` is called when a service is removed.
    func watch(onEmpty: @escaping () -> Void) {
        let changes = MatchRule(
            sender: client,
            interface: BlueZNames.properties,
            member: "PropertiesChanged",
            pathNamespace: root,
            firstArgument: BlueZNames.gattCharacteristic
        )
        let values = connection.subscribe(changes) { [weak self] in self?.valueChanged($0) }
        let removals = MatchRule(
            sender: client,
            interface: BlueZNames.objectManager,
            member: "InterfacesRemoved",
            path: root
        )
        let ends = connection.subscribe(removals) { [weak self] message in
            guard let self, message.sender == client,
                let arguments = try? message.arguments(), let path = arguments.first?.path,
                arguments.last?.texts?.contains(BlueZNames.gattService) ?? false,
                services.contains(where: { $0.path == path })
            else { return }
            onEmpty()
        }
        subscriptions = [values, ends]
    }

    func close() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        characteristics = [:]
    }

    /// Passes a request to the object that serves it; returns false if the handle is not the application's.
    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) -> Bool {
        switch request {
        case .read(let handle, let offset):
            if let characteristic = characteristics[handle] {
                characteristic.read(offset, from: client, completion: completion)
            } else if let descriptor = descriptors[handle] {
                read(descriptor, offset, from: client, completion: completion)
            } else if let characteristic = characteristics.values.first(where: {
                $0.configurationHandle == handle
            }) {
                completion(.success([UInt8(characteristic.configuration(of: client).rawValue), 0]))
            } else {
                return false
            }
        case .write(let handle, let value, let offset):
            if let characteristic = characteristics[handle] {
                characteristic.write(value, offset, from: client, completion: completion)
            } else if let descriptor = descriptors[handle] {
                write(descriptor, value, offset, from: client, completion: completion)
            } else {
                return false
            }
        case .command(let handle, let value):
            guard let characteristic = characteristics[handle] else { return false }
            characteristic.command(value, from: client)
        case .configure(let handle, let configuration):
            guard let characteristic = characteristics[handle] else { return false }
            characteristic.configure(configuration, for: client, completion: completion)
        case .prepare, .execute: return false
        }
        return true
    }

    func clientDisconnected(_ client: ATTClient) {
        for characteristic in characteristics.values { characteristic.clientDisconnected(client) }
    }

    private func valueChanged(_ message: BusMessage) {
        guard message.sender == client, let path = message.path,
            let characteristic = characteristics.values.first(where: { $0.path == path }),
            let arguments = try? message.arguments(), arguments.count == 3,
            let value = arguments[1].namedValues?["Value"]?.bytes
        else { return }
        characteristic.valueChanged(value)
    }

    private func reportHandle(_ path: ObjectPath, _ interface: String, _ handle: UInt16) {
        let call = MethodCall(
            to: client,
            at: path,
            BlueZNames.properties,
            "Set",
            [.string(interface), .string("Handle"), .variant(.uint16(handle))]
        )
        connection.call(call) { _ in }
    }

    // MARK: Descriptors

    private struct ApplicationDescriptorServer {
        var path: ObjectPath
        var flags: [String]
    }

    private func read(
        _ descriptor: ApplicationDescriptorServer,
        _ offset: Int,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        let access = AttributeAccess(flags: descriptor.flags, client: client)
        if let refusal = access.rejection(.read) { return completion(.failure(refusal)) }
        let options = access.options(offset: offset)
        let call = MethodCall(
            to: self.client,
            at: descriptor.path,
            BlueZNames.gattDescriptor,
            "ReadValue",
            [options]
        )
        access.read(call, on: connection, completion: completion)
    }

    private func write(
        _ descriptor: ApplicationDescriptorServer,
        _ value: [UInt8],
        _ offset: Int,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        let access = AttributeAccess(flags: descriptor.flags, client: client)
        if let refusal = access.rejection(.write) { return completion(.failure(refusal)) }
        let arguments = [.bytes(value), access.options(offset: offset)]
        let call = MethodCall(
            to: self.client,
            at: descriptor.path,
            BlueZNames.gattDescriptor,
            "WriteValue",
            arguments
        )
        access.write(call, on: connection, completion: completion)
    }
}
