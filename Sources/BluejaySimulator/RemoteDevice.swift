internal import BluejayDBus
internal import BluejayGLib

/// `org.bluez.Device1`: a device as one adapter knows it.
final class RemoteDevice {
    static let interface = "org.bluez.Device1"

    private enum Phase {
        case down
        /// `Connect` is pending, with its callers.
        case connecting([MethodInvocation])
        case up(AirLink)
        /// `Disconnect` is pending; the link is still up.
        case disconnecting(AirLink, [MethodInvocation])
    }

    let address: AirAddress
    let path: ObjectPath
    unowned let adapter: SimulatedAdapter
    private(set) lazy var gatt = GattClient(self)
    private(set) var isPaired = false
    private var name: String?
    private var uuids: [String] = []
    private var rssi: Int16?
    private var txPower: Int16?
    private var manufacturerData: [UInt16: [UInt8]] = [:]
    private var serviceData: [String: [UInt8]] = [:]
    private var isTrusted = false
    private(set) var isResolved = false
    /// Connected as a central of this adapter's own services.
    var isCentralHere = false
    private var phase = Phase.down
    private var timer: ScheduledTimer?
    private var temporaryTimer: ScheduledTimer?

    init(_ address: AirAddress, on adapter: SimulatedAdapter) {
        self.address = address
        self.adapter = adapter
        let element = "dev_" + address.text.replacing(":", with: "_")
        path = adapter.path.child(element) ?? adapter.path
    }

    private var world: SimulatedBlueZ { adapter.world }
    private var is586: Bool { world.options.kind == .v5_86 }

    /// The link as a central; nil while there is none.
    var link: AirLink? {
        switch phase {
        case .up(let link), .disconnecting(let link, _): link
        case .down, .connecting: nil
        }
    }

    var isConnected: Bool { link != nil || isCentralHere }

    func export() {
        world.server.export([interface], at: path)
        world.server.emitInterfacesAdded(path, manager: .root)
        touch()
    }

    func unexport() {
        timer = nil
        temporaryTimer = nil
        gatt.removeObjects()
        world.server.unexport(path)
        emitRemoved(path, Self.interface)
    }

    func emit(_ changed: BusProperties, invalidated: [String] = []) {
        world.server.emitPropertiesChanged(path, Self.interface, changed, invalidated: invalidated)
    }

    func emitRemoved(_ path: ObjectPath, _ interface: String) {
        world.server.emitInterfacesRemoved(
            path,
            interfaces: [
                "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable", interface,
            ],
            manager: .root
        )
    }

    // MARK: Advertisements

    /// Takes over what is advertised, without telling.
    func learn(_ advertisement: AirAdvertisement) {
        name = advertisement.name ?? name
        rssi = advertisement.rssi
        txPower = advertisement.txPower ?? txPower
        for uuid in advertisement.serviceUUIDs where !uuids.contains(uuid) { uuids.append(uuid) }
        // Companies and services accumulate.
        manufacturerData.merge(advertisement.manufacturerData) { _, new in new }
        serviceData.merge(advertisement.serviceData) { _, new in new }
    }

    /// Takes over an advertisement of a device that is known, and tells what changed.
    func saw(_ advertisement: AirAdvertisement, everyStrength: Bool, duplicates: Bool) {
        let old = (name, rssi, uuids, manufacturerData, serviceData)
        learn(advertisement)
        touch()
        var changed: BusProperties = []
        let dataChanged = manufacturerData != old.3 || serviceData != old.4
        let hasData = !advertisement.manufacturerData.isEmpty || !advertisement.serviceData.isEmpty
        if old.1 == nil || everyStrength || dataChanged || duplicates && hasData
            || abs(Int(advertisement.rssi) - Int(old.1 ?? 0)) >= 8
        {
            changed.append(("RSSI", .int16(advertisement.rssi)))
        } else {
            rssi = old.1
        }
        if name != old.0 {
            changed += [("Name", .string(name ?? "")), ("Alias", .string(alias))]
        }
        if uuids != old.2 { changed.append(("UUIDs", .strings(uuids))) }
        if manufacturerData != old.3 || duplicates && !advertisement.manufacturerData.isEmpty {
            changed.append(("ManufacturerData", manufacturerValue))
        }
        if serviceData != old.4 || duplicates && !advertisement.serviceData.isEmpty {
            changed.append(("ServiceData", serviceValue))
        }
        if !changed.isEmpty { emit(changed) }
    }

    /// Discovery ended: nothing is known of the strength any more.
    func forgetStrength(telling: Bool) {
        guard rssi != nil else { return }
        rssi = nil
        if telling { emit([], invalidated: ["RSSI"]) }
    }

    // A device that is neither connected nor paired is dropped some time after it was last seen.
    private func touch() {
        temporaryTimer = world.after(world.waits.temporary) { [weak self] in
            guard let self, !isConnected, !isPaired else { return }
            guard case .down = phase else { return }
            adapter.remove(self)
        }
    }

    /// The peer began, changed or ended its advertising: a pending connection may be made now.
    func peerChanged(_ peer: any AirPeer) {
        if case .connecting = phase { tryToConnect() }
    }

