internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `/org/bluez/hciN`: a controller with its devices, its discovery, and its own services.
final class Adapter: AirPeer {
    unowned let world: SimulatedBlueZ
    let name: String
    let path: ObjectPath
    let address: AirAddress

    private(set) var isPowered: Bool
    private(set) var powerState: String
    /// Whether it takes requests; it does not any more while it is switched off.
    var isReady: Bool { isPowered && powerState != "on-disabling" }
    var alias: String?
    var isDiscoverable = false
    var discoverableTimeout: UInt32 = 180
    private(set) var isPairable = false
    var pairableTimeout: UInt32 = 0
    var isDiscovering = false
    /// Whether a change of the power is under way.
    var isSwitching = false { didSet { if !isSwitching { switched() } } }
    /// What the system does to the power when the present change is done.
    var laterSwitches: [() -> Void] = []
    /// Whether it is switched on when rfkill lets it.
    var returnsToPower = false

    /// By object path element.
    private(set) var devices: OrderedDictionary<AirAddress, Device> = [:]
    /// Whose private addresses the controller knows by their keys.
    private var resolvable: Set<AirAddress> = []
    var discovery = DiscoveryClients()
    /// What the kernel has told in this round of the scan.
    var heard: [AirAddress: [AirAdvertisement]] = [:]
    /// Whose signal strength is known from this discovery, in the order in which they were seen.
    var found: OrderedSet<AirAddress> = []
    var scanTimer: ScheduledTimer?
    var duplicatesTimer: ScheduledTimer?

    private(set) lazy var gatt = AdapterServer(self)
    private(set) lazy var advertising = AdvertisingManager(self)
    private(set) lazy var monitors = MonitorManager(self)
    let channelListeners = ChannelListeners()
    private let batteryProviders = Registrations.batteryProviders()
    private var links: [SimulatedLink] = []

    init(_ index: Int, isPowered: Bool, in world: SimulatedBlueZ) {
        self.world = world
        self.isPowered = isPowered
        powerState = isPowered ? "on" : "off"
        name = "hci\(index)"
        path = AgentManager.path.child(name) ?? AgentManager.path
        address = AirAddress(adapter: index)
    }

    /// Puts the adapter and its known devices on the bus.
    func export() {
        let hasMonitors = world.options.takesMonitors && world.kind.hasMonitors
        world.bus.export(
            [adapterInterface, gatt.interface, advertising.interface]
                + (hasMonitors ? [monitors.interface] : []) + [batteryProviders.interface],
            at: path
        )
        for device in devices.values { device.export() }
    }

    func changed(_ names: String...) {
        // What a kind does not have is not told as gone either.
        let hidden = world.kind.hasPowerState ? nil : "PowerState"
        world.bus.emitChanged(path, Names.adapter, names.filter { $0 != hidden })
    }

    func setPairable(_ pairable: Bool) {
        if updatePairable(pairable) { changed("Pairable") }
    }

    private func updatePairable(_ pairable: Bool) -> Bool {
        guard pairable != isPairable else { return false }
        isPairable = pairable
        return true
    }

    // MARK: Devices

    /// Makes the object of a device that has just been seen.
    func makeDevice(_ address: AirAddress) -> Device? {
        // A path says nothing of the kind of the address: with the other kind's object there, bluetoothd
        // has none for this one, and does not answer it either.
        guard devices[address.ofOtherType] == nil, let device = Device(address, on: self) else {
            return nil
        }
        devices[address] = device
        return device
    }

    /// The address of a peer as the controller tells it: the identity when its keys are known.
    func address(of peer: any AirPeer) -> AirAddress {
        if let identity = peer.identity, resolvable.contains(identity) { return identity }
        return peer.address
    }

    /// A peer gave its keys away: its object stays where it is, and has another address.
    func learn(_ identity: AirAddress, of device: Device) {
        let old = device.address
        guard resolvable.insert(identity).inserted, old != identity else { return }
        if let duplicate = devices[identity] { forget(duplicate, keepsKeys: true) }
        devices[old] = nil
        devices[identity] = device
        heard[old] = nil
        if found.remove(old) != nil { found.append(identity) }
        device.take(identity)
    }

    /// Takes a device off the bus, its attributes first.
    func forget(_ device: Device, keepsKeys: Bool = false) {
        guard devices[device.address] === device else { return }
        if !keepsKeys { resolvable.remove(device.address) }
        device.link?.close(by: device, reason: .byRemoteHost)
        device.unexport()
        devices[device.address] = nil
        found.remove(device.address)
        heard[device.address] = nil
    }

