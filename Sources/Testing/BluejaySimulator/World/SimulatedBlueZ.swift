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
    let air = RadioMedium()
    let agents = AgentManager()
    private(set) lazy var channels = ChannelKernel(self)
    private(set) var adapters: [Adapter] = []
    private var devices: [RadioAddress: SimulatedDevice] = [:]

    let bus: SimulatedBus
    private var timers: [Int: ScheduledTimer] = [:]
    private var lastTimer = 0
    /// Adapters that are pulled out, with the devices that they know.
    private var unplugged: [Adapter] = []
    /// Whether rfkill keeps the adapters off.
    private(set) var isBlocked = false
    /// Whether a daemon that was started again still has to run.
    private var isDaemonWanted = false
    private var startTimer: ScheduledTimer?

    /// What the user of a desktop says when a device wants to pair: yes, no; nil leaves it to the agents
    /// on the bus, and without one nobody is asked.
    public var userAgreesToPairing: Bool?

    /// Makes the world; `start` puts it on the bus.
    package init(_ options: SimulatorOptions, at address: BusAddress, on context: MainContext) {
        self.options = options
        bus = SimulatedBus(address, on: context)
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

    /// Takes the name `org.bluez`, and then puts its objects on the bus one by one.
    ///
    /// `ready` comes once, with the error when there is no bus or the name is taken.
    package func start(ready: @escaping (BusError?) -> Void) {
        do throws(BusError) {
            try bus.start(
                { [weak self] in self?.clock },
                clientLeft: { [weak self] in self?.clientLeft($0) },
                ready: { [weak self] error in
                    if error == nil { self?.export() }
                    ready(error)
                }
            )
        } catch {
            ready(error)
        }
    }

    private func export() {
        if options.makesChannels { channels.export() }
        agents.export(in: self)
        for adapter in adapters { adapter.export() }
    }

    var kind: BlueZKind { options.kind }

    // MARK: The air

    /// Puts a scripted device on the air, in the place of one with the same address.
    public func add(_ device: SimulatedDevice) {
        if let old = devices.updateValue(device, forKey: device.address) {
            old.goAway()
            air.remove(old)
        }
        device.join(self)
        air.add(device)
    }

    /// A scripted device has another address.
    func moved(_ device: SimulatedDevice, from address: RadioAddress) {
        guard devices[address] === device else { return }
        devices[address] = nil
        devices[device.address] = device
        air.changed(device)
    }

    /// The scripted device with an address, its present one or its identity; nil when there is none.
    public func device(_ address: String) -> SimulatedDevice? {
        for type in [AddressType.random, .public] {
            guard let known = RadioAddress(address, type) else { return nil }
            if let device = devices[known] { return device }
        }
        return devices.values.first { $0.identity?.text == address.uppercased() }
    }

    /// Puts a scripted central on the air, in the place of one with the same address; its scripts begin.
    public func add(_ central: SimulatedCentral) {
        for old in air.centrals where old !== central && old.address == central.address {
            remove(old)
        }
        guard central.world == nil else { return }
        air.add(central)
        central.join(self)
    }

    /// Takes a central off the air: its link and its scripts end.
    public func remove(_ central: SimulatedCentral) {
        guard air.centrals.contains(where: { $0 === central }) else { return }
        central.leave()
        air.remove(central)
    }

    /// The scripted centrals, in the order in which they were added.
    public var centrals: [SimulatedCentral] { air.centrals }

    /// The scripted central with an address, its present one or its identity; nil when there is none.
    ///
    /// - Parameters:
    ///   - address: For example `C0:FF:EE:00:00:01`.
    ///   - isRandom: Which of the two kinds the address is; nil is either, the one that was added first.
    /// - Returns: The central.
    public func central(_ address: String, isRandom: Bool? = nil) -> SimulatedCentral? {
        let types: [AddressType] = isRandom.map { [$0 ? .random : .public] } ?? [.random, .public]
        let wanted = types.compactMap { RadioAddress(address, $0) }
        return air.centrals.first { wanted.contains($0.address) }
            ?? air.centrals.first { $0.identity.map(wanted.contains) ?? false }
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
        clock.whenRunning { adapter.power.change(bySystem: isPowered, done: done) }
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
            for adapter in adapters {
                if isBlocked { adapter.power.block() } else { adapter.power.unblock() }
            }
        }
    }

    // MARK: The bus

    /// Takes over another set-up; a daemon that starts anew reads its configuration.
    func configure(_ options: SimulatorOptions) {
        self.options = options
        clock = Self.clock(options, on: bus.context)
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
        bus.context.surroundings.value.clock == nil ? duration / options.timeScale : duration
    }

    /// Leaves the bus at once, as a killed process does.
    func disconnectFromBus() {
        bus.close()
        clock.forgetHeld()
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

    private func clientLeft(_ name: String) {
        let isPairable = agents.clientLeft(name)
        for adapter in adapters {
            adapter.channelListeners.clientLeft(name)
            adapter.clientLeft(name, isPairable: isPairable)
        }
    }

    // MARK: Faults

    /// Lets something go wrong now.
    public func apply(_ fault: Fault) {
        switch fault {
        case .daemonKilled:
            // The kernel keeps the links for a moment; nobody on the bus hears of their end.
            end()
        case .daemonTerminated: clock.whenRunning { [weak self] in self?.terminate() }
        case .daemonStarted:
            guard bus.connection == nil else { return }
            startAgain(attempts: 50)
        case .adapterUnplugged(let index): unplug(adapter: index)
        case .adapterPlugged(let index): plug(adapter: index)
        case .daemonStandsStill(let duration): clock.pause(for: duration)
        case .daemonGoesOn: clock.resume()
        case .callsHeld(let member): bus.hold(member)
        case .callsReleased(let member): bus.release(member)
        case .callsRefused(let member, let name, let text):
            bus.refuse(member, with: BusError(name: name, message: text))
        case .otherProgramConnects(let address):
            guard let connection = seen(address)?.connection, !connection.isConnected,
                !connection.isConnecting
            else { return }
            connection.connect { _ in }
        case .otherProgramDisconnects(let address):
            guard let connection = seen(address)?.connection, connection.isConnected else { return }
            connection.disconnect(answering: nil)
        }
    }

    /// Starts the daemon, and again after 100 ms if the bus refuses its name.
    private func startAgain(attempts: Int) {
        isDaemonWanted = true
        restart { [weak self] error in
            guard let self, let error, isDaemonWanted else { return }
            StandardError.write("the simulated bluetoothd has not started: \(error)")
            disconnectFromBus()
            guard attempts > 1 else { return }
            startTimer = clock.schedule(after: .milliseconds(100)) { [weak self] in
                guard let self, isDaemonWanted else { return }
                startAgain(attempts: attempts - 1)
            }
        }
    }

    private func plug(adapter index: Int) {
        guard !adapters.contains(where: { $0.name == "hci\(index)" }) else { return }
        // bluetoothd has stored the devices that somebody connected to.
        let known = unplugged.first { $0.name == "hci\(index)" }
        unplugged.removeAll { $0 === known }
        let adapter = known ?? Adapter(index, isPowered: true, in: self)
        adapter.restart()
        append(adapter)
        adapter.export()
    }

    private func append(_ adapter: Adapter) {
        adapters.append(adapter)
        air.add(adapter)
    }

    private func remove(_ adapter: Adapter) {
        adapters.removeAll { $0 === adapter }
        air.remove(adapter)
    }

    private func seen(_ address: String) -> Device? {
        adapters.first?.devices.values.first { $0.address.text == address.uppercased() }
    }

    /// Takes an adapter away as if it was unplugged.
    public func unplug(adapter number: Int) {
        guard let adapter = adapters.first(where: { $0.name == "hci\(number)" }) else { return }
        adapter.loseController()
        bus.unexport(adapter.path)
        remove(adapter)
        unplugged.append(adapter)
    }

    /// Starts the daemon again; `ready` comes when its name is taken.
    func restart(ready: @escaping (BusError?) -> Void) {
        for adapter in adapters { adapter.restart() }
        start(ready: ready)
    }

    private func terminate() {
        isDaemonWanted = false
        for adapter in adapters {
            adapter.power.willEnd()
            for device in adapter.devices.values { device.connection.adapterWentOff(.byRemoteHost) }
        }
        bus.unexport(AgentManager.path)
        for adapter in adapters {
            for device in adapter.devices.values { device.unexport() }
            adapter.power.end()
            bus.unexport(adapter.path)
        }
        disconnectFromBus()
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

    // MARK: Agents and monitors

    /// How many agents there are.
    public var agentCount: Int { agents.count }

    /// Asks the agents whether a connected device may use a service of this computer.
    ///
    /// - Parameters:
    ///   - service: Its UUID, 4, 8 or 36 characters.
    ///   - address: Of a device that `hci0` knows.
    ///   - answered: Called once, with whether it may: not without an agent or such a device.
    public func authorizeService(
        _ service: String,
        for address: String,
        answered: @escaping (Bool) -> Void = { _ in }
    ) {
        guard let device = seen(address), let uuid = UUIDText.long(service) else {
            return answered(false)
        }
        agents.authorize(uuid, for: device.path, answered: answered)
    }

    /// Has bluetoothd let all advertisement monitors go, as it does when the controller refuses them.
    public func releaseMonitors() {
        for adapter in adapters { adapter.monitors.releaseAll() }
    }
}
