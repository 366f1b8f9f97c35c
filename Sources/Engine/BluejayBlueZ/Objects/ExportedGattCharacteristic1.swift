internal import BluejayDBus
internal import FoundationEssentials

/// `org.bluez.GattCharacteristic1`, as this machine has it for bluetoothd.
///
/// `WriteAcquired` is left out: with it bluetoothd would not say who writes. With `NotifyAcquired`, which
/// a characteristic with sockets has, it calls `AcquireNotify` in the place of `StartNotify`.
enum ExportedGattCharacteristic1 {
    /// What is put on the bus.
    static func busInterface(
        _ characteristic: ServedCharacteristic,
        service: ObjectPath
    ) -> BusInterface {
        let (uuid, flags) = (characteristic.uuid, characteristic.flags)
        let handler = characteristic.handler
        let acquiring = characteristic.sockets.map(AcquireNotifyRequest.members)
        return BusInterface(
            GattCharacteristic1.interface,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Service", "o", get: { .objectPath(service) }),
                BusProperty("Flags", "as", get: { .strings(flags) }),
            ] + [acquiring?.0].compactMap { $0 },
            methods: AttributeRequest.methods(handler) + [
                event("StartNotify") { [weak handler] in handler?.subscribed() },
                event("StopNotify") { [weak handler] in handler?.unsubscribed() },
                event("Confirm") { [weak handler] in handler?.confirmed() },
            ] + [acquiring?.1].compactMap { $0 }
        )
    }

    /// What gives a value to bluetoothd, which sends it to every subscriber.
    static func valueChange(of characteristic: ObjectPath) -> PropertiesChangedTemplate? {
        try? PropertiesChangedTemplate(characteristic, GattCharacteristic1.interface, "Value")
    }

    private static func event(_ name: String, _ handle: @escaping () -> Void) -> BusMethod {
        BusMethod(name) { call in
            call.reply()
            handle()
        }
    }
}
