internal import BluejayDBus

/// An adapter interface for registering objects that the simulator never calls.
final class RegistrationList {
    private let name: String
    private let properties: [BusProperty]
    private let register: String
    private let unregister: String
    private var registered: [(client: String, path: ObjectPath)] = []

    private init(_ name: String, _ object: String, properties: [BusProperty] = []) {
        self.name = name
        self.properties = properties
        register = "Register" + object
        unregister = "Unregister" + object
    }

    /// `org.bluez.BatteryProviderManager1`; the provided levels are ignored.
    static func batteryProviders() -> RegistrationList {
        RegistrationList(BlueZNames.batteryManager, "BatteryProvider")
    }

    var interface: BusInterface {
        BusInterface(
            name,
            properties: properties,
            methods: [
                BusMethod(register, inputSignature: "o") { [weak self] in self?.register($0) },
                BusMethod(unregister, inputSignature: "o") { [weak self] in self?.unregister($0) },
            ]
        )
    }

    func clientDisconnected(_ client: String) {
        registered.removeAll { $0.client == client }
    }

    func removeAll() {
        registered = []
    }

    private func register(_ call: MethodInvocation) {
        guard let path = call.arguments[0].path else {
            return call.fail(BlueZError.invalidArguments)
        }
        guard !registered.contains(where: { $0.client == call.sender && $0.path == path }) else {
            return call.fail(BlueZError.alreadyExists)
        }
        registered.append((call.sender, path))
        call.reply()
    }

    private func unregister(_ call: MethodInvocation) {
        let path = call.arguments[0].path
        let before = registered.count
        registered.removeAll { $0.client == call.sender && $0.path == path }
        guard registered.count < before else { return call.fail(BlueZError.doesNotExist) }
        call.reply()
    }
}
