internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `/org/bluez/hciN`: a controller with its devices, its discovery, and its own services.
final class Adapter: RadioPeer {
    unowned let world: SimulatedWorld
    let name: String
    let path: ObjectPath
    let address: RadioAddress

    let devices = AdapterDevices()
    private(set) lazy var power = AdapterPower(startsPowered, in: world) { [unowned self] in
        perform($0)
    }
    private(set) lazy var settings = AdapterSettings(power) { [unowned self] in changed($0) }
    private lazy var discovery = AdapterDiscovery(power, in: world) { [unowned self] in
        perform($0)
    }
    private(set) lazy var gatt = GATTManager(address, in: world) { [unowned self] in perform($0) }
    private(set) lazy var advertising = AdvertisingManager(
        at: path,
        in: world,
        power,
        settings
    ) { [unowned self] in world.medium.changed(self) }
    private(set) lazy var monitors = MonitorManager(self)
    let channelListeners = ChannelListeners()
    private let batteryProviders = RegistrationList.batteryProviders()
    /// The links, each with the device at its other end, or `nil` if bluetoothd could not create its object.
    private var links: [(link: SimulatedLink, device: Device?)] = []
    private let startsPowered: Bool

    init(_ index: Int, isPowered: Bool, in world: SimulatedWorld) {
        self.world = world
        startsPowered = isPowered
        name = "hci\(index)"
        path = AgentManager.path.child(name) ?? AgentManager.path
        address = RadioAddress(adapter: index)
    }

    func export() {
        let hasMonitors = world.options.takesMonitors && world.version.hasMonitors
        world.bus.export(
            [interface, gatt.interface, advertising.interface]
                + (hasMonitors ? [monitors.interface] : []) + [batteryProviders.interface],
            at: path
        )
        for device in devices.values { device.export() }
    }

    func changed(_ names: String...) {
        changed(names)
    }

    private func changed(_ names: [String]) {
        // A property that this version of BlueZ lacks must not be signalled as invalidated either.
        let hidden = world.version.hasPowerState ? nil : "PowerState"
        world.bus.emitChanged(path, BlueZNames.adapter, names.filter { $0 != hidden })
    }

    /// Removes a client that has left the bus; `isPairable` is the new `Pairable` if the client had an agent.
    func clientDisconnected(_ client: String, isPairable: Bool?) {
        let hasChanged = isPairable.map(settings.update(pairable:)) ?? false
        discovery.clientDisconnected(client, others: hasChanged ? ["Pairable"] : [])
        gatt.clientDisconnected(client)
        advertising.clientDisconnected(client)
        monitors.clientDisconnected(client)
        batteryProviders.clientDisconnected(client)
        for device in devices.values { device.gatt.clientDisconnected(client) }
    }

    /// Resets the adapter like a new daemon: registrations of clients are gone, known devices stay.
    func restart() {
        discovery.restart()
        settings.restart()
        power.restart()
        gatt.removeAllApplications()
        advertising.removeAll()
        monitors.removeAll()
        batteryProviders.removeAll()
        channelListeners.removeAll()
        devices.restart()
    }

    /// The number of links, those without a device included.
    var linkCount: Int { links.count }
    /// The number of programs that scan.
    var discoveryClientCount: Int { discovery.clientCount }

    /// Forgets all devices, which loses their links.
    func forgetDevices() {
        for (link, _) in links { link.close(from: self, reason: .byLocalHost) }
        for device in devices.values {
            device.connection.cancel()
            forget(device)
        }
    }

    /// Removes the controller without notice: first its links, then the power, then all devices.
    func loseController() {
        power.controllerLost()
        for device in devices.values { device.unexport() }
    }

    // MARK: Events of the parts

    private func perform(_ event: AdapterPower.Event) {
        switch event {
        case .willGoOff: forgetUnconnectedDevices()
        case .radioOff(let reason):
            for device in devices.values { device.connection.adapterWentOff(reason) }
            for (link, _) in links { link.close(from: self, reason: reason) }
        case .off(let names):
            for address in discovery.end() {
                devices[address]?.forgetSignalStrength(reports: false)
            }
            changed(names)
        case .on(let names):
            changed(names)
            world.medium.changed(self)
        case .changed(let names): changed(names)
        }
    }

    private func perform(_ event: GATTManager.Event) {
        switch event {
        case .uuidsChanged: changed("UUIDs")
        case .servicesChanged:
            for device in clientsOfServices { device.onLinkEvent(.servicesChanged) }
        }
    }

