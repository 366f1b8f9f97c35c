extension SimulatedBlueZ {
    /// Puts a scripted central on the air, in the place of one with the same address; its scripts begin.
    public func add(_ central: SimulatedCentral) {
        for old in air.centrals where old !== central && old.address == central.address {
            remove(old)
        }
        guard central.world == nil else { return }
        central.world = self
        air.add(central)
        central.begin()
    }

    /// Takes a central off the air: its link and its scripts end.
    public func remove(_ central: SimulatedCentral) {
        guard air.centrals.contains(where: { $0 === central }) else { return }
        central.link?.close(.timedOut)
        central.stop()
        air.remove(central)
        central.world = nil
    }

    /// The scripted centrals, in the order in which they were added.
    public var centrals: [SimulatedCentral] { air.centrals }

    /// The scripted central with an address, its present one or its identity; nil when there is none.
    ///
    /// - Parameters:
    ///   - address: For example `C0:FF:EE:00:00:01`.
    ///   - isRandom: Which of the two kinds the address is; nil is either, the one that was added first.
    /// - Returns: The central.
    public func central(_ address: String, isRandom: Bool? = nil) -> SimulatedCentral? {
        let types: [AddressType] = isRandom.map { [$0 ? .random : .public] } ?? [.random, .public]
        let wanted = types.compactMap { AirAddress(address, $0) }
        return air.centrals.first { wanted.contains($0.address) }
            ?? air.centrals.first { $0.identity.map(wanted.contains) ?? false }
    }
}
