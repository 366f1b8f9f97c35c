/// The services that every device has without an application.
enum BuiltInServices {
    static let access = "00001800-0000-1000-8000-00805f9b34fb"
    static let attribute = "00001801-0000-1000-8000-00805f9b34fb"
    static let deviceInformation = "0000180a-0000-1000-8000-00805f9b34fb"

    /// The services of an adapter, with the values of their characteristics.
    static func ofAdapter(
        _ address: RadioAddress,
        _ version: SimulatedBlueZVersion
    ) -> [(description: ServiceDescription, values: [[UInt8]])] {
        let name = Array(version.adapterName.utf8)
        var access = access(name, appearance: 0)
        access.description.characteristics.append(characteristic("2aa6", ["read"]))
        access.values.append([1])
        var attribute = attribute(seed: address.text)
        var features = characteristic("2b3a", ["read"])
        features.knownValue = [1]
        attribute.description.characteristics.append(features)
        attribute.values.append([1])
        let information = ServiceDescription(
            uuid: deviceInformation,
            characteristics: [characteristic("2a50", ["read"])]
        )
        return [access, attribute, (information, [version.plugAndPlay])]
    }

    /// Generic Access: the name and the appearance.
    static func access(
        _ name: [UInt8],
        appearance: UInt16
    ) -> (description: ServiceDescription, values: [[UInt8]]) {
        let description = ServiceDescription(
            uuid: access,
            characteristics: [
                characteristic("2a00", ["read"]), characteristic("2a01", ["read"]),
            ]
        )
        return (description, [name, [UInt8(appearance & 0xFF), UInt8(appearance >> 8)]])
    }

    /// Generic Attribute: Service Changed, the client's features, and the database hash.
    static func attribute(
        seed: String
    ) -> (description: ServiceDescription, values: [[UInt8]]) {
        let hash = hash(seed)
        var known = characteristic("2b2a", ["read"])
        known.knownValue = hash
        let description = ServiceDescription(
            uuid: attribute,
            characteristics: [
                characteristic("2a05", ["indicate"]), characteristic("2b29", ["read", "write"]),
                known,
            ]
        )
        return (description, [[], [0], hash])
    }

    private static func characteristic(
        _ uuid: String,
        _ flags: [String]
    ) -> CharacteristicDescription {
        CharacteristicDescription(uuid: UUIDText.long(uuid) ?? uuid, flags: flags)
    }

    // Stands in for the AES-CMAC of the specification: clients compare the hash but do not compute it.
    private static func hash(_ seed: String) -> [UInt8] {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        return (0..<16).map { index in
            for byte in seed.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
            state ^= UInt64(index)
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }
}
