package import BluejayDBus
package import BluejayGLib

/// A world with an `org.bluez` in it: adapters, the air between them, and scripted devices.
///
/// It belongs to the thread of its main context; `SimulatedSystem.perform` is the way to it.
public final class SimulatedBlueZ {
    /// Which bluetoothd this is.
    public let kind: BlueZKind
    /// Counts the simulated time.
    let clock: any EventClock
    let air = Air()
    let agents = AgentManager()
    private(set) var adapters: [Adapter] = []
    private(set) var devices: [SimulatedDevice] = []

    private let context: MainContext
    private let address: BusAddress
    /// The own connection to the bus; nil while the daemon does not run.
    private(set) var connection: BusConnection?
    private(set) var server: ObjectServer?
    private var timers: [Int: ScheduledTimer] = [:]
    private var lastTimer = 0

    /// Makes the world; `start` puts it on the bus.
    package init(_ options: SimulatorOptions, at address: BusAddress, on context: MainContext) {
        kind = options.kind
        self.address = address
        self.context = context
        clock = MainContextClock(on: context, scale: options.timeScale)
        for index in 0..<options.adapterCount {
            adapters.append(Adapter(index, isPowered: options.isPoweredAtStart, in: self))
        }
        for adapter in adapters { air.add(adapter) }
    }

    /// Takes the name `org.bluez`, with everything exported before it can be found.
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
        connection.onLost = { [weak self] _ in self?.forgetBus() }
        watchClients(connection)
        server.exportManager(at: .root)
        agents.export(in: self)
        for adapter in adapters { adapter.export() }
        connection.requestName(Names.service, reply: ready)
    }

    /// Puts a scripted device into the air, where it advertises at once.
    ///
    /// - Throws: `InvalidDevice` when a UUID or the address is malformed, or the address is taken.
    @discardableResult
    public func add(_ builder: DeviceBuilder) throws -> SimulatedDevice {
        let device = try SimulatedDevice(builder, in: self)
        guard !air.peers.contains(where: { $0.address.text == device.address.text }) else {
            throw InvalidDevice(description: "the address \(builder.address) is taken")
        }
        devices.append(device)
        air.add(device)
        return device
    }

    /// The scripted device with an address.
    public func device(at address: String) -> SimulatedDevice? {
        devices.first { $0.address.text == address.uppercased() }
    }

    // MARK: The bus

    /// Leaves the bus at once, as a killed process does.
    func disconnectFromBus() {
        connection?.close()
        forgetBus()
    }

    private func forgetBus() {
        connection = nil
        server = nil
    }

    /// Does something that nobody on the bus may hear of.
    func disconnectSilently(_ work: () -> Void) {
        let connection = connection
        let server = server
        forgetBus()
        work()
        self.connection = connection
        self.server = server
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
        agents.clientLeft(name)
        for adapter in adapters { adapter.clientLeft(name) }
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
        let names = server.interfaces(at: path).map(\.name)
        guard !names.isEmpty else { return }
        server.unexport(path)
        let all = [Names.properties, Names.introspectable] + names
        server.emitInterfacesRemoved(path, interfaces: all, manager: .root)
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
