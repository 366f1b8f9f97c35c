internal import BluejayDBus
internal import OrderedCollections

/// `org.bluez.Adapter1` as a table.
extension Adapter {
    var adapterInterface: BusInterface {
        BusInterface(
            Names.adapter,
            properties: identityProperties + stateProperties + featureProperties,
            methods: [
                BusMethod("StartDiscovery") { [weak self] in self?.startDiscovery($0) },
                BusMethod("SetDiscoveryFilter", takes: "a{sv}") { [weak self] in
                    self?.setDiscoveryFilter($0)
                },
                BusMethod("StopDiscovery") { [weak self] in self?.stopDiscovery($0) },
                BusMethod("RemoveDevice", takes: "o") { [weak self] in self?.removeDevice($0) },
                BusMethod("GetDiscoveryFilters", gives: "as") { [kind = world.kind] in
                    $0.reply([.strings(DiscoveryFilter.names(kind))])
                },
            ]
        )
    }

    private var identityProperties: [BusProperty] {
        [
            BusProperty("Address", "s") { [address] in .string(address.text) },
            BusProperty("AddressType", "s") { [address] in .string(address.type.rawValue) },
            BusProperty("Name", "s") { [weak self] in
                self.map { .string($0.world.kind.adapterName) }
            },
            BusProperty(
                "Alias",
                "s",
                get: { [weak self] in self?.deviceName.map { .string($0) } },
                set: { [weak self] value, call in
                    self?.alias = value.text.flatMap { $0.isEmpty ? nil : $0 }
                    call.reply()
                    self?.changed("Alias")
                }
            ),
            BusProperty("Class", "u") { .uint32(0) },
        ]
    }

    private var stateProperties: [BusProperty] {
        [
            BusProperty(
                "Powered",
                "b",
                get: { [weak self] in self.map { .boolean($0.isPowered) } },
                set: { [weak self] value, call in
                    self?.setPowered(value.boolean ?? false, call)
                }
            ),
            BusProperty("PowerState", "s") { [weak self] in
                self.flatMap { $0.world.kind.hasPowerState ? .string($0.powerState) : nil }
            },
            BusProperty(
                "Discoverable",
                "b",
                get: { [weak self] in self.map { .boolean($0.isDiscoverable) } },
                set: { [weak self] value, call in self?.setDiscoverable(value, call) }
            ),
            BusProperty(
                "DiscoverableTimeout",
                "u",
                get: { [weak self] in self.map { .uint32($0.discoverableTimeout) } },
                set: { [weak self] value, call in
                    self?.discoverableTimeout = UInt32(value.integer ?? 0)
                    call.reply()
                    self?.changed("DiscoverableTimeout")
                }
            ),
            BusProperty(
                "Pairable",
                "b",
                get: { [weak self] in self.map { .boolean($0.isPairable) } },
                set: { [weak self] value, call in
                    call.reply()
                    self?.setPairable(value.boolean ?? false)
                }
            ),
            BusProperty(
                "PairableTimeout",
                "u",
                get: { [weak self] in self.map { .uint32($0.pairableTimeout) } },
                set: { [weak self] value, call in
                    self?.pairableTimeout = UInt32(value.integer ?? 0)
                    call.reply()
                    self?.changed("PairableTimeout")
                }
            ),
            BusProperty("Discovering", "b") { [weak self] in self.map { .boolean($0.isDiscovering) }
            },
        ]
    }

    /// `Modalias`, which main.conf may hide.
    private var told: String? {
        guard let text = world.options.modalias else { return modalias }
        return text.isEmpty ? nil : text
    }

    private var featureProperties: [BusProperty] {
        [
            BusProperty("UUIDs", "as") { [weak self] in self.map { .strings($0.gatt.uuids) } },
            BusProperty("Modalias", "s") { [weak self] in self?.told.map { .string($0) } },
            BusProperty("Roles", "as") { .strings(["central", "peripheral"]) },
        ]
    }

    private func setDiscoverable(_ value: BusValue, _ call: MethodInvocation) {
        guard isPowered else { return call.fail(BlueZError.failed("Not Powered")) }
        let discoverable = value.boolean ?? false
        call.reply()
        guard discoverable != isDiscoverable else { return }
        isDiscoverable = discoverable
        changed("Discoverable")
    }

    private func removeDevice(_ call: MethodInvocation) {
        guard isPowered else { return call.fail(BlueZError.notReady) }
        let path = call.arguments[0].path
        guard let device = devices.values.first(where: { $0.path == path }) else {
            return call.fail(BlueZError.doesNotExist)
        }
        device.cancelConnection()
        guard device.isConnected else {
            forget(device)
            return call.reply()
        }
        // bluetoothd answers as it does a Disconnect, and takes the objects away after it.
        device.disconnect(answering: call) { [weak self, weak device] in
            if let device { self?.forget(device) }
        }
    }
}
