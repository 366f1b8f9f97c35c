internal import BluejayDBus

/// `org.bluez.GattService1`, as exported to bluetoothd.
enum ExportedGattService1 {
    static func busInterface(uuid: String, isPrimary: Bool) -> BusInterface {
        BusInterface(
            GattService1.interface,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Primary", "b", get: { .boolean(isPrimary) }),
            ]
        )
    }
}
