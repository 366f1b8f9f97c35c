internal import BluejayGLib

/// Its link, and what comes over it.
extension SimulatedCentral {
    /// Looks whether somebody is there whom a `connect` waits for.
    func tryConnecting() {
        guard let current, current.isConnecting, current.timer == nil,
            let world, adapter(current.adapter, in: world) != nil
        else { return }
        self.current?.timer = world.clock.schedule(after: Waits.linkSetup) { [weak self] in
            self?.current?.timer = nil
            guard let self, let world = self.world,
                let adapter = adapter(current.adapter, in: world)
            else { return }
            open(to: adapter, in: world)
        }
    }

    private func adapter(_ number: Int?, in world: SimulatedBlueZ) -> Adapter? {
        guard isInRange, world.bus.connection != nil else { return nil }
        return world.air.adapters.first { adapter in
            adapter.acceptsLinks && (number.map { adapter.name == "hci\($0)" } ?? true)
        }
    }

    private func open(to adapter: Adapter, in world: SimulatedBlueZ) {
        let link = SimulatedLink(central: self, peer: adapter, in: world)
        self.link = CentralLink(link, of: self, to: adapter)
        current?.isConnecting = false
        current?.limit = nil
        adapter.linkOpened(link)
        onConnectionChange?(true)
        // Discovering; who was there before knows the services.
        let isNew = known.insert(adapter.name).inserted
        current?.timer = world.clock.schedule(
            after: isNew ? Waits.resolveNew : Waits.resolveKnown
        ) { [weak self] in self?.finish(.success(()), .goesOn) }
    }

    /// A value came by itself.
    func received(_ uuid: String, _ value: [UInt8]) {
        inboxes[uuid, default: CentralInbox()].append(value)
        if let expected = current?.expected, expected.uuid == uuid,
            inboxes[uuid, default: CentralInbox()].untaken >= expected.count
        {
            finishExpecting()
        }
        onValue?(uuid, value)
    }

    /// Takes what an `expect` waited for, or what there is of it.
    func finishExpecting() {
        guard let expected = current?.expected else { return }
        let isWhole = inbox(expected.uuid).untaken >= expected.count
        let values = inboxes[expected.uuid, default: CentralInbox()].take(expected.count)
        for value in values { noteTaken(value) }
        finish(
            isWhole
                ? .success(())
                : .failure(
                    .missed(expected.name, came: values.count, expected: expected.count)
                )
        )
    }

    func inbox(_ characteristic: String) -> CentralInbox {
        let uuid = characteristic.split(separator: "/").last.flatMap { UUIDText.long(String($0)) }
        return uuid.flatMap { inboxes[$0] } ?? CentralInbox()
    }
}
