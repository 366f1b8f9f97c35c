internal import BluejayDBus
internal import FoundationEssentials

/// `org.bluez.GattCharacteristic1`, as exported to bluetoothd.
///
/// `WriteAcquired` is omitted because writes to its socket do not name the central. If a characteristic
/// has sockets, it has `NotifyAcquired`, and bluetoothd calls `AcquireNotify` instead of `StartNotify`.
enum ExportedGattCharacteristic1 {
    static func busInterface(
        _ characteristic: ExportedCharacteristic,
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

    /// Returns the signal that makes bluetoothd send a value to every subscriber.
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
