internal import FoundationEssentials

/// What was learned of radios, beyond the connection in which it was.
struct KnownRadios {
    /// The identifiers that pairing has replaced, with what each radio has instead.
    private var identities: [UUID: UUID] = [:]
    /// Why radios that were asked to pair did not; they are not asked again.
    var refusals: [UUID: BLEError] = [:]

    /// Pairing has replaced an identifier.
    mutating func replaced(_ old: UUID, by new: UUID) {
        if old != new { identities[old] = new }
    }

    /// The identifier that a radio has now.
    func identity(of device: UUID) -> UUID {
        var device = device
        var seen: Set<UUID> = []
        while let next = identities[device], seen.insert(device).inserted { device = next }
        return device
    }
}
