internal import BluejayDBus

/// `org.bluez.GattDescriptor1`, as exported to bluetoothd.
enum ExportedGattDescriptor1 {
    static func busInterface(
        _ descriptor: ExportedDescriptor,
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
