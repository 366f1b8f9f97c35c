internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `/org/bluez/hciN/dev_XX_XX_XX_XX_XX_XX`: a device that an adapter has seen.
final class Device: AttributeClient {
    unowned let adapter: Adapter
    let object: DeviceObject
    private let details = DeviceDetails()
    private lazy var lifetime: DeviceLifetime = .init(in: world) { [unowned self] in
        if !connection.isConnected, !connection.isConnecting { adapter.forget(self) }
    }
    private(set) lazy var gatt = GATTClientObjects(self)
    private(set) lazy var battery = DeviceBattery(self)
    private(set) lazy var connection: DeviceConnection =
        .init(object, details: details, lifetime: lifetime, gatt: gatt, battery: battery) {
            [unowned self] in perform($0)
        }
    private(set) lazy var pairing: DevicePairing =
        .init(object, connection, lifetime) { [unowned self] in bond($0) }
    private var isTrusted = false
    private var isBlocked = false

    init?(_ address: RadioAddress, on adapter: Adapter) {
        let path = adapter.path
        guard let object = DeviceObject(address, of: adapter, below: path, in: adapter.world) else {
            return nil
        }
        self.adapter = adapter
        self.object = object
        object.onLinkEvent = { [weak self] in self?.perform($0) }
    }

    var world: SimulatedWorld { object.world }
    var address: RadioAddress { object.address }
    var path: ObjectPath { object.path }
    var isTemporary: Bool { lifetime.isTemporary }
    var isConnectable: Bool { details.isConnectable }

    // MARK: The object

    func export() {
        world.bus.export([interface], at: path)
        connection.closeStaleLink()
    }

    func unexport() {
        gatt.removeAll()
        world.bus.unexport(path)
        lifetime.stopTimer()
        connection.stopResolving()
    }

    /// Adopts the identity distributed by the peer; the object keeps its path.
    func adoptIdentity(_ identity: RadioAddress) {
        object.adoptIdentity(identity)
    }

    /// Resets the device like a new daemon, which knows no attributes before the next connection.
    func restart() {
        object.restart()
        gatt.forgetAll()
        details.restart()
        connection.restart()
    }

    /// Ends the link and discards pending calls without a signal, like a killed daemon.
    func discard() {
        let wasPairing = pairing.discard()
        connection.discard(
            staleTime: wasPairing ? RecordedDelays.pairingTimeout : RecordedDelays.staleLink
        )
    }

    // MARK: Advertisements

    /// Stores the first advertisement, before the object is exported.
    func update(_ advertisement: AdvertisingData, rssi: Int16) {
        _ = details.receive(advertisement, rssi: rssi)
    }

    /// Signals the changes in an advertisement of a known device.
    func sighted(
        _ advertisement: AdvertisingData,
        rssi: Int16,
        reportsEachStrength: Bool,
        reportsDuplicates: Bool
    ) {
        object.changed(
            details.receive(
                advertisement,
                rssi: rssi,
                reportsEachStrength: reportsEachStrength,
                reportsDuplicates: reportsDuplicates,
                keepsName: connection.link != nil,
                keepsServices: connection.areServicesResolved
            )
        )
        restartExpiryTimer()
    }

    /// Discards the signal strength at the end of a scan.
    func forgetSignalStrength(reports: Bool) {
        let names = details.forgetSignalStrength()
        if reports { object.changed(names) }
    }

    func restartExpiryTimer() {
        connection.restartExpiryTimer()
    }

    // MARK: The link

    private func perform(_ event: DeviceConnection.Event) {
        switch event {
        case .accepted(let peer, let afterSignal): open(to: peer, afterSignal)
        case .dropped(let link): link.close(by: object, reason: .byRemoteHost)
        case .ended: pairing.linkEnded()
        case .forgotten: adapter.forget(self)
        }
    }

    private func perform(_ event: DeviceObject.LinkEvent) {
        switch event {
        case .lost(let reason): connection.linkLost(reason)
        case .mtuChanged: connection.mtuChanged()
        case .servicesChanged: connection.servicesChanged()
        case .discoveryAnswered: connection.discoveryCompleted()
        case .encryptionRequested(let completion): encrypt(completion: completion)
        case .bonded(let isAuthenticated): bonded(isAuthenticated)
        }
    }

    private func open(to peer: any RadioPeer, _ afterSignal: () -> Void) {
        let link = SimulatedLink(central: adapter, peer: peer, in: world)
        link.devices = [object]
        adapter.linkOpened(link, by: self)
        attach(link, to: peer, afterSignal: afterSignal)
        peer.linkOpened(link)
    }

    func attach(_ link: SimulatedLink, to peer: any RadioPeer, afterSignal: () -> Void = {}) {
        let client = ATTClient(self, server: peer, clock: world.clock)
        connection.attach(link, client, afterSignal: afterSignal)
    }

    // Both ends now have keys.
    private func bond(_ isAuthenticated: Bool) {
        for device in link?.devices ?? [object] where !device.isPaired {
            device.onLinkEvent(.bonded(isAuthenticated: isAuthenticated))
        }
    }

    private func bonded(_ isAuthenticated: Bool) {
        if let identity = client?.server.identity { adapter.adoptIdentity(identity, of: self) }
        object.addKeys(isAuthenticated: isAuthenticated)
        connection.makePermanent()
        object.changed(world.version.hasBonded ? ["Bonded", "Paired"] : ["Paired"])
    }

    // MARK: Attribute client