    private func perform(_ event: AdapterDiscovery.Event) {
        switch event {
        case .scan: for peer in world.medium.peers { receive(peer) }
        case .ended(let found, let others):
            for address in found { devices[address]?.forgetSignalStrength(reports: true) }
            changed(["Discovering"] + others)
            for address in found {
                guard let device = devices[address], device.isTemporary, !device.isConnectable
                else { continue }
                forget(device)
            }
        case .changed(let names): changed(names)
        }
    }

    // Without a radio, bluetoothd forgets devices that were never connected.
    private func forgetUnconnectedDevices() {
        for device in devices.values where device.isTemporary && !device.connection.isConnected {
            forget(device)
        }
    }

    // MARK: Devices

    /// Gives a device its identity as its address after pairing; its object keeps its path.
    func adoptIdentity(_ identity: RadioAddress, of device: Device) {
        let old = device.address
        guard devices.addKeys(of: identity), old != identity else { return }
        if let duplicate = devices[identity] { forget(duplicate, keepsKeys: true) }
        devices.move(device, to: identity)
        discovery.move(old, to: identity)
        device.adoptIdentity(identity)
    }

    /// Removes a device from the bus, its attributes first.
    func forget(_ device: Device, keepsKeys: Bool = false) {
        guard devices.contains(device) else { return }
        if !keepsKeys { devices.removeKeys(of: device.address) }
        device.link?.close(by: device.object, reason: .byRemoteHost)
        device.unexport()
        devices.remove(device)
        discovery.forget(device.address)
    }

    private func removeDevice(_ call: MethodInvocation) {
        guard power.isPowered else { return call.fail(BlueZError.notReady) }
        let path = call.arguments[0].path
        guard let device = devices.values.first(where: { $0.path == path }) else {
            return call.fail(BlueZError.doesNotExist)
        }
        device.connection.cancel()
        guard device.connection.isConnected else {
            forget(device)
            return call.reply()
        }
        // bluetoothd replies as it does to `Disconnect`, and then removes the objects.
        device.connection.disconnect(replyingTo: call) { [weak self, weak device] in
            if let device { self?.forget(device) }
        }
    }

    // MARK: Receiving

    /// Handles that a peer started, changed or stopped its advertising.
    func peerChanged(_ peer: any RadioPeer) {
        receiveAgain(peer)
        devices[devices.address(of: peer)]?.connection.tryPendingConnection()
    }

    func reportedAddress(of peer: any RadioPeer) -> RadioAddress { devices.address(of: peer) }

    /// Receives a peer's current advertisements, even those already reported in this round.
    func receiveAgain(_ peer: any RadioPeer) {
        discovery.forgetReports(of: devices.address(of: peer))
        receive(peer)
    }

    /// Receives a peer's current advertisements; each is reported once in a round.
    private func receive(_ peer: any RadioPeer) {
        guard discovery.isDiscovering, power.isPowered, peer !== self else { return }
        guard !world.clock.isPaused else {
            return world.clock.whenRunning { [weak self] in self?.receive(peer) }
        }
        let address = devices.address(of: peer)
        for advertisement in discovery.receive(peer.advertisements, from: address) {
            let rssi = peer.signalStrength(at: self)
            guard discovery.find(advertisement, of: address, rssi: rssi) else { continue }
            _ = updateDevice(
                advertisement,
                of: address,
                rssi: rssi,
                reportsEachStrength: discovery.reportsEachStrength,
                reportsDuplicates: discovery.reportsDuplicates
            )
        }
    }

    /// Receives an advertisement for a monitor, without discovery.
    func receivePassively(_ advertisement: AdvertisingData, from peer: any RadioPeer) -> Device? {
        updateDevice(
            advertisement,
            of: devices.address(of: peer),
            rssi: peer.signalStrength(at: self),
            reportsEachStrength: false,
            reportsDuplicates: false
        )
    }

    private func updateDevice(
        _ advertisement: AdvertisingData,
        of address: RadioAddress,
        rssi: Int16,
        reportsEachStrength: Bool,
        reportsDuplicates: Bool
    ) -> Device? {
        if let device = devices[address] {
            device.sighted(
                advertisement,
                rssi: rssi,
                reportsEachStrength: reportsEachStrength,
                reportsDuplicates: reportsDuplicates
            )
            return device
        }
        guard let device = devices.make(address, on: self) else { return nil }
        device.update(advertisement, rssi: rssi)
        device.export()
        device.restartExpiryTimer()
        return device
    }

    // MARK: On the air

