package import BluejayDBus
package import BluejayGLib
internal import OrderedCollections

/// A world with `org.bluez`: adapters, the air between them, and scripted devices.
///
/// It belongs to the thread of its main context; use `SimulatedSystem.perform` to reach it.
public final class SimulatedBlueZ {
    /// The configuration of the world.
    public var options: SimulatorOptions { world.options }
    let world: SimulatedWorld
    private lazy var channels = SimulatedKernelObject(self)
    private(set) var adapters: [Adapter] = []
    /// The scripted centrals, in the order in which they were added.
    public private(set) var centrals: [SimulatedCentral] = []
    private var devices: [RadioAddress: SimulatedDevice] = [:]
    /// The unplugged adapters, with the devices that they know.
    private var unplugged: [Adapter] = []
    /// Whether a restarted daemon should still be running.
    private var isDaemonRequested = false
    private var startTimer: ScheduledTimer?
    private var faults: FaultPlayer?
    /// The messages between programs and the daemon; `nil` records none.
    package var messageLog: MessageLog?
    private var sendingTimer: ScheduledTimer?
    private var otherProgram: OtherProgram?
    /// Restarts the bus, and calls back when its address accepts connections.
    package var onBusRestart:
        ((@escaping (Result<BusAddress, PrivateBus.Failure>) -> Void) -> Void)?

    /// The answer of a desktop user to pairing requests.
    ///
    /// `nil` leaves them to the agents on the bus; without an agent, such requests have no answer.
    public var userAgreesToPairing: Bool? {
        get { world.userAgreesToPairing }
        set { world.userAgreesToPairing = newValue }
    }

    /// Creates the world; `start` puts it on the bus.
    package init(_ options: SimulatorOptions, at address: BusAddress, on context: MainContext) {
        world = SimulatedWorld(options, at: address, on: context)
        for index in 0..<options.adapters {
            adapters.append(Adapter(index, isPowered: options.isPowered, in: world))
        }
        for adapter in adapters { medium.add(adapter: adapter) }
        world.onCrash = { [weak self] in self?.end() }
        world.bus.onCall = { [weak self] member in
            self?.messageLog?.appendCall(member)
            return self?.faults?.callArrived(member) ?? .serve
        }
        world.bus.onSend = { [weak self] member in
            self?.record(sent: member)
            self?.faults?.messageSent(member)
        }
        world.onValueSent = { [weak self] in self?.faults?.valueSent($0) }
        if options.faults != FaultSchedule() { play(options.faults) }
        world.agents.onPairableChange = { [weak self] isPairable in
            for adapter in self?.adapters ?? [] { adapter.settings.setPairable(isPairable) }
        }
    }

    private var clock: PausableClock { world.clock }
    private var medium: RadioMedium { world.medium }
    private var agents: AgentManager { world.agents }
    var bus: SimulatedBus { world.bus }

    deinit {
        // Each waiting script receives its report.
        for central in centrals { central.stop() }
    }

    /// Acquires the name `org.bluez`, and then exports the objects one by one.
    ///
    /// `completion` is called once, with an error if the bus is missing or the name is taken.
    package func start(completion: @escaping (BusError?) -> Void) {
        do throws(BusError) {
            try bus.start(
                { [weak world] in world?.clock },
                clientDisconnected: { [weak self] in self?.clientDisconnected($0) },
                completion: { [weak self] error in
                    if error == nil { self?.export() }
                    completion(error)
                }
            )
        } catch {
            completion(error)
        }
    }

    private func export() {
        channels.export(makesChannels: options.makesChannels)
        agents.export()
        for adapter in adapters { adapter.export() }
    }

    // MARK: The air

    /// Adds a scripted device, replacing any device with the same address.
    public func add(_ device: SimulatedDevice) {
        if let old = devices.updateValue(device, forKey: device.address) {
            old.leaveRange()
            medium.remove(old)
        }
        device.join(world) { [weak self] in self?.moved($0, from: $1) }
        medium.add(device)
    }

