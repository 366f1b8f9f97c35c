internal import BluejayDBus

/// `org.bluez.GattService1`, as this machine has it for bluetoothd.
enum ExportedGattService1 {
    /// What is put on the bus.
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
