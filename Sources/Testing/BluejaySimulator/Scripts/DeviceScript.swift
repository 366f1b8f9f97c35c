internal import OrderedCollections

/// The services of a scripted device, and its answers to requests.
final class DeviceScript {
    private(set) var database = AttributeDatabase()
    /// The characteristics by the handle of their value.
    private var scripts: OrderedDictionary<UInt16, ScriptedCharacteristicServer> = [:]
    /// The values of descriptors, and of the characteristics that every device has.
    private var fixedValues: [UInt16: [UInt8]] = [:]
    private var writableDescriptors: Set<UInt16> = []

    /// Returns the scripts of the characteristics with a UUID, in the order of their handles.
    ///
    /// `instance` selects one of them, counted from 0; without such an instance the list is empty.
    func scripts(_ uuid: String, _ instance: Int? = nil) -> [ScriptedCharacteristicServer] {
        let all = scripts.values.filter { $0.attribute.uuid == UUIDText.scripted(uuid) }
        guard let instance else { return all }
        return all.indices.contains(instance) ? [all[instance]] : []
    }

    // MARK: Services

    func addOwnServices(name: String, seed: String) {
        let own = [
            BuiltInServices.access(Array(name.utf8), appearance: 0),
            BuiltInServices.attribute(seed: seed),
        ]
        for service in own {
            guard let added = database.add(service.description) else { continue }
            for (characteristic, value) in zip(added.characteristics, service.values) {
                fixedValues[characteristic.valueHandle] = value
            }
        }
    }

    func add(
        _ uuid: String,
        _ characteristics: [ScriptedCharacteristic],
        at handle: UInt16?,
        isPrimary: Bool,
        including included: [String],
        to device: SimulatedDevice
    ) {
        let description = ServiceDescription(
            uuid: UUIDText.scripted(uuid),
            isPrimary: isPrimary,
            includes: included.flatMap { uuid in
                database.services.filter { $0.uuid == UUIDText.scripted(uuid) }.map(\.handle)
            },
            characteristics: characteristics.map(Self.describe)
        )
        guard let added = database.add(description, at: handle) else {
            // Only a script can exceed the handles or use one twice.
            preconditionFailure("the device exceeds 65535 handles, or uses a handle twice")
        }
        for (attribute, script) in zip(added.characteristics, characteristics) {
            scripts[attribute.valueHandle] = ScriptedCharacteristicServer(
                attribute,
                script.behavior,
                of: device
            )
            let own = attribute.descriptors.suffix(script.descriptors.count)
            for (descriptor, content) in zip(own, script.descriptors) {
                fixedValues[descriptor.handle] = content.value
                if script.canWrite(descriptor) { writableDescriptors.insert(descriptor.handle) }
            }
        }
    }

    func remove(_ uuid: String) {
        for service in database.services where service.uuid == UUIDText.scripted(uuid) {
            database.remove(service.handle)
            for characteristic in service.characteristics {
                scripts.removeValue(forKey: characteristic.valueHandle)
            }
        }
    }

    /// Registers the services again under their handles, without subscriptions and with their initial values.
    func renew(of device: SimulatedDevice) {
        let own = [BuiltInServices.access, BuiltInServices.attribute]
        for service in database.services where !own.contains(service.uuid) {
            database.renew(service.handle)
            for characteristic in service.characteristics {
                guard let script = scripts[characteristic.valueHandle] else { continue }
                scripts[characteristic.valueHandle] = ScriptedCharacteristicServer(
                    characteristic,
                    script.behavior,
                    of: device
                )
            }
        }
    }

    private static func describe(
        _ script: ScriptedCharacteristic
    ) -> CharacteristicDescription {
        for flag in script.flags {
            precondition(
                CharacteristicFlags.known.contains(flag),
                "unknown characteristic flag \(flag)"
            )
        }
        return CharacteristicDescription(
            uuid: UUIDText.scripted(script.uuid),
            flags: script.flags,
            descriptors: script.descriptors.map {
                DescriptorDescription(uuid: UUIDText.scripted($0.uuid))
            }
        )
    }

    // MARK: Requests

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        switch request {
        case .read(let handle, let offset):
            guard let script = scripts[handle] else {
                return completion(readFixed(handle, offset, client))
            }
            script.whenReleased(.read, client, completion) {
                script.read(offset, from: client, completion: completion)
            }
        case .write(let handle, let value, let offset):
            guard let script = scripts[handle] else {
                return completion(writeFixed(handle, value, offset))
            }
            script.whenReleased(.write, client, completion) {
                script.write(value, offset, from: client, completion: completion)
            }
        case .command(let handle, let value): scripts[handle]?.command(value)
        case .configure(let handle, let configuration):
            guard let script = scripts[handle] else { return completion(.success([])) }
            script.whenReleased(.subscription, client, completion) {
                script.configure(configuration, for: client, completion: completion)
            }
        case .prepare, .execute: completion(.failure(.requestNotSupported))
        }
    }

    func clientDisconnected(_ client: ATTClient) {
        for script in scripts.values { script.clientDisconnected(client) }
    }

    private func writeFixed(_ handle: UInt16, _ value: [UInt8], _ offset: Int) -> ATTResult {
        guard writableDescriptors.contains(handle), let old = fixedValues[handle] else {
            return .failure(.writeNotPermitted)
        }
        guard offset <= old.count else { return .failure(.invalidOffset) }
        fixedValues[handle] = old.prefix(offset) + value
        return .success([])
    }

    private func readFixed(_ handle: UInt16, _ offset: Int, _ client: ATTClient) -> ATTResult {
        for script in scripts.values {
            if let value = script.configuration(at: handle, of: client) { return .success(value) }
        }
        let isDescriptor = database.services.contains { service in
            service.characteristics.contains { $0.descriptors.contains { $0.handle == handle } }
        }
        guard let value = fixedValues[handle] ?? (isDescriptor ? [0, 0] : nil) else {
            return .failure(.invalidHandle)
        }
        return ScriptedCharacteristicServer.part(of: value, offset, mtu: client.mtu)
    }
}