    private func moved(_ device: SimulatedDevice, from address: RadioAddress) {
        guard devices[address] === device else { return }
        devices[address] = nil
        devices[device.address] = device
        medium.changed(device)
    }

    /// Returns the scripted device with a current or identity address, or `nil`.
    public func device(_ address: String) -> SimulatedDevice? {
        for type in [AddressType.random, .public] {
            guard let known = RadioAddress(address, type) else { return nil }
            if let device = devices[known] { return device }
        }
        return devices.values.first { $0.identity?.text == address.uppercased() }
    }

    /// Adds a scripted central, replacing any central with the same address; its scripts start.
    public func add(_ central: SimulatedCentral) {
        for old in centrals where old !== central && old.address == central.address {
            remove(old)
        }
        guard central.world == nil else { return }
        centrals.append(central)
        medium.add(central: central)
        central.join(world)
    }

    /// Removes a central: its link and its scripts end.
    public func remove(_ central: SimulatedCentral) {
        guard centrals.contains(where: { $0 === central }) else { return }
        central.leaveWorld()
        centrals.removeAll { $0 === central }
        medium.remove(central: central)
    }

    /// Returns the scripted central with a current or identity address, or `nil`.
    ///
    /// - Parameters:
    ///   - address: For example `C0:FF:EE:00:00:01`.
    ///   - isRandom: The type of the address; `nil` matches both types and returns the central added first.
    /// - Returns: The central.
    public func central(_ address: String, isRandom: Bool? = nil) -> SimulatedCentral? {
        let types: [AddressType] = isRandom.map { [$0 ? .random : .public] } ?? [.random, .public]
        let addresses = types.compactMap { RadioAddress(address, $0) }
        return centrals.first { addresses.contains($0.address) }
            ?? centrals.first { $0.identity.map(addresses.contains) ?? false }
    }

    /// Turns an adapter on or off like the system, without a client's `Set`.
    ///
    /// A change requested during another one waits until that one ends.
    ///
    /// - Parameters:
    ///   - isPowered: The new state.
    ///   - number: 1 for `hci1`; a missing adapter is ignored.
    ///   - done: Called after the change, which takes a moment.
    public func setPowered(
        _ isPowered: Bool,
        ofAdapter number: Int,
        done: @escaping () -> Void = {}
    ) {
        guard let adapter = adapters.first(where: { $0.name == "hci\(number)" }) else {
            return done()
        }
        clock.whenRunning { adapter.power.change(bySystem: isPowered, completion: done) }
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
        let pair: Set = ["hci\(first)", "hci\(second)"]
        medium.setSignalStrength(rssi, between: pair)
        // Both receive each other's advertisements again.
        let present = adapters.filter { pair.contains($0.name) }
        for adapter in present {
            for peer in present where peer !== adapter { adapter.receiveAgain(peer) }
        }
    }

    /// Blocks all adapters like rfkill in airplane mode, or unblocks them.
    ///
    /// Unblocking turns on the adapters that were on before.
    public func setBlocked(_ isBlocked: Bool) {
        clock.whenRunning { [weak self] in
            guard let self, isBlocked != world.isBlocked else { return }
            world.isBlocked = isBlocked
            for adapter in adapters {
                if isBlocked { adapter.power.block() } else { adapter.power.unblock() }
            }
        }
    }

    // MARK: The bus

    /// Sets another configuration, which a restarted daemon reads.
    func configure(_ options: SimulatorOptions) {
        world.configure(options)
    }

    /// Ends the world: nothing is pending afterwards.
    package func end() {
        isDaemonRequested = false
        world.disconnectFromBus()
        for device in adapters.flatMap(\.devices.values) { device.discard() }
        // Includes links without a device object.
        for central in centrals { central.link?.close(.byLocalHost) }
        world.cancelTimers()
    }