    var link: SimulatedLink? { connection.link }
    var client: ATTClient? { connection.client }
    var isPaired: Bool { object.isPaired }
    var isAuthenticated: Bool { object.isAuthenticated }

    var ownMTU: Int { adapter.mtu }
    var isRemovedWithLink: Bool { lifetime.endsWithLink }

    func received(_ handle: UInt16, _ value: [UInt8]) {
        gatt.received(handle, value)
        battery.received(handle, value)
    }

    func encrypt(completion: @escaping (Bool) -> Void) {
        pairing.encrypt(completion: completion)
    }

    func encryptForRequest(completion: @escaping (Bool) -> Void) {
        pairing.encryptForRequest { completion(true) }
    }

    func attributeTimedOut() {
        connection.attributeTimedOut()
    }

    // MARK: D-Bus interface

    /// `org.bluez.Device1`, its properties in bluetoothd's order.
    private var interface: BusInterface {
        BusInterface(
            BlueZNames.device,
            properties: identityProperties + securityProperties + stateProperties
                + advertisedProperties,
            methods: [
                BusMethod("Disconnect") { [weak self] in self?.connection.disconnect($0) },
                BusMethod("Connect") { [weak self] in self?.connect($0) },
                BusMethod("ConnectProfile", inputSignature: "s") {
                    $0.fail(BlueZError.notSupported)
                },
                BusMethod("DisconnectProfile", inputSignature: "s") {
                    $0.fail(BlueZError.notSupported)
                },
                BusMethod("Pair") { [weak self] in self?.pair($0) },
                BusMethod("CancelPairing") { [weak self] in self?.pairing.cancel($0) },
            ]
        )
    }

    private func connect(_ call: MethodInvocation) {
        guard adapter.power.isPowered else {
            return call.fail(BlueZError.failed("Input/output error"))
        }
        connection.connect(call)
    }

    private func pair(_ call: MethodInvocation) {
        guard adapter.power.isPowered else { return call.fail(BlueZError.notReady) }
        pairing.pair(call)
    }

    private func property(
        _ name: String,
        _ signature: String,
        _ get: @escaping (Device) -> BusValue?
    ) -> BusProperty {
        BusProperty(name, signature) { [weak self] in self.flatMap(get) }
    }

    private func flag(
        _ name: String,
        _ flag: ReferenceWritableKeyPath<Device, Bool>
    ) -> BusProperty {
        BusProperty(
            name,
            "b",
            get: { [weak self] in self.map { .boolean($0[keyPath: flag]) } },
            set: { [weak self] value, call in
                self?[keyPath: flag] = value.boolean ?? false
                // bluetoothd sends signals before replies.
                self?.object.changed([name])
                call.reply()
            }
        )
    }

    private var identityProperties: [BusProperty] {
        [
            property("Address", "s") { .string($0.address.text) },
            property("AddressType", "s") { .string($0.address.type.rawValue) },
            property("Name", "s") { $0.details.name.map { .string($0) } },
            BusProperty(
                "Alias",
                "s",
                get: { [weak self] in
                    self.map { .string($0.details.shownName ?? $0.address.dashed) }
                },
                set: { [weak self] value, call in
                    self?.details.setAlias(value.text)
                    self?.object.changed(["Alias"])
                    call.reply()
                }
            ),
            property("Appearance", "q") { $0.details.advertised.appearance.map { .uint16($0) } },
        ]
    }

    private var securityProperties: [BusProperty] {
        [
            property("Paired", "b") { .boolean($0.isPaired) },
            property("Bonded", "b") { device in
                device.world.version.hasBonded ? .boolean(device.isPaired) : nil
            },
            flag("Trusted", \.isTrusted),
            flag("Blocked", \.isBlocked),
            property("LegacyPairing", "b") { _ in .boolean(false) },
        ]
    }

    private var stateProperties: [BusProperty] {
        [
            property("RSSI", "n") { $0.details.rssi.map { .int16($0) } },
            property("Connected", "b") { .boolean($0.connection.isConnected) },
            property("UUIDs", "as") { .strings($0.details.uuids) },
            property("Modalias", "s") { $0.details.modalias.map { .string($0) } },
            property("Adapter", "o") { .objectPath($0.adapter.path) },
        ]
    }

    private var advertisedProperties: [BusProperty] {
        [
            property("ManufacturerData", "a{qv}") { device in
                Self.dictionary(device.details.advertised.manufacturerData, key: "q") {
                    .uint16($0)
                }
            },
            property("ServiceData", "a{sv}") { device in
                Self.dictionary(device.details.advertised.serviceData, key: "s") { .string($0) }
            },
            property("TxPower", "n") { $0.details.advertised.transmitPower.map { .int16($0) } },
            property("ServicesResolved", "b") { .boolean($0.connection.areServicesResolved) },
            property("AdvertisingFlags", "ay") { $0.details.advertised.flags.map { .bytes([$0]) } },
            property("AdvertisingData", "a{yv}") { device in
                Self.dictionary(device.details.advertised.data, key: "y") { .byte($0) }
            },
        ]
    }

    // A property with an empty dictionary is absent.
    private static func dictionary<Key>(
        _ content: OrderedDictionary<Key, [UInt8]>,
        key signature: String,
        _ make: (Key) -> BusValue
    ) -> BusValue? {
        guard !content.isEmpty else { return nil }
        let entries = content.map { BusEntry(make($0.key), .variant(.bytes($0.value))) }
        return .dictionary(entries, key: signature, value: "v")
    }
}
