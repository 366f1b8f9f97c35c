package import BluejayDBus
package import BluejayGLib
internal import OrderedCollections

/// A world with an `org.bluez` in it: adapters, the air between them, and scripted devices.
///
/// It belongs to the thread of its main context; `SimulatedSystem.perform` is the way to it.
public final class SimulatedBlueZ {
    /// What it was set up with.
    public private(set) var options: SimulatorOptions
    /// Counts the simulated time.
    private(set) var clock: PausableClock
    let air = Air()
    let agents = AgentManager()
    private(set) lazy var channels = ChannelKernel(self)
    private(set) var adapters: [Adapter] = []
    private var devices: [AirAddress: SimulatedDevice] = [:]

    let context: MainContext
    private let address: BusAddress
    /// The own connection to the bus; nil while the daemon does not run.
    private(set) var connection: BusConnection?
    private var lastBusName: String?
    /// The unique name on the bus, also of a daemon that has ended; nil before the first one has it.
    var busName: String? { connection?.uniqueName ?? lastBusName }
    private(set) var server: ObjectServer?
    /// Where calls of clients wait that bluetoothd is not to look at yet.
    private(set) var gate: CallGate?
    private var timers: [Int: ScheduledTimer] = [:]
    private var lastTimer = 0

    /// What the user of a desktop says when a device wants to pair: yes, no; nil leaves it to the agents
    /// on the bus, and without one nobody is asked.
    public var userAgreesToPairing: Bool?

    /// Makes the world; `start` puts it on the bus.
    package init(_ options: SimulatorOptions, at address: BusAddress, on context: MainContext) {
        self.options = options
        self.address = address
        self.context = context
        clock = Self.clock(options, on: context)
        for index in 0..<options.adapters {
            adapters.append(Adapter(index, isPowered: options.isPowered, in: self))
        }
        for adapter in adapters { air.add(adapter) }
    }

    deinit {
        // Whoever waits for a script hears of its end.
        for central in air.centrals { central.stop() }
    }

    /// Adapters that are pulled out, with the devices that they know.
    var unplugged: [Adapter] = []
    /// Whether rfkill keeps the adapters off.
    private(set) var isBlocked = false

    /// Takes the name `org.bluez`, and then puts its objects on the bus one by one.
    ///
    /// `ready` comes once, with the error when there is no bus or the name is taken.
    package func start(ready: @escaping (BusError?) -> Void) {
        let connection: BusConnection
        do throws(BusError) {
            connection = try BusConnection(address, on: context)
        } catch {
            return ready(error)
        }
        let server = ObjectServer(connection)
        self.connection = connection
        self.server = server
        guardCalls(connection)
        connection.onLost = { [weak self] _ in self?.forgetBus() }
        watchClients(connection)
        server.exportManager(at: .root)
        connection.requestName(Names.service) { [weak self] error in
            if let self, error == nil {
                if options.makesChannels { channels.export() }
                agents.export(in: self)
                for adapter in adapters { adapter.export() }
            }
            ready(error)
        }
    }

    private func guardCalls(_ connection: BusConnection) {
        let gate = CallGate(on: connection)
        self.gate = gate
        connection.onMethodCall = { [weak self] message in
            guard let self, clock.isPaused else { return gate.handle(message) }
            clock.whenRunning { _ = gate.handle(message) }
            return true
        }
    }

    var kind: BlueZKind { options.kind }

    // MARK: The air

    /// Puts a scripted device on the air, in the place of one with the same address.
    public func add(_ device: SimulatedDevice) {
        if let old = devices.updateValue(device, forKey: device.address) {
            old.goAway()
            air.remove(old)
        }
        device.world = self
        air.add(device)
    }

    /// A scripted device has another address.
    func moved(_ device: SimulatedDevice, from address: AirAddress) {
        guard devices[address] === device else { return }
        devices[address] = nil
        devices[device.address] = device
        air.changed(device)
    }

    /// The scripted device with an address, its present one or its identity; nil when there is none.
    public func device(_ address: String) -> SimulatedDevice? {
        for type in [AddressType.random, .public] {
            guard let known = AirAddress(address, type) else { return nil }
            if let device = devices[known] { return device }
        }
        return devices.values.first { $0.identity?.text == address.uppercased() }
    }

    /// Switches an adapter on or off as the system may, without a client's `Set`.
    ///
    /// What is asked for during another change is done behind it.
    ///
    /// - Parameters:
    ///   - isPowered: What it is to be.
    ///   - number: 1 for `hci1`; nothing happens when there is none.
    ///   - done: Called when it is done, which takes a moment.
    public func setPowered(
        _ isPowered: Bool,
        ofAdapter number: Int,
        done: @escaping () -> Void = {}
    ) {
        guard let adapter = adapters.first(where: { $0.name == "hci\(number)" }) else {
            return done()
        }
        clock.whenRunning { adapter.switchPower(isPowered, done: done) }
    }

    /// Sets the signal strength between two adapters in both directions, in dBm.
    ///
    /// The default is −50. With 127, which is unknown, a scan with duplicates or with a minimum strength
    /// does not find the other adapter: its filter needs a strength.
    ///
    /// - Parameters:
    ///   - rssi: The strength, −127 to 20, or 127.
    ///   - first: 0 for `hci0`.
    ///   - second: 1 for `hci1`. The strength is kept for adapters that are not present.
    public func setSignalStrength(
        _ rssi: Int16,
        betweenAdapters first: Int,
        _ second: Int
    ) {
        air.setSignalStrength(rssi, between: ["hci\(first)", "hci\(second)"])
    }

