internal import BluejayDBus

/// `org.bluez.GattDescriptor1`, as this machine has it for bluetoothd.
enum ExportedGattDescriptor1 {
    /// What is put on the bus.
    static func busInterface(
        _ descriptor: ServedDescriptor,
        characteristic: ObjectPath
    ) -> BusInterface {
        let (uuid, flags) = (descriptor.uuid, descriptor.flags)
        return BusInterface(
            GattDescriptor1.interface,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Characteristic", "o", get: { .objectPath(characteristic) }),
                BusProperty("Flags", "as", get: { .strings(flags) }),
            ],
            methods: AttributeRequest.methods(descriptor.handler)
        )
    }
}
