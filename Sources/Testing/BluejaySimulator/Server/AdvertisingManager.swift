internal import BluejayDBus
internal import BluejayGLib

/// `org.bluez.LEAdvertisingManager1` of an adapter: the advertisements registered by applications.
final class AdvertisingManager {
    private final class Instance {
        let client: String
        let path: ObjectPath
        var advertisement: AdvertisingData?
        /// Whether a connection has ended the advertising; the advertisement stays registered.
        var isTerminated = false
        var subscription: SignalSubscription?
        var timer: ScheduledTimer?

        init(_ client: String, _ path: ObjectPath) {
            self.client = client
            self.path = path
        }
    }

    private unowned let world: SimulatedWorld
    private let path: ObjectPath
    private let power: AdapterPower
    private let settings: AdapterSettings
    private let onChange: () -> Void
    private var instances: [Instance] = []

    /// The number of advertisements that the controller supports.
    private var capacity: Int { world.options.advertisingInstances }
    private var isExtended: Bool { world.options.controller == .extended }

    /// Creates the manager of an adapter.
    ///
    /// - Parameters:
    ///   - path: The path of the adapter.
    ///   - world: The world.
    ///   - power: The power of the adapter.
    ///   - settings: The settings of the adapter.
    ///   - onChange: Called after each change of `advertisements`.
    init(
        at path: ObjectPath,
        in world: SimulatedWorld,
        _ power: AdapterPower,
        _ settings: AdapterSettings,
        onChange: @escaping () -> Void
    ) {
        self.path = path
        self.world = world
        self.power = power
        self.settings = settings
        self.onChange = onChange
    }

    /// The current advertisements, in the order of registration.
    var advertisements: [AdvertisingData] {
        instances.filter { !$0.isTerminated }.compactMap(\.advertisement)
    }

    var count: Int { instances.count { $0.advertisement != nil } }

    /// Handles a connection: on an extended controller, the advertising set that accepted it ends.
    func connected() {
        guard isExtended,
            let answered = instances.first(where: {
                !$0.isTerminated && $0.advertisement?.isConnectable == true
            })
        else { return }
        answered.isTerminated = true
        onChange()
    }

    // MARK: D-Bus interface

    var interface: BusInterface {
        BusInterface(
            BlueZNames.advertisingManager,
            properties: [
                BusProperty("ActiveInstances", "y") { [weak self] in
                    self.map { .byte(UInt8(clamping: $0.count)) }
                },
                BusProperty("SupportedInstances", "y") { [weak self] in
                    self.map { .byte(UInt8(clamping: $0.capacity - $0.count)) }
                },
                BusProperty("SupportedIncludes", "as") {
                    .strings(["tx-power", "appearance", "local-name"])
                },
                BusProperty("SupportedCapabilities", "a{sv}") {
                    .properties([
                        ("MinTxPower", .int16(-34)),
                        ("MaxAdvLen", .byte(31)), ("MaxScnRspLen", .byte(31)),
                        ("MaxTxPower", .int16(7)),
                    ])
                },
                BusProperty("SupportedSecondaryChannels", "as") { [weak self] in
                    self?.isExtended == true ? .strings(["1M", "2M", "Coded"]) : nil
                },
                BusProperty("SupportedFeatures", "as") { [weak self] in
                    .strings(self?.isExtended == true ? ["CanSetTxPower", "HardwareOffload"] : [])
                },
            ],
            methods: [
                BusMethod("RegisterAdvertisement", inputSignature: "oa{sv}") { [weak self] in
                    self?.register($0)
                },
                BusMethod("UnregisterAdvertisement", inputSignature: "o") { [weak self] in
                    self?.unregister($0)
                },
            ]
        )
    }

    // MARK: Registering

