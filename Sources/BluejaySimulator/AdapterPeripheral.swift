internal import BluejayDBus
internal import BluejayGLib

/// An adapter as others see it: the services that applications registered, and what is advertised.
final class AdapterPeripheral: AirPeer {
    private unowned let adapter: SimulatedAdapter
    private var applications: [RemoteApplication] = []
    private var advertisements: [RegisteredAdvertisement] = []
    private var links: [AirLink] = []
    private(set) var database = AttributeDatabase.standard()

    /// How many advertisements fit at once.
    private static let instances = 5

    init(_ adapter: SimulatedAdapter) {
        self.adapter = adapter
    }

    private var world: SimulatedBlueZ { adapter.world }

    // MARK: AirPeer

    var airAddress: AirAddress { adapter.address }
    var deviceName: String? { adapter.name }

    var advertisement: AirAdvertisement? {
        guard adapter.isPowered, let first = advertisements.first else { return nil }
        return advertisements.dropFirst().reduce(into: first.content) { merged, next in
            merged.serviceUUIDs += next.content.serviceUUIDs
            merged.manufacturerData.merge(next.content.manufacturerData) { _, new in new }
            merged.serviceData.merge(next.content.serviceData) { _, new in new }
            merged.name = merged.name ?? next.content.name
        }
    }

    func linkOpened(_ link: AirLink) {
        links.append(link)
        let device =
            adapter.device(link.central)
            ?? adapter.addDevice(link.central) { $0.isCentralHere = true }
        device.setCentralHere(true)
    }

    func linkClosed(_ link: AirLink) {
        links.removeAll { $0 === link }
        for application in applications { application.centralLeft(link) }
        adapter.device(link.central)?.setCentralHere(false)
    }

    func dropLinks() {
        for link in links { link.drop() }
    }

    func read(
        _ handle: UInt16,
        offset: Int,
        _ link: AirLink,
        _ answer: @escaping (AttributeAnswer) -> Void
    ) {
        guard let (application, attribute) = find(handle) else {
            return answer(standardValue(handle).map { .value($0) } ?? .refused(0x01))
        }
        application.read(attribute, options(link, offset: offset), answer)
    }

    func write(
        _ handle: UInt16,
        _ value: [UInt8],
        withResponse: Bool,
        _ link: AirLink,
        _ answer: @escaping (AttributeAnswer) -> Void
    ) {
        guard let (application, attribute) = find(handle) else { return answer(.refused(0x03)) }
        application.write(attribute, value, options(link, offset: 0), answer)
    }

    func setNotifying(_ handle: UInt16, _ isOn: Bool, _ link: AirLink) {
        guard let (application, attribute) = find(handle) else { return }
        application.setNotifying(attribute, isOn, link)
    }

    private func find(_ handle: UInt16) -> (RemoteApplication, RemoteApplication.Attribute)? {
        for application in applications {
            if let attribute = application.attributes[handle] { return (application, attribute) }
        }
        return nil
    }

    // The attributes that bluetoothd serves itself.
    private func standardValue(_ handle: UInt16) -> [UInt8]? {
        guard let attribute = database.characteristic(handle) else { return nil }
        if attribute.uuid == fullUUID("2a00") { return Array(adapter.name.utf8) }
        return attribute.flags.contains("read") ? attribute.initialValue : nil
    }

    private func options(_ link: AirLink, offset: Int) -> BusProperties {
        let device = adapter.device(link.central)?.path ?? adapter.path
        var options: BusProperties = [("device", .objectPath(device))]
        // `offset` is left out when it is 0.
        if offset > 0 { options.append(("offset", .uint16(UInt16(offset)))) }
        return options + [("link", .string("LE")), ("mtu", .uint16(link.mtu))]
    }

    // MARK: Applications

    func export() {
        world.server.export([gattManager, advertisingManager], at: adapter.path)
    }

    func clientGone(_ client: String) {
        for application in applications where application.client == client { remove(application) }
        let gone = advertisements.filter { $0.client == client }
        advertisements.removeAll { $0.client == client }
        if !gone.isEmpty { advertisementsChanged() }
    }

    private var gattManager: BusInterface {
        BusInterface(
            "org.bluez.GattManager1",
            methods: [
                BusMethod("RegisterApplication", takes: "oa{sv}") { [weak self] in
                    self?.registerApplication($0)
                },
                BusMethod("UnregisterApplication", takes: "o") { [weak self] in
                    self?.unregisterApplication($0)
                },
            ]
        )
    }

