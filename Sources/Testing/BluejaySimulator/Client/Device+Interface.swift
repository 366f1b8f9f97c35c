internal import BluejayDBus
internal import OrderedCollections

/// `org.bluez.Device1` as a table, its properties in bluetoothd's order.
extension Device {
    var deviceInterface: BusInterface {
        BusInterface(
            Names.device,
            properties: identityProperties + securityProperties + stateProperties
                + advertisedProperties,
            methods: [
                BusMethod("Disconnect") { [weak self] in self?.disconnect($0) },
                BusMethod("Connect") { [weak self] in self?.connect($0) },
                BusMethod("ConnectProfile", takes: "s") { $0.fail(BlueZError.notSupported) },
                BusMethod("DisconnectProfile", takes: "s") { $0.fail(BlueZError.notSupported) },
                BusMethod("Pair") { [weak self] in self?.pair($0) },
                BusMethod("CancelPairing") { [weak self] in self?.cancelPairing($0) },
            ]
        )
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
                // bluetoothd's signals go before what it sends later.
                self?.changed([name])
                call.reply()
            }
        )
    }

    private var identityProperties: [BusProperty] {
        [
            property("Address", "s") { .string($0.address.text) },
            property("AddressType", "s") { .string($0.address.type.rawValue) },
            property("Name", "s") { $0.name.map { .string($0) } },
            BusProperty(
                "Alias",
                "s",
                get: { [weak self] in self.map { .string($0.shownAlias) } },
                set: { [weak self] value, call in
                    self?.alias = value.text.flatMap { $0.isEmpty ? nil : $0 }
                    self?.changed(["Alias"])
                    call.reply()
                }
            ),
            property("Appearance", "q") { $0.advertised.appearance.map { .uint16($0) } },
        ]
    }

    private var securityProperties: [BusProperty] {
        [
            property("Paired", "b") { .boolean($0.isPaired) },
            property("Bonded", "b") { device in
                device.world.kind.hasBonded ? .boolean(device.isPaired) : nil
            },
            flag("Trusted", \.isTrusted),
            flag("Blocked", \.isBlocked),
            property("LegacyPairing", "b") { _ in .boolean(false) },
        ]
    }

    private var stateProperties: [BusProperty] {
        [
            property("RSSI", "n") { $0.rssi.map { .int16($0) } },
            property("Connected", "b") { .boolean($0.isConnected) },
            property("UUIDs", "as") { .strings($0.uuids) },
            property("Modalias", "s") { $0.modalias.map { .string($0) } },
            property("Adapter", "o") { .objectPath($0.adapter.path) },
        ]
    }

    private var advertisedProperties: [BusProperty] {
        [
            property("ManufacturerData", "a{qv}") { device in
                Self.dictionary(device.advertised.manufacturerData, key: "q") { .uint16($0) }
            },
            property("ServiceData", "a{sv}") { device in
                Self.dictionary(device.advertised.serviceData, key: "s") { .string($0) }
            },
            property("TxPower", "n") { $0.advertised.transmitPower.map { .int16($0) } },
            property("ServicesResolved", "b") { .boolean($0.areServicesResolved) },
            property("AdvertisingFlags", "ay") { $0.advertised.flags.map { .bytes([$0]) } },
            property("AdvertisingData", "a{yv}") { device in
                Self.dictionary(device.advertised.data, key: "y") { .byte($0) }
            },
        ]
    }

    // An empty dictionary is a property that the device does not have.
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
