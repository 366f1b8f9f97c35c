internal import BluejayDBus

/// `…/charHHHH/descHHHH`: a descriptor of another device.
final class ClientDescriptor {
    private let attribute: AttributeDatabase.Descriptor
    private let path: ObjectPath
    private let characteristicPath: ObjectPath
    private unowned let device: Device
    private let isClaimed: Bool
    private var value: [UInt8] = []
    private let reads = CoalescedReads()

    init(
        _ attribute: AttributeDatabase.Descriptor,
        at path: ObjectPath,
        in characteristicPath: ObjectPath,
        of device: Device,
        isClaimed: Bool
    ) {
        self.attribute = attribute
        self.path = path
        self.characteristicPath = characteristicPath
        self.device = device
        self.isClaimed = isClaimed
    }

    var interface: BusInterface {
        let handle = BusProperty("Handle", "q") { [attribute] in .uint16(attribute.handle) }
        return BusInterface(
            BlueZNames.gattDescriptor,
            properties: (device.world.version.hasHandles ? [handle] : []) + [
                BusProperty("UUID", "s") { [attribute] in .string(attribute.uuid) },
                BusProperty("Characteristic", "o") { [characteristicPath] in
                    .objectPath(characteristicPath)
                },
                BusProperty("Value", "ay") { [weak self] in self.map { .bytes($0.value) } },
            ],
            methods: [
                BusMethod("ReadValue", inputSignature: "a{sv}", outputSignature: "ay") {
                    [weak self] in
                    self?.read($0)
                },
                BusMethod("WriteValue", inputSignature: "aya{sv}") { [weak self] in self?.write($0)
                },
            ]
        )
    }

    private func read(_ call: MethodInvocation) {
        reads.read(call, attribute.handle, of: device) { [weak self] in
            guard let self else { return }
            value = $0.replacing(value)
            device.world.bus.emitChanged(path, BlueZNames.gattDescriptor, ["Value"])
        }
    }

    func close() {
        reads.close()
    }

    private func write(_ call: MethodInvocation) {
        guard let options = try? AttributeOptions(call.arguments[1]) else {
            return call.fail(BlueZError.invalidArguments)
        }
        guard !isClaimed else { return call.fail(BlueZError.notAuthorized) }
        // Only bluetoothd itself enables and disables notifications.
        guard attribute.uuid != AttributeDatabase.clientConfiguration else {
            return call.fail(BlueZError.notPermitted("Write not permitted"))
        }
        guard let client = device.client else { return call.fail(BlueZError.notConnected) }
        let bytes = call.arguments[0].bytes ?? []
        guard bytes.count <= 512 else {
            return call.fail(BlueZError.invalidArguments("Invalid Length"))
        }
        client.send(.write(handle: attribute.handle, value: bytes, offset: options.offset)) {
            result in
            switch result {
            case .success: call.reply()
            case .failure(let error): call.fail(error.clientError)
            }
        }
    }
}
