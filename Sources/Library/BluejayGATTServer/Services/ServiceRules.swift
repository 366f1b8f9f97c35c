internal import BluejayCore
internal import FoundationEssentials

/// The rules for services that bluetoothd would refuse, or accept and then serve incorrectly.
enum ServiceRules {
    /// Generic Access and Generic Attribute, which bluetoothd provides itself.
    private static let reservedServices: Set = [
        BluetoothUUID(uint16: 0x1800), BluetoothUUID(uint16: 0x1801),
    ]
    /// bluetoothd creates these from the properties; a second one would have no effect.
    private static let reservedDescriptors: Set = [
        BluetoothUUID(uint16: 0x2900), BluetoothUUID(uint16: 0x2902),
    ]

    static func check(_ service: LocalService) throws {
        try checkUUID(service.uuid, reserved: reservedServices)
        for characteristic in service.characteristics { try check(characteristic) }
    }

    private static func check(_ characteristic: LocalCharacteristic) throws {
        try checkUUID(characteristic.uuid, reserved: [])
        try check(characteristic.properties, of: characteristic.uuid, allowed: .local)
        _ = try AttributeValueRules.checked(characteristic.value)
        for descriptor in characteristic.descriptors {
            try checkUUID(descriptor.uuid, reserved: reservedDescriptors)
            try check(descriptor.properties, of: descriptor.uuid, allowed: .allowedOnDescriptors)
            _ = try AttributeValueRules.checked(descriptor.value)
        }
    }

    private static func checkUUID(_ uuid: BluetoothUUID, reserved: Set<BluetoothUUID>) throws {
        try uuid.validated()
        if reserved.contains(uuid) { throw BluejayError.reservedUUID(uuid) }
    }

    private static func check(
        _ properties: AttributeProperties,
        of uuid: BluetoothUUID,
        allowed: AttributeProperties
    ) throws {
        guard !properties.isEmpty else {
            throw BluejayError.invalidProperties(uuid, "no properties given")
        }
        let unsupported = properties.subtracting(allowed)
        guard unsupported.isEmpty else {
            let names = unsupported.description
            let reason = names.isEmpty ? "unknown bits" : "\(names) cannot be used on descriptors"
            throw BluejayError.invalidProperties(uuid, reason)
        }
    }
}
