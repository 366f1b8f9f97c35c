internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `org.bluez.AdvertisementMonitorManager1` of an adapter: advertisements reported without discovery.
///
/// Signal-strength thresholds are not simulated: every matching advertisement is reported.
final class MonitorManager {
    private final class Application {
        let client: String
        let root: ObjectPath
        var monitors: [(path: ObjectPath, patterns: AdvertisementPatterns)] = []
        var subscriptions: [SignalSubscription] = []

        init(_ client: String, _ root: ObjectPath) {
            self.client = client
            self.root = root
        }
    }

    private unowned let adapter: Adapter
    private var applications: [Application] = []
    var applicationCount: Int { applications.count }
    private var timer: ScheduledTimer?

    init(_ adapter: Adapter) {
        self.adapter = adapter
    }

    private var world: SimulatedWorld { adapter.world }

    var interface: BusInterface {
        BusInterface(
            BlueZNames.monitorManager,
            properties: [
                BusProperty("SupportedMonitorTypes", "as") { .strings(["or_patterns"]) },
                BusProperty("SupportedFeatures", "as") { .strings([]) },
            ],
            methods: [
                BusMethod("RegisterMonitor", inputSignature: "o") { [weak self] in
                    self?.register($0)
                },
                BusMethod("UnregisterMonitor", inputSignature: "o") { [weak self] in
                    self?.unregister($0)
                },
            ]
        )
    }

    // MARK: Registering

    private func register(_ call: MethodInvocation) {
        guard let root = call.arguments[0].path else {
            return call.fail(BlueZError.invalidArguments)
        }
        guard find(call.sender, root) == nil else { return call.fail(BlueZError.alreadyExists) }
        let application = Application(call.sender, root)
        applications.append(application)
        watch(application)
        let objects = MethodCall(
            to: call.sender,
            at: root,
            BlueZNames.objectManager,
            "GetManagedObjects"
        )
        world.bus.connection?.call(objects) { [weak self] result in
            guard let self, isRegistered(application) else { return }
            call.reply()
            // An application without objects may add some later, as bluetoothctl does.
            guard case .success(let values) = result else { return }
            for object in values.first?.entries ?? [] {
                addMonitor(object.key.path, object.value, in: application)
            }
        }
    }

    private func unregister(_ call: MethodInvocation) {
        guard let root = call.arguments[0].path, let application = find(call.sender, root) else {
            return call.fail(BlueZError.doesNotExist)
        }
        remove(application)
        for monitor in application.monitors {
            callMonitor("Release", monitor.path, of: application)
        }
        call.reply()
    }

    func clientDisconnected(_ client: String) {
        for application in applications where application.client == client { remove(application) }
    }

    func removeAll() {
        for application in applications { remove(application) }
    }

    private func remove(_ application: Application) {
        applications.removeAll { $0 === application }
        for subscription in application.subscriptions { subscription.cancel() }
        application.subscriptions = []
    }

    private func find(_ client: String, _ root: ObjectPath) -> Application? {
        applications.first { $0.client == client && $0.root == root }
    }

    private func isRegistered(_ application: Application) -> Bool {
        applications.contains { $0 === application }
    }

    // Objects added and removed below the root are monitors, too.
    private func watch(_ application: Application) {
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            let rule = MatchRule(
                sender: application.client,
                interface: BlueZNames.objectManager,
                member: member,
                path: application.root
            )
            let subscription = world.bus.connection?.subscribe(rule) {
                [weak self, weak application] message in
                guard let self, let application, message.sender == application.client,
                    let arguments = try? message.arguments(), arguments.count == 2,
                    let path = arguments[0].path
                else { return }
                if member == "InterfacesAdded" {
                    addMonitor(path, arguments[1], in: application)
                } else {
                    application.monitors.removeAll { $0.path == path }
                }
            }
            application.subscriptions += [subscription].compactMap { $0 }
        }
    }

    private func addMonitor(
        _ path: ObjectPath?,
        _ interfaces: BusValue,
        in application: Application
    ) {
        guard let path,
            let properties = interfaces.entries?.first(where: { $0.key.text == BlueZNames.monitor })
        else { return }
        guard let patterns = AdvertisementPatterns(properties.value.namedValues ?? [:])
        else {
            return callMonitor("Release", path, of: application)
        }
        guard
            patterns.count < AdvertisementPatterns.crashingCount
                || !world.version.crashesOnManyPatterns
        else { return world.disconnectFromBus() }
        world.schedule(RecordedDelays.request) { [weak self] in
            guard let self, isRegistered(application) else { return }
            application.monitors.append((path, patterns))
            callMonitor("Activate", path, of: application)
            poll()
        }
    }

    private func callMonitor(
        _ member: String,
        _ path: ObjectPath,
        _ arguments: [BusValue] = [],
        of application: Application
    ) {
        world.bus.connection?.callAndForget(
            MethodCall(to: application.client, at: path, BlueZNames.monitor, member, arguments)
        )
    }

    /// Releases all monitors, as bluetoothd does when the kernel has removed them.
    func releaseAll() {
        for application in applications {
            let monitors = application.monitors
            application.monitors = []
            for monitor in monitors { callMonitor("Release", monitor.path, of: application) }
        }
    }

    // MARK: Listening

    private func poll() {
        guard timer == nil else { return }
        receiveAll()
        timer = world.clock.schedule(after: RecordedDelays.advertisingInterval) { [weak self] in
            guard let self else { return }
            timer = nil
            if applications.contains(where: { !$0.monitors.isEmpty }) { poll() }
        }
    }

    private func receiveAll() {
        guard adapter.power.isReady else { return }
        for peer in world.medium.peers where peer !== adapter {
            for advertisement in peer.advertisements { receive(advertisement, from: peer) }
        }
    }

    private func receive(_ advertisement: AdvertisingData, from peer: any RadioPeer) {
        let version = world.version
        let matches = applications.flatMap { application in
            application.monitors.filter { $0.patterns.matches(advertisement, version) }
                .map { (application, $0.path) }
        }
        guard !matches.isEmpty,
            let device = adapter.receivePassively(advertisement, from: peer)
        else { return }
        for (application, path) in matches {
            callMonitor("DeviceFound", path, [.objectPath(device.path)], of: application)
        }
    }
}