    func retryConnections(to address: AirAddress) {
        devices[address]?.tryPendingConnection()
    }

    /// The bus has lost a client; `isPairable` is what its agent leaves behind, when it had one.
    func clientLeft(_ client: String, isPairable: Bool?) {
        let hasChanged = isPairable.map(updatePairable) ?? false
        discoveringClientLeft(client, others: hasChanged ? ["Pairable"] : [])
        gatt.clientLeft(client)
        advertising.clientLeft(client)
        monitors.clientLeft(client)
        batteryProviders.clientLeft(client)
        for device in devices.values { device.gatt.clientLeft(client) }
    }

    // MARK: Power

    /// What it is now, with the state that goes with it.
    func setPower(_ isPowered: Bool, _ state: String) {
        self.isPowered = isPowered
        powerState = state
    }

    // What nobody connected to is not kept without a radio.
    func forgetPassers() {
        for device in devices.values where device.isTemporary && !device.isConnected {
            forget(device)
        }
    }

    /// The daemon is ended: the power goes last.
    func endPower() {
        endEverything(.byRemoteHost)
        powerState = "off"
        endDiscovery()
        changed("PowerState", "Powered", "Discovering")
    }

    /// The controller is gone without a word before: links first, then all devices, then the power.
    func loseController() {
        let wasPowered = isPowered
        // A controller without power ends no link: the other end hears nothing of it any more.
        endEverything(.timedOut)
        endDiscovery()
        // As recorded: bluetoothd has not heard that its state is another.
        if wasPowered { changed("PowerState", "Powered", "Discovering") }
        for device in devices.values { device.unexport() }
    }

    func tellPowerState(_ state: String) {
        powerState = state
        changed("PowerState")
    }

    /// Ends all links, which end at the other side with `reason`.
    func endEverything(_ reason: SimulatedLinkEnd) {
        isPowered = false
        for device in devices.values { device.adapterWentOff(reason) }
        for link in links { link.close(from: self, reason: reason) }
    }

    /// A start of the daemon after its end: nothing of the clients is left, devices stay known.
    func restart() {
        discovery = DiscoveryClients()
        isDiscovering = false
        isPairable = false
        isSwitching = false
        returnsToPower = world.options.isPowered
        isPowered = world.options.isPowered && !world.isBlocked
        powerState = isPowered ? "on" : world.isBlocked ? "off-blocked" : "off"
        gatt.removeAllApplications()
        advertising.removeAll()
        monitors.removeAll()
        batteryProviders.removeAll()
        channelListeners.removeAll()
        for device in devices.values {
            if device.isTemporary { devices[device.address] = nil } else { device.restart() }
        }
    }

    // MARK: In the air

    var advertisements: [AirAdvertisement] { isPowered ? advertising.advertisements : [] }
    var acceptsLinks: Bool { advertisements.contains(where: \.isConnectable) }
    var mtu: Int { world.options.mtu }
    var bearerCount: Int { world.kind.bearerCount }
    var acceptsPairing: Bool { true }
    var pairing: SimulatedPairing { .justWorks }
    var identity: AirAddress? { nil }
    var answersDiscovery: Bool { true }
    var database: AttributeDatabase { gatt.database }
    var deviceName: String? { alias ?? world.kind.adapterName }
    var modalias: String? { world.kind.modalias }

    func signalStrength(at adapter: Adapter) -> Int16 {
        world.air.signalStrength(between: self, and: adapter)
    }

    /// Somebody connected: the central's object appears here too.
    func linkOpened(_ link: SimulatedLink) {
        links.append(link)
        guard link.peer === self else { return }
        advertising.connected()
        let device: Device
        let address = address(of: link.central)
        if let known = devices[address] {
            device = known
        } else {
            guard let made = makeDevice(address) else { return }
            made.export()
            device = made
        }
        link.devices.append(device)
        device.attach(link, to: link.central)
    }

    func linkClosed(_ link: SimulatedLink) {
        links.removeAll { $0 === link }
        if link.peer === self { world.air.changed(self) }
    }

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        // bluetoothd serves those only whom it has an object for.
        guard client.deviceAtServer != nil else { return }
        gatt.perform(request, from: client, answer: answer)
    }

    func clientLeft(_ client: ATTClient) {
        gatt.clientLeft(client)
    }

    /// The objects whose services are this adapter's own: they must learn of changes.
    var clientsOfServices: [Device] {
        links.compactMap { link in link.devices.first { $0.adapter !== self } }
    }
}