    private func clientDisconnected(_ name: String) {
        let isPairable = agents.clientDisconnected(name)
        for adapter in adapters {
            adapter.channelListeners.clientDisconnected(name)
            adapter.clientDisconnected(name, isPairable: isPairable)
        }
    }

    // MARK: Faults

    /// Starts a schedule of faults, which replaces the running one.
    ///
    /// Times and ordinals count from this call. What an earlier schedule has changed stays changed.
    public func play(_ schedule: FaultSchedule) {
        faults = FaultPlayer(schedule, on: faultClock) { [weak self] in self?.apply($0) }
    }

    private var faultClock: any EventClock {
        bus.context.environment.value.clock
            ?? MainContextClock(on: bus.context, scale: options.timeScale)
    }

    private func record(sent member: String) {
        guard messageLog != nil else { return }
        messageLog?.appendSent(member)
        guard sendingTimer == nil else { return }
        sendingTimer = faultClock.schedule(after: .zero) { [weak self] in
            self?.sendingTimer = nil
            self?.messageLog?.sendingEnded()
        }
    }

    /// The number of faults of the running schedule that have occurred.
    public var playedFaultCount: Int { faults?.appliedCount ?? 0 }

    /// Applies a fault now.
    public func apply(_ fault: Fault) {
        switch fault {
        case .daemonKilled:
            // The kernel keeps the links for a moment; their end is not signalled on the bus.
            end()
        case .daemonTerminated: clock.whenRunning { [weak self] in self?.terminate() }
        case .daemonStarted:
            guard bus.connection == nil else { return }
            retryStart(attempts: 50)
        case .adapterUnplugged(let index): unplug(adapter: index)
        case .adapterPlugged(let index): plug(adapter: index)
        case .adapterPowered(let number, let isOn): setPowered(isOn, ofAdapter: number)
        case .adaptersBlocked(let isBlocked): setBlocked(isBlocked)
        case .busRestarted: restartBus()
        case .linkLost, .deviceLeft, .deviceReturned, .deviceSilent, .servicesChanged:
            applyToDevices(fault)
        case .daemonFrozen(let duration): clock.pause(for: duration)
        case .daemonResumed: clock.resume()
        case .callsHeld(let member): bus.hold(member)
        case .callsReleased(let member): bus.release(member)
        case .callsRefused(let member, let name, let text):
            bus.fail(member, with: BusError(name: name, message: text))
        case .otherProgramConnects(let address):
            guard let connection = knownDevice(address)?.connection, !connection.isConnected,
                !connection.isConnecting
            else { return }
            connection.connect { _ in }
        case .otherProgramDisconnects(let address):
            guard let connection = knownDevice(address)?.connection, connection.isConnected else {
                return
            }
            connection.disconnect(replyingTo: nil)
        case .otherProgramScans(let isOn):
            guard let adapter = adapters.first else { return }
            other?.scan(isOn, on: adapter.path)
        case .otherProgramAcquires(let uuid, let isOn):
            guard let path = connectedCharacteristic(uuid) else { return }
            if isOn {
                other?.acquireNotifications(of: path)
            } else {
                other?.releaseNotifications(of: path)
            }
        case .connectsDespiteDisconnect(let isOn): world.connectsDespiteDisconnect = isOn
        }
    }

    private func applyToDevices(_ fault: Fault) {
        for device in devices.values.sorted(by: { $0.address.text < $1.address.text }) {
            func isAddressed(_ address: String?) -> Bool {
                address.map { self.device($0) === device } ?? true
            }
            switch fault {
            case .linkLost(let address, let reason) where isAddressed(address):
                device.loseLink(reason)
            case .deviceLeft(let address) where isAddressed(address): device.leaveRange()
            case .deviceReturned(let address) where isAddressed(address): device.returnToRange()
            case .deviceSilent(let address) where isAddressed(address): device.stopResponding()
            case .servicesChanged(let address) where isAddressed(address):
                device.registerServicesAgain()
            default: break
            }
        }
    }

