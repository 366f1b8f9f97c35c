internal import BluejayDBus

/// `org.bluez.Battery1` of a device: bluetoothd reserves the battery service (0x180F) for itself.
///
/// Once the services are resolved, bluetoothd reads the level (0x2A19) and subscribes to it. The interface
/// appears after the answer to the subscription, hence after `ServicesResolved`, and disappears with the
/// link.
final class DeviceBattery {
    private unowned let device: Device
    private var level: AttributeDatabase.Characteristic?
    /// The level, 0 to 100; other values of the peer are ignored.
    private var percentage: UInt8?
    private var isExported = false

    private static let levelUUID = "00002a19-0000-1000-8000-00805f9b34fb"

    init(_ device: Device) {
        self.device = device
    }

    /// Whether bluetoothd itself is subscribed to the value at a handle.
    func isSubscribed(to handle: UInt16) -> Bool { level?.valueHandle == handle }

    /// Updates the battery after the services were resolved or have changed.
    func update() {
        let found = Self.level(in: device.gatt.services)
        guard found != level else { return }
        end()
        guard let found, let client = device.client else { return }
        level = found
        client.send(.read(handle: found.valueHandle, offset: 0)) { [weak self] result in
            guard let self, level == found, case .success(let bytes) = result, !bytes.isEmpty
            else { return }
            subscribe(found, bytes, client)
        }
    }

    private func subscribe(
        _ found: AttributeDatabase.Characteristic,
        _ bytes: [UInt8],
        _ client: ATTClient
    ) {
        // Without a configuration descriptor there is nothing to write or to wait for.
        guard CharacteristicFlags.visible(found.flags).contains("notify") else {
            return export(bytes)
        }
        client.send(.configure(handle: found.valueHandle, .notifications)) { [weak self] result in
            guard let self, level == found, case .success = result else { return }
            export(bytes)
        }
    }

    func received(_ handle: UInt16, _ bytes: [UInt8]) {
        guard isExported, isSubscribed(to: handle), storeLevel(bytes) else { return }
        device.world.bus.emitChanged(device.path, BlueZNames.battery, ["Percentage"])
    }

    /// Removes the interface when the link or the characteristic is gone.
    func end() {
        guard let level else { return }
        self.level = nil
        if CharacteristicFlags.visible(level.flags).contains("notify"),
            !device.gatt.hasSubscribers(level.valueHandle)
        {
            device.client?.send(.configure(handle: level.valueHandle, .nothing)) { _ in }
        }
        guard isExported else { return }
        isExported = false
        percentage = nil
        device.world.bus.removeInterface(BlueZNames.battery, at: device.path)
    }

    private func export(_ bytes: [UInt8]) {
        _ = storeLevel(bytes)
        isExported = true
        device.world.bus.addInterface(interface, at: device.path)
    }

    private func storeLevel(_ bytes: [UInt8]) -> Bool {
        guard let value = bytes.first, value <= 100, value != percentage else { return false }
        percentage = value
        return true
    }

    private static func level(
        in services: [AttributeDatabase.Service]
    ) -> AttributeDatabase.Characteristic? {
        services.first { $0.uuid == ClaimedServices.battery }?
            .characteristics.first { $0.uuid == levelUUID }
    }

    private var interface: BusInterface {
        let percentage = BusProperty("Percentage", "y") { [weak self] in
            self?.percentage.map { .byte($0) }
        }
        let source = BusProperty("Source", "s") { .string("GATT Battery Service") }
        let hasSource = device.world.version.hasBatterySource
        return BusInterface(
            BlueZNames.battery,
            properties: hasSource ? [percentage, source] : [percentage]
        )
    }
}

/// The services of a peer that bluetoothd's own profiles use.
enum ClaimedServices {
    static let battery = "0000180f-0000-1000-8000-00805f9b34fb"

    /// Whether clients may only read the service, or cannot see it at all.
    static func contains(_ uuid: String) -> Bool {
        uuid == battery || uuid == BuiltInServices.access
    }
}