    private func registerApplication(_ call: MethodInvocation) {
        guard let path = call.arguments[0].path else { return }
        let client = call.sender
        guard !applications.contains(where: { $0.client == client && $0.path == path }) else {
            return call.fail(BlueZError.alreadyExists)
        }
        let ask = MethodCall(
            client,
            path,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        )
        world.connection.call(ask, timeout: .seconds(25)) { [weak self] result in
            guard let self else { return }
            guard case .success(let values) = result, let objects = values.first?.entries,
                !objects.isEmpty
            else { return call.fail(BlueZError.failed("No object received")) }
            switch RemoteApplication.parse(objects, client: client, path: path, world: world) {
            case .failure(let error): call.fail(error)
            case .success(let application):
                add(application)
                call.reply()
            }
        }
    }

    private func add(_ application: RemoteApplication) {
        database = application.assignHandles(after: database)
        applications.append(application)
        for link in links { link.databaseChanged() }
    }

    private func remove(_ application: RemoteApplication) {
        applications.removeAll { $0 === application }
        application.end()
        database.services.removeAll { application.serviceHandles.contains($0.handle) }
        for link in links { link.databaseChanged() }
    }

    private func unregisterApplication(_ call: MethodInvocation) {
        let path = call.arguments[0].path
        guard
            let application = applications.first(where: {
                $0.client == call.sender && $0.path == path
            })
        else { return call.fail(BlueZError.doesNotExist) }
        remove(application)
        call.reply()
    }

    // MARK: Advertisements

    private var advertisingManager: BusInterface {
        func live(_ name: String, _ value: @escaping (AdapterPeripheral) -> BusValue) -> BusProperty
        {
            BusProperty(name, "y", get: { [weak self] in self.map(value) })
        }
        func texts(_ name: String, _ texts: [String]) -> BusProperty {
            BusProperty(name, "as", get: { .strings(texts) })
        }
        return BusInterface(
            "org.bluez.LEAdvertisingManager1",
            properties: [
                live("ActiveInstances") { .byte(UInt8($0.advertisements.count)) },
                live("SupportedInstances") {
                    .byte(UInt8(Self.instances - $0.advertisements.count))
                },
                texts("SupportedIncludes", ["tx-power", "appearance", "local-name"]),
                BusProperty(
                    "SupportedCapabilities",
                    "a{sv}",
                    get: {
                        .properties([
                            ("MaxAdvLen", .byte(31)), ("MaxScnRspLen", .byte(31)),
                            ("MinTxPower", .int16(-34)), ("MaxTxPower", .int16(7)),
                        ])
                    }
                ),
                texts("SupportedFeatures", ["CanSetTxPower", "HardwareOffload"]),
            ],
            methods: [
                BusMethod("RegisterAdvertisement", takes: "oa{sv}") { [weak self] in
                    self?.registerAdvertisement($0)
                },
                BusMethod("UnregisterAdvertisement", takes: "o") { [weak self] in
                    self?.unregisterAdvertisement($0)
                },
            ]
        )
    }

    private func registerAdvertisement(_ call: MethodInvocation) {
        guard let path = call.arguments[0].path else { return }
        guard !advertisements.contains(where: { $0.client == call.sender && $0.path == path })
        else {
            return call.fail(BlueZError.alreadyExists)
        }
        guard advertisements.count < Self.instances else {
            return call.fail(BlueZError.make("NotPermitted", "Maximum advertisements reached"))
        }
        let ask = MethodCall(
            call.sender,
            path,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string("org.bluez.LEAdvertisement1")]
        )
        world.connection.call(ask, timeout: .seconds(25)) { [weak self] result in
            guard let self else { return }
            guard case .success(let values) = result, let properties = values.first?.namedValues,
                let content = AdvertisementParser.parse(properties, adapterName: adapter.name)
            else { return call.fail(BlueZError.failed("Failed to parse advertisement.")) }
            guard AdvertisementParser.fits(content) else {
                return call.fail(BlueZError.failed("Failed to register advertisement"))
            }
            advertisements.append(
                RegisteredAdvertisement(client: call.sender, path: path, content: content)
            )
            advertisementsChanged()
            call.reply()
        }
    }

    private func unregisterAdvertisement(_ call: MethodInvocation) {
        let path = call.arguments[0].path
        guard
            let index = advertisements.firstIndex(where: {
                $0.client == call.sender && $0.path == path
            })
        else { return call.fail(BlueZError.doesNotExist) }
        advertisements.remove(at: index)
        advertisementsChanged()
        call.reply()
    }

    private func advertisementsChanged() {
        let count = advertisements.count
        world.server.emitPropertiesChanged(
            adapter.path,
            "org.bluez.LEAdvertisingManager1",
            [
                ("SupportedInstances", .byte(UInt8(Self.instances - count))),
                ("ActiveInstances", .byte(UInt8(count))),
            ]
        )
        world.airChanged(self)
    }
}

/// One advertisement that a client registered.
struct RegisteredAdvertisement {
    var client: String
    var path: ObjectPath
    var content: AirAdvertisement
}
