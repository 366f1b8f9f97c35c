internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The identifiers that pairing has replaced, over all connections.
struct KnownRadios {
    private var identities: [UUID: UUID] = [:]

    mutating func replaced(_ old: UUID, by new: UUID) {
        if old != new { identities[old] = new }
    }

    func identity(of device: UUID) -> UUID {
        var device = device
        var seen: Set<UUID> = []
        while let next = identities[device], seen.insert(device).inserted { device = next }
        return device
    }
}

extension UUID {
    /// The address of the radio with this identifier, or `nil` if the identifier holds none.
    var radioAddress: DeviceAddress? {
        PeripheralIdentifier(uuid: self, name: nil).deviceAddress
    }
}