    var advertisements: [AdvertisingData] { power.isPowered ? advertising.advertisements : [] }
    var acceptsLinks: Bool { advertisements.contains(where: \.isConnectable) }
    var mtu: Int { world.options.mtu }
    var bearerCount: Int { world.version.bearerCount }
    var acceptsPairing: Bool { true }
    var pairing: SimulatedPairing { .justWorks }
    var identity: RadioAddress? { nil }
    var answersDiscovery: Bool { true }
    var database: AttributeDatabase { gatt.database }
    var deviceName: String? { settings.alias ?? world.version.adapterName }
    var modalias: String? { world.version.modalias }

    func signalStrength(at receiver: any RadioPeer) -> Int16 {
        guard let adapter = receiver as? Adapter else { return 127 }
        return world.medium.signalStrength(between: [name, adapter.name])
    }

    /// Adds a link that a device of this adapter has opened.
    func linkOpened(_ link: SimulatedLink, by device: Device) {
        links.append((link, device))
    }

    /// Adds a link whose peripheral is this adapter; the central's device object also appears.
    func linkOpened(_ link: SimulatedLink) {
        advertising.connected()
        let device = device(of: link.central)
        links.append((link, device))
        guard let device else { return }
        link.devices.append(device.object)
        device.attach(link, to: link.central)
    }

    /// Returns the device of a peer, with a new object if it is unknown.
    private func device(of peer: any RadioPeer) -> Device? {
        let address = devices.address(of: peer)
        if let known = devices[address] { return known }
        let made = devices.make(address, on: self)
        made?.export()
        return made
    }

    func linkClosed(_ link: SimulatedLink) {
        links.removeAll { $0.link === link }
        if link.peer === self { world.medium.changed(self) }
    }

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        // bluetoothd serves only centrals that have a device object.
        guard client.deviceAtServer != nil else { return }
        gatt.perform(request, from: client, completion: completion)
    }

    func clientDisconnected(_ client: ATTClient) {
        gatt.clientDisconnected(client)
    }

    /// The device objects that use this adapter's services and must be notified of changes.
    private var clientsOfServices: [DeviceObject] {
        links.compactMap { link, _ in link.devices.first { $0.host !== self } }
    }

    // MARK: D-Bus interface

    private var interface: BusInterface {
        BusInterface(
            BlueZNames.adapter,
            properties: identityProperties + stateProperties + featureProperties,
            methods: [
                BusMethod("StartDiscovery") { [weak self] in self?.discovery.start($0) },
                BusMethod("SetDiscoveryFilter", inputSignature: "a{sv}") { [weak self] in
                    self?.discovery.setFilter($0)
                },
                BusMethod("StopDiscovery") { [weak self] in self?.discovery.stop($0) },
                BusMethod("RemoveDevice", inputSignature: "o") { [weak self] in
                    self?.removeDevice($0)
                },
                BusMethod("GetDiscoveryFilters", outputSignature: "as") {
                    [version = world.version] in
                    $0.reply([.strings(ClientDiscoveryFilter.names(version))])
                },
            ]
        )
    }

    private var identityProperties: [BusProperty] {
        [
            BusProperty("Address", "s") { [address] in .string(address.text) },
            BusProperty("AddressType", "s") { [address] in .string(address.type.rawValue) },
            BusProperty("Name", "s") { [weak self] in
                self.map { .string($0.world.version.adapterName) }
            },
            BusProperty(
                "Alias",
                "s",
                get: { [weak self] in self?.deviceName.map { .string($0) } },
                set: { [weak self] value, call in self?.settings.setAlias(value, call) }
            ),
            BusProperty("Class", "u") { .uint32(0) },
        ]
    }

    private var stateProperties: [BusProperty] {
        let powered = BusProperty(
            "Powered",
            "b",
            get: { [weak self] in self.map { .boolean($0.power.isPowered) } },
            set: { [weak self] value, call in self?.power.set(value.boolean ?? false, call) }
        )
        let state = BusProperty("PowerState", "s") { [weak self] in
            self.flatMap { $0.world.version.hasPowerState ? .string($0.power.state) : nil }
        }
        let discovering = BusProperty("Discovering", "b") { [weak self] in
            self.map { .boolean($0.discovery.isDiscovering) }
        }
        return [powered, state] + settings.properties + [discovering]
    }

    /// The `Modalias`, which main.conf can hide.
    private var shownModalias: String? {
        guard let text = world.options.modalias else { return modalias }
        return text.isEmpty ? nil : text
    }

    private var featureProperties: [BusProperty] {
        [
            BusProperty("UUIDs", "as") { [weak self] in self.map { .strings($0.gatt.uuids) } },
            BusProperty("Modalias", "s") { [weak self] in self?.shownModalias.map { .string($0) } },
            BusProperty("Roles", "as") { .strings(["central", "peripheral"]) },
        ]
    }
}