    private func register(_ call: MethodInvocation) {
        guard let path = call.arguments[0].path else {
            return call.fail(BlueZError.invalidArguments)
        }
        guard find(call.sender, path) == nil else { return call.fail(BlueZError.alreadyExists) }
        guard instances.count < capacity else {
            return call.fail(BlueZError.notPermitted("Maximum advertisements reached"))
        }
        let instance = Instance(call.sender, path)
        instances.append(instance)
        fetch(instance) { [weak self] result in
            guard let self, instances.contains(where: { $0 === instance }) else { return }
            switch result {
            case .success(let properties): start(instance, properties, call)
            case .failure: fail(instance, AdvertisementParser.busError(.invalid), call)
            }
        }
    }

    private func start(
        _ instance: Instance,
        _ properties: [String: BusValue],
        _ call: MethodInvocation
    ) {
        do throws(AdvertisementParser.Failure) {
            instance.advertisement = try parse(properties)
        } catch {
            return fail(instance, AdvertisementParser.busError(error), call)
        }
        guard power.isPowered else {
            return fail(instance, BlueZError.failed("Failed to register advertisement"), call)
        }
        reportCount()
        call.reply()
        watch(instance)
        if case .uint16(let seconds)? = properties["Timeout"], seconds > 0 {
            instance.timer = world.clock.schedule(after: .seconds(Int(seconds))) {
                [weak self, weak instance] in
                if let instance { self?.release(instance) }
            }
        }
        onChange()
    }

    private func fail(_ instance: Instance, _ error: BusError, _ call: MethodInvocation) {
        instances.removeAll { $0 === instance }
        call.fail(error)
    }

    private func unregister(_ call: MethodInvocation) {
        guard let path = call.arguments[0].path, let instance = find(call.sender, path) else {
            return call.fail(BlueZError.doesNotExist)
        }
        remove(instance)
        call.reply()
    }

    func clientDisconnected(_ client: String) {
        for instance in instances where instance.client == client { remove(instance) }
    }

    func removeAll() {
        instances = []
    }

    private func remove(_ instance: Instance) {
        instances.removeAll { $0 === instance }
        instance.subscription?.cancel()
        guard instance.advertisement != nil else { return }
        reportCount()
        onChange()
    }

    private func release(_ instance: Instance) {
        remove(instance)
        world.bus.connection?.callAndForget(
            MethodCall(to: instance.client, at: instance.path, BlueZNames.advertisement, "Release")
        )
    }

    private func find(_ client: String, _ path: ObjectPath) -> Instance? {
        instances.first { $0.client == client && $0.path == path }
    }

    private func reportCount() {
        world.bus.emitChanged(
            path,
            BlueZNames.advertisingManager,
            ["SupportedInstances", "ActiveInstances"]
        )
    }

    // MARK: Content

    private func fetch(
        _ instance: Instance,
        completion: @escaping (Result<[String: BusValue], BusError>) -> Void
    ) {
        let call = MethodCall(
            to: instance.client,
            at: instance.path,
            BlueZNames.properties,
            "GetAll",
            [.string(BlueZNames.advertisement)]
        )
        world.bus.connection?.call(call) { result in
            completion(result.map { $0.first?.namedValues ?? [:] })
        }
    }

    private func parse(
        _ properties: [String: BusValue]
    ) throws(AdvertisementParser.Failure) -> AdvertisingData {
        try AdvertisementParser.parse(
            properties,
            isDiscoverable: settings.isDiscoverable,
            setsPower: isExtended,
            adapterName: settings.alias ?? world.version.adapterName
        )
    }

    // bluetoothd reads all properties again after any change.
    private func watch(_ instance: Instance) {
        let rule = MatchRule(
            sender: instance.client,
            interface: BlueZNames.properties,
            member: "PropertiesChanged",
            path: instance.path,
            firstArgument: BlueZNames.advertisement
        )
        instance.subscription = world.bus.connection?.subscribe(rule) {
            [weak self, weak instance] message in
            guard let self, let instance, message.sender == instance.client else { return }
            fetch(instance) { [weak self] result in
                guard let self, instances.contains(where: { $0 === instance }),
                    case .success(let properties) = result,
                    let advertisement = try? parse(properties)
                else { return }
                instance.advertisement = advertisement
                onChange()
            }
        }
    }
}
