internal import BluejayDBus
internal import BluejayGLib

/// `org.bluez.Adapter1`: one adapter, its discovery, the devices it knows, and its own services.
final class SimulatedAdapter {
    static let interface = "org.bluez.Adapter1"

    let number: Int
    let path: ObjectPath
    let address: AirAddress
    unowned let world: SimulatedBlueZ
    private(set) lazy var discovery = Discovery(self)
    private(set) lazy var peripheral = AdapterPeripheral(self)
    private(set) var devices: [RemoteDevice] = []
    private(set) var isPowered: Bool
    private var powerState: String
    private var alias: String
    private var isPairable = false
    private var isDiscoverable = false

    init(_ number: Int, isPowered: Bool, in world: SimulatedBlueZ) {
        self.number = number
        self.world = world
        self.isPowered = isPowered
        powerState = isPowered ? "on" : "off"
        path = SimulatedBlueZ.root.child("hci\(number)") ?? SimulatedBlueZ.root
        let digits = String(number % 256, radix: 16, uppercase: true)
        let octet = digits.count == 1 ? "0" + digits : digits
        address = AirAddress(text: "00:AA:01:\(octet):00:\(octet)", type: "public")
        alias = "BlueZ 5.66"
    }

    var name: String { alias }

    func export() {
        world.server.export([interface], at: path)
        peripheral.export()
        world.server.emitInterfacesAdded(path, manager: .root)
        world.onClientGone { [weak self] client in
            self?.discovery.clientGone(client)
            self?.peripheral.clientGone(client)
            for device in self?.devices ?? [] { device.gatt.clientGone(client) }
        }
    }

    func emit(_ changed: BusProperties, invalidated: [String] = []) {
        world.server.emitPropertiesChanged(
            path,
            Self.interface,
            changed,
            invalidated: invalidated
        )
    }

    // MARK: Devices

    func device(_ address: AirAddress) -> RemoteDevice? {
        devices.first { $0.address == address }
    }

    /// Makes and exports the object of a device that was not known.
    func addDevice(_ address: AirAddress, configure: (RemoteDevice) -> Void) -> RemoteDevice {
        let device = RemoteDevice(address, on: self)
        configure(device)
        devices.append(device)
        device.export()
        return device
    }

    func remove(_ device: RemoteDevice) {
        devices.removeAll { $0 === device }
        device.unexport()
    }

    /// A peer on the air began, changed or ended its advertising.
    func hears(_ peer: any AirPeer) {
        guard isPowered else { return }
        discovery.hears(peer)
        device(peer.airAddress)?.peerChanged(peer)
    }

    // MARK: Power

    func setPowered(_ on: Bool, replied: @escaping () -> Void) {
        guard on != isPowered else { return replied() }
        if on {
            powerState = "off-enabling"
            emit([("PowerState", .string(powerState))])
            replied()
            isPowered = true
            powerState = "on"
            emit([("PowerState", .string(powerState)), ("Powered", .boolean(true))])
        } else {
            powerState = "on-disabling"
            emit([("PowerState", .string(powerState))])
            goDown()
            replied()
            isPowered = false
            powerState = "off"
            emit([
                ("PowerState", .string(powerState)), ("Powered", .boolean(false)),
                ("Discovering", .boolean(false)),
            ])
        }
        world.airChanged(peripheral)
    }

    func unplug() {
        isPowered = false
        emit([("Powered", .boolean(false)), ("Discovering", .boolean(false))])
        goDown()
        for device in devices { remove(device) }
        world.server.unexport(path)
        world.server.emitInterfacesRemoved(
            path,
            interfaces: [
                "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable",
                "org.bluez.LEAdvertisingManager1", "org.bluez.GattManager1", Self.interface,
            ],
            manager: .root
        )
        world.airChanged(peripheral)
    }

    private func goDown() {
        discovery.stopSilently()
        for device in devices { device.adapterDown() }
        peripheral.dropLinks()
    }

    func setPairable(_ on: Bool) {
        guard on != isPairable else { return }
        isPairable = on
        emit([("Pairable", .boolean(on))])
    }

    // MARK: The interface

    private var interface: BusInterface {
        BusInterface(
            Self.interface,
            properties: properties,
            methods: [
                BusMethod("StartDiscovery") { [weak self] in self?.discovery.start($0) },
                BusMethod("SetDiscoveryFilter", takes: "a{sv}") { [weak self] in
                    self?.discovery.setFilter($0)
                },
                BusMethod("StopDiscovery") { [weak self] in self?.discovery.stop($0) },
                BusMethod("RemoveDevice", takes: "o") { [weak self] in self?.removeDevice($0) },
                BusMethod("GetDiscoveryFilters", gives: "as") {
                    let names = [
                        "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable",
                        "Pattern",
                    ]
                    $0.reply([.strings(names)])
                },
            ]
        )
    }

    private var properties: [BusProperty] {
        func constant(_ name: String, _ value: BusValue) -> BusProperty {
            BusProperty(name, value.signature, get: { value })
        }
        let uuids = ["1801", "180a", "1800", "110e", "110c", "1200"].map(fullUUID)
        return [
            constant("Address", .string(address.text)),
            constant("AddressType", .string(address.type)),
            constant("Name", .string("BlueZ 5.66")),
            BusProperty("Alias", "s", get: { [weak self] in self.map { .string($0.alias) } }) {
                [weak self] value, call in
                self?.alias = value.text.flatMap { $0.isEmpty ? nil : $0 } ?? "BlueZ 5.66"
                self.map { $0.emit([("Alias", .string($0.alias))]) }
                call.reply()
            },
            constant("Class", .uint32(0)),
            BusProperty("Powered", "b", get: { [weak self] in self.map { .boolean($0.isPowered) } })
            {
                [weak self] value, call in
                self?.setPowered(value.boolean == true) { call.reply() }
            },
            BusProperty(
                "PowerState",
                "s",
                get: { [weak self] in self.map { .string($0.powerState) } }
            ),
            BusProperty(
                "Discoverable",
                "b",
                get: { [weak self] in self.map { .boolean($0.isDiscoverable) } }
            ) { [weak self] value, call in
                self?.isDiscoverable = value.boolean == true
                self?.emit([("Discoverable", value)])
                call.reply()
            },
            constant("DiscoverableTimeout", .uint32(180)),
            BusProperty(
                "Pairable",
                "b",
                get: { [weak self] in self.map { .boolean($0.isPairable) } }
            ) {
                [weak self] value, call in
                self?.setPairable(value.boolean == true)
                call.reply()
            },
            constant("PairableTimeout", .uint32(0)),
            BusProperty("Discovering", "b") { [weak self] in
                self.map { .boolean($0.discovery.isOn) }
            },
            constant("UUIDs", .strings(uuids)),
            constant("Modalias", .string("usb:v1D6Bp0246d0542")),
            constant("Roles", .strings(["central", "peripheral"])),
            constant("ExperimentalFeatures", .strings([])),
        ]
    }

    private func removeDevice(_ call: MethodInvocation) {
        guard isPowered else { return call.fail(BlueZError.notReady) }
        guard let device = devices.first(where: { $0.path == call.arguments[0].path }) else {
            return call.fail(BlueZError.doesNotExist)
        }
        device.whenDisconnected { [weak self] in
            self?.remove(device)
            call.reply()
        }
    }
}