    /// Blocks all adapters as rfkill does for the airplane mode, or lets them again.
    ///
    /// What was on before is on again by itself.
    public func setBlocked(_ isBlocked: Bool) {
        clock.whenRunning { [weak self] in
            guard let self, isBlocked != self.isBlocked else { return }
            self.isBlocked = isBlocked
            for adapter in adapters { if isBlocked { adapter.block() } else { adapter.unblock() } }
        }
    }

    // MARK: The bus

    /// Takes over another set-up; a daemon that starts anew reads its configuration.
    func configure(_ options: SimulatorOptions) {
        self.options = options
        clock = Self.clock(options, on: context)
    }

    private static func clock(_ options: SimulatorOptions, on context: MainContext) -> PausableClock
    {
        PausableClock(
            context.surroundings.value.clock
                ?? MainContextClock(on: context, scale: options.timeScale)
        )
    }

    /// A wait for a program, whose own time is not scaled.
    func unscaled(_ duration: Duration) -> Duration {
        context.surroundings.value.clock == nil ? duration / options.timeScale : duration
    }

    /// Whether a daemon that was started again still has to run.
    var isDaemonWanted = false
    var startTimer: ScheduledTimer?

    /// Leaves the bus at once, as a killed process does.
    func disconnectFromBus() {
        connection?.close()
        clock.forgetHeld()
        forgetBus()
    }

    /// Ends everything: nothing of the world goes on after it.
    package func end() {
        isDaemonWanted = false
        disconnectFromBus()
        for device in adapters.flatMap(\.devices.values) { device.abandon() }
        // Also of a link that bluetoothd had no object for.
        for central in air.centrals { central.link?.close(.byLocalHost) }
        timers = [:]
    }

    private func forgetBus() {
        lastBusName = busName
        connection = nil
        server = nil
        gate = nil
    }

    private func watchClients(_ connection: BusConnection) {
        let rule = MatchRule(
            sender: Names.bus,
            interface: Names.bus,
            member: "NameOwnerChanged"
        )
        connection.subscribe(rule) { [weak self] message in
            guard message.sender == Names.bus,
                let names = try? message.arguments().compactMap(\.text),
                names.count == 3, names[0].hasPrefix(":"), names[2].isEmpty
            else { return }
            self?.clientLeft(names[0])
        }
    }

    private func clientLeft(_ name: String) {
        let isPairable = agents.clientLeft(name)
        for adapter in adapters {
            adapter.channelListeners.clientLeft(name)
            adapter.clientLeft(name, isPairable: isPairable)
        }
    }

    /// Tells the present values of properties; those that have none are told as invalidated.
    func emitChanged(_ path: ObjectPath, _ interface: String, _ names: [String]) {
        guard let server, !names.isEmpty,
            let table = server.interfaces(at: path).first(where: { $0.name == interface })
        else { return }
        var changed: BusProperties = []
        var invalidated: [String] = []
        for name in names {
            if let value = table.properties.first(where: { $0.name == name })?.get() {
                changed.append((name, value))
            } else {
                invalidated.append(name)
            }
        }
        server.emitPropertiesChanged(path, interface, changed, invalidated: invalidated)
    }

    /// Exports an object and tells it.
    func export(_ interfaces: [BusInterface], at path: ObjectPath) {
        server?.export(interfaces, at: path)
        server?.emitInterfacesAdded(path, manager: .root)
    }

    /// Takes an object away and tells it, with the names in bluetoothd's order.
    func unexport(_ path: ObjectPath) {
        guard let server else { return }
        let interfaces = server.interfaces(at: path)
        let names = interfaces.map(\.name)
        let hasProperties = interfaces.contains { !$0.properties.isEmpty }
        guard !names.isEmpty else { return }
        server.unexport(path)
        let all = (hasProperties ? [Names.properties] : []) + [Names.introspectable] + names
        server.emitInterfacesRemoved(path, interfaces: all, manager: .root)
    }

    /// Adds an interface to an object that is told already: only the new one is told.
    func addInterface(_ interface: BusInterface, at path: ObjectPath) {
        guard let server, let connection else { return }
        server.export([interface], at: path)
        let values = interface.properties.compactMap { property in
            property.get().map { (property.name, $0) }
        }
        let content = [BusEntry(.string(interface.name), .properties(values))]
        try? connection.emit(
            .root,
            Names.objectManager,
            "InterfacesAdded",
            [.objectPath(path), .dictionary(content, key: "s", value: "a{sv}")]
        )
    }

    /// Takes one interface of an object away and tells it; the object stays.
    func removeInterface(_ name: String, at path: ObjectPath) {
        guard let server else { return }
        server.unexport(path, interfaces: [name])
        server.emitInterfacesRemoved(path, interfaces: [name], manager: .root)
    }

    // MARK: Time

    /// Does something later, whoever lets go meanwhile.
    func later(_ delay: Duration, _ action: @escaping () -> Void) {
        lastTimer += 1
        let id = lastTimer
        timers[id] = clock.schedule(after: delay) { [weak self] in
            self?.timers[id] = nil
            action()
        }
    }

    // MARK: Adapters

    func append(_ adapter: Adapter) {
        adapters.append(adapter)
        air.add(adapter)
    }

    func remove(_ adapter: Adapter) {
        adapters.removeAll { $0 === adapter }
        air.remove(adapter)
    }
}