    /// Ends the daemon with its bus, as systemd does, and starts both.
    private func restartBus() {
        end()
        otherProgram = nil
        onBusRestart? { [weak self] result in
            switch result {
            case .success: self?.apply(.daemonStarted)
            case .failure(let failure):
                StandardError.write("the simulated bus did not start: \(failure)")
            }
        }
    }

    /// Another program on the bus, connected by its first fault.
    private var other: OtherProgram? {
        if otherProgram == nil { otherProgram = try? OtherProgram(bus.address, on: bus.context) }
        return otherProgram
    }

    /// The object of the first characteristic with a UUID of a connected device.
    private func connectedCharacteristic(_ uuid: String) -> ObjectPath? {
        guard let uuid = UUIDText.long(uuid) else { return nil }
        let connected = adapters.flatMap(\.devices.values).filter(\.connection.isConnected)
        return connected.lazy.compactMap { $0.gatt.path(ofCharacteristic: uuid) }.first
    }

    /// Starts the daemon, and retries after 100 ms if the bus refuses its name.
    private func retryStart(attempts: Int) {
        isDaemonRequested = true
        restart { [weak self] error in
            guard let self, let error, isDaemonRequested else { return }
            StandardError.write("the simulated bluetoothd did not start: \(error)")
            world.disconnectFromBus()
            guard attempts > 1 else { return }
            startTimer = clock.schedule(after: .milliseconds(100)) { [weak self] in
                guard let self, isDaemonRequested else { return }
                retryStart(attempts: attempts - 1)
            }
        }
    }

    private func plug(adapter index: Int) {
        guard !adapters.contains(where: { $0.name == "hci\(index)" }) else { return }
        // bluetoothd has stored the devices that were connected.
        let known = unplugged.first { $0.name == "hci\(index)" }
        unplugged.removeAll { $0 === known }
        let adapter = known ?? Adapter(index, isPowered: true, in: world)
        adapter.restart()
        append(adapter)
        adapter.export()
    }

    private func append(_ adapter: Adapter) {
        adapters.append(adapter)
        medium.add(adapter: adapter)
    }

    private func remove(_ adapter: Adapter) {
        adapters.removeAll { $0 === adapter }
        medium.remove(adapter)
    }

    private func knownDevice(_ address: String) -> Device? {
        adapters.first?.devices.values.first { $0.address.text == address.uppercased() }
    }

    /// Removes an adapter as if it was unplugged.
    public func unplug(adapter number: Int) {
        guard let adapter = adapters.first(where: { $0.name == "hci\(number)" }) else { return }
        adapter.loseController()
        bus.unexport(adapter.path)
        remove(adapter)
        unplugged.append(adapter)
    }

    /// Restarts the daemon; `completion` is called when its name is acquired.
    func restart(completion: @escaping (BusError?) -> Void) {
        for adapter in adapters { adapter.restart() }
        start(completion: completion)
    }

    private func terminate() {
        isDaemonRequested = false
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
        world.disconnectFromBus()
    }

    // MARK: Agents and monitors

    /// The number of agents.
    public var agentCount: Int { agents.count }

    /// Asks the agents whether a connected device may use a service of this computer.
    ///
    /// - Parameters:
    ///   - service: The UUID of the service, 4, 8 or 36 characters.
    ///   - address: The address of a device that `hci0` knows.
    ///   - answered: Called once with the decision; false without an agent or such a device.
    public func authorizeService(
        _ service: String,
        for address: String,
        answered: @escaping (Bool) -> Void = { _ in }
    ) {
        guard let device = knownDevice(address), let uuid = UUIDText.long(service) else {
            return answered(false)
        }
        agents.authorize(uuid, for: device.path, completion: answered)
    }

    /// Makes bluetoothd release all advertisement monitors, as it does when the controller refuses them.
    public func releaseMonitors() {
        for adapter in adapters { adapter.monitors.releaseAll() }
    }
}