    // MARK: Connect

    private func connect(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(BlueZError.failed("Input/output error")) }
        switch phase {
        case .up, .disconnecting: call.reply()
        case .connecting:
            call.fail(
                is586 ? BlueZError.inProgress : BlueZError.failed("Operation already in progress")
            )
        case .down:
            phase = .connecting([call])
            temporaryTimer = nil
            timer = world.after(world.waits.connect) { [weak self] in
                self?.failConnect(BlueZError.failed("le-connection-abort-by-local"))
            }
            tryToConnect()
        }
    }

    private var peer: (any AirPeer)? {
        world.peers(for: adapter).first {
            $0.airAddress == address && $0.advertisement?.isConnectable == true
        }
    }

    private func tryToConnect() {
        guard peer != nil else { return }
        timer = world.after(world.waits.linkUp) { [weak self] in
            guard let self, case .connecting(let calls) = phase else { return }
            guard let peer else {
                return failConnect(BlueZError.failed("le-connection-abort-by-local"))
            }
            let link = AirLink(adapter.address, to: peer)
            phase = .up(link)
            emit([("Connected", .boolean(true))])
            for call in calls { call.reply() }
            linkUp(link, peer)
        }
    }

    private func failConnect(_ error: BusError) {
        guard case .connecting(let calls) = phase else { return }
        phase = .down
        timer = nil
        for call in calls { call.fail(error) }
        touch()
    }

    private func linkUp(_ link: AirLink, _ peer: any AirPeer) {
        link.onValue = { [weak self] in self?.gatt.received($0, $1) }
        link.onDatabaseChanged = { [weak self, weak peer] in
            peer.map { self?.databaseChanged($0.database) }
        }
        link.onLost = { [weak self] in self?.lostLink() }
        gatt.linkUp(link, peer)
        peer.linkOpened(link)
        let wait = gatt.hasObjects ? world.waits.cachedResolve : world.waits.firstResolve
        timer = world.after(wait) { [weak self, weak peer] in
            guard let self, let peer, self.link === link else { return }
            resolve(peer)
        }
    }

    private func resolve(_ peer: any AirPeer) {
        let database = peer.database
        let isNews = gatt.update(to: database, is586: is586)
        isResolved = true
        var changed: BusProperties = []
        let present = database.services.map(\.uuid)
        if isNews {
            uuids = Array(Set(uuids).union(present)).sorted()
            changed.append(("UUIDs", .strings(uuids)))
        }
        changed.append(("ServicesResolved", .boolean(true)))
        // The Device Name attribute takes the place of the advertised name.
        if isNews, let deviceName = peer.deviceName, deviceName != name {
            name = deviceName
            changed += [("Name", .string(deviceName)), ("Alias", .string(deviceName))]
        }
        emit(changed)
    }

    private func databaseChanged(_ database: AttributeDatabase) {
        guard isResolved else { return }
        let present = database.services.map(\.uuid)
        let known = Set(gatt.serviceUUIDs)
        uuids = Array(Set(uuids).subtracting(known).union(present)).sorted()
        emit([("UUIDs", .strings(uuids))])
        _ = gatt.update(to: database, is586: is586)
    }

    // MARK: Disconnect

    private func disconnect(_ call: MethodInvocation) {
        switch phase {
        case .down: call.reply()
        case .connecting:
            failConnect(BlueZError.failed("br-connection-canceled"))
            call.reply()
        case .disconnecting(let link, let calls): phase = .disconnecting(link, calls + [call])
        case .up(let link):
            phase = .disconnecting(link, [call])
            timer = world.after(world.waits.disconnect) { [weak self] in self?.finishDisconnect() }
        }
    }

    private func finishDisconnect() {
        guard case .disconnecting(let link, let calls) = phase else { return }
        phase = .down
        timer = nil
        if isResolved { emit([("ServicesResolved", .boolean(false))]) }
        isResolved = false
        if !is586 { for call in calls { call.reply() } }
        link.close()
        gatt.linkDown()
        if is586 { emitReason("Local", "Connection terminated by local host") }
        emit([("Connected", .boolean(false))])
        if is586 { for call in calls { call.reply() } }
        touch()
        runAfterDisconnect()
    }

    private var afterDisconnect: [() -> Void] = []

    private func runAfterDisconnect() {
        let waiting = afterDisconnect
        afterDisconnect = []
        for work in waiting { work() }
    }

    /// Cuts the link if there is one, as `Disconnect` does, and then goes on.
    func whenDisconnected(_ work: @escaping () -> Void) {
        switch phase {
        case .down: work()
        case .connecting:
            failConnect(BlueZError.failed("br-connection-canceled"))
            work()
        case .up(let link):
            phase = .disconnecting(link, [])
            afterDisconnect.append(work)
            timer = world.after(world.waits.disconnect) { [weak self] in self?.finishDisconnect() }
        case .disconnecting: afterDisconnect.append(work)
        }
    }

    /// The peer left, or the signal was lost.
    private func lostLink() {
        goDown(reason: ("Remote", "Connection terminated by remote user"))
    }

    /// The adapter went off.
    func adapterDown() {
        failConnect(BlueZError.failed("Input/output error"))
        link?.close()
        goDown(reason: ("Local", "Connection terminated by local host"))
    }

    /// An ATT transaction got no answer: the bearer is dead.
    func attributeTimedOut() {
        timer = world.after(world.waits.afterAttributeTimeout) { [weak self] in
            self?.link?.close()
            self?.goDown(reason: ("Timeout", "Connection timeout"))
        }
    }

    private func goDown(reason: (String, String)) {
        let calls: [MethodInvocation]
        switch phase {
        case .down, .connecting: return
        case .up: calls = []
        case .disconnecting(_, let pending): calls = pending
        }
        phase = .down
        timer = nil
        if is586 { emitReason(reason.0, reason.1) }
        var changed: BusProperties = isResolved ? [("ServicesResolved", .boolean(false))] : []
        changed.append(("Connected", .boolean(false)))
        isResolved = false
        emit(changed)
        gatt.linkDown()
        for call in calls { call.reply() }
        touch()
        runAfterDisconnect()
    }

    private func emitReason(_ name: String, _ text: String) {
        try? world.connection.emit(
            path,
            Self.interface,
            "Disconnected",
            [.string("org.bluez.Reason." + name), .string(text)]
        )
    }

    // MARK: Pairing

    /// Pairs without asking anybody, as two devices without input and output do.
    private func pair(_ call: MethodInvocation) {
        guard link != nil else { return call.fail(BlueZError.notConnected) }
        guard !isPaired else { return call.fail(BlueZError.alreadyExists) }
        guard world.agents.agent != nil else { return call.fail(BlueZError.authenticationFailed) }
        becamePaired()
        call.reply()
    }

    /// The keys are exchanged.
    func becamePaired() {
        isPaired = true
        temporaryTimer = nil
        emit([("Bonded", .boolean(true)), ("Paired", .boolean(true))])
    }

    /// A central connected to this adapter's own services, or left.
    func setCentralHere(_ isHere: Bool) {
        guard isCentralHere != isHere else { return }
        isCentralHere = isHere
        emit([("Connected", .boolean(isHere))])
        if !isHere { touch() }
    }

    // MARK: The interface

    private var alias: String { name ?? address.text.replacing(":", with: "-") }

    private var manufacturerValue: BusValue {
        .dictionary(
            manufacturerData.sorted { $0.key < $1.key }.map {
                BusEntry(.uint16($0.key), .variant(.bytes($0.value)))
            },
            key: "q",
            value: "v"
        )
    }

    private var serviceValue: BusValue {
        .dictionary(
            serviceData.sorted { $0.key < $1.key }.map {
                BusEntry(.string($0.key), .variant(.bytes($0.value)))
            },
            key: "s",
            value: "v"
        )
    }

    private var interface: BusInterface {
        BusInterface(
            Self.interface,
            properties: properties,
            methods: [
                BusMethod("Disconnect") { [weak self] in self?.disconnect($0) },
                BusMethod("Connect") { [weak self] in self?.connect($0) },
                BusMethod("ConnectProfile", takes: "s") { [weak self] in self?.connect($0) },
                BusMethod("DisconnectProfile", takes: "s") { $0.fail(BlueZError.notSupported) },
                BusMethod("Pair") { [weak self] in self?.pair($0) },
                BusMethod("CancelPairing") { $0.fail(BlueZError.doesNotExist) },
            ]
        )
    }

    private var properties: [BusProperty] {
        func live(
            _ name: String,
            _ signature: String,
            _ value: @escaping (RemoteDevice) -> BusValue?
        ) -> BusProperty {
            BusProperty(name, signature, get: { [weak self] in self.flatMap(value) })
        }
        return [
            live("Address", "s") { .string($0.address.text) },
            live("AddressType", "s") { .string($0.address.type) },
            live("Name", "s") { $0.name.map { .string($0) } },
            live("Alias", "s") { .string($0.alias) },
            live("Paired", "b") { .boolean($0.isPaired) },
            live("Bonded", "b") { .boolean($0.isPaired) },
            BusProperty("Trusted", "b", get: { [weak self] in self.map { .boolean($0.isTrusted) } })
            {
                [weak self] value, call in
                self?.isTrusted = value.boolean == true
                self?.emit([("Trusted", value)])
                call.reply()
            },
            live("Blocked", "b") { _ in .boolean(false) },
            live("LegacyPairing", "b") { _ in .boolean(false) },
            live("RSSI", "n") { $0.rssi.map { .int16($0) } },
            live("Connected", "b") { .boolean($0.isConnected) },
            live("UUIDs", "as") { .strings($0.uuids) },
            live("Adapter", "o") { .objectPath($0.adapter.path) },
            live("ManufacturerData", "a{qv}") {
                $0.manufacturerData.isEmpty ? nil : $0.manufacturerValue
            },
            live("ServiceData", "a{sv}") { $0.serviceData.isEmpty ? nil : $0.serviceValue },
            live("TxPower", "n") { $0.txPower.map { .int16($0) } },
            live("ServicesResolved", "b") { .boolean($0.isResolved) },
        ]
    }
}
