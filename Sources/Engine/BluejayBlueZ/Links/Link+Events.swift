internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// What bluetoothd tells.
extension Link {
    func observe() {
        observation = client.observe(path.map { .device($0) } ?? .devices(of: adapter)) {
            [weak self] in self?.receive($0)
        }
    }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged(let state):
            if state != .running { becameUnavailable(isDaemonThere: false) }
        case .disconnectReason(let device, let name, _):
            if device == path { reason = name }
        case .changed(let changes):
            for change in changes { receive(change) }
        }
    }

    private func becameUnavailable(isDaemonThere: Bool) {
        pairing.ended(isDaemonThere ? .adapterOff : .daemonGone)
        perform(machine.unavailable(isDaemonThere: isDaemonThere))
        path = nil
    }

    private func receive(_ change: ObjectTree.Change) {
        switch change {
        case .changed(adapter, Adapter1.interface, _, _):
            if client.objects.adapterState(adapter) != .on {
                becameUnavailable(isDaemonThere: true)
            }
        case .removed(adapter, Adapter1.interface): becameUnavailable(isDaemonThere: true)
        case .added(let device, Device1.interface):
            guard path == nil, client.objects.device(address, of: adapter) == device else { return }
            path = device
            attempt { $0.appeared(now: client.clock.now) }
        case .removed(path, Device1.interface):
            attempt { $0.removed(now: client.clock.now) }
            lost(isGone: true)
        case .changed(path, Device1.interface, let values, _): receive(values)
        case .removed(let object, GattCharacteristic1.interface):
            if let gone = table.remove(at: object) {
                perform(machine.ask { $0.removed(gone.number) })
                removeSockets(gone.number)
            }
            servicesChanged(object)
        case .removed(let object, GattService1.interface):
            if let service = table.removeService(at: object) { vanished.append(service) }
            servicesChanged(object)
        case .added(let object, GattService1.interface),
            .added(let object, GattCharacteristic1.interface):
            servicesChanged(object)
        case .removed(let object, GattDescriptor1.interface):
            if let gone = table.removeDescriptor(at: object) {
                perform(machine.ask { $0.removed(gone.number) })
            }
        case .changed(_, GattService1.interface, _, _): if isUp { updateServices() }
        case .changed(_, GattCharacteristic1.interface, let values, _):
            mtuChanged(GattCharacteristic1(values).mtu)
        case .added(path, Battery1.interface), .changed(path, Battery1.interface, _, _):
            batteryChanged()
        case .added, .removed, .changed: break
        }
    }

    // When one signal carries both, the loss of the link wins.
    private func receive(_ values: ObjectTree.Properties) {
        if Device1.namesAddress(values) { addressChanged() }
        if isUp, Device1.isDescribed(values) {
            for lease in activeLeases { lease.onDeviceChanged?() }
        }
        if Device1.pairedIfTold(values) == true { pairing.paired() }
        let told = Device1(values)
        if let isConnected = told.connectedIfTold {
            attempt { $0.connected(isConnected, now: client.clock.now) }
            if !isConnected { lost(isGone: false) }
        }
        // It may have come before `Connected`, which is then known from the second reading only.
        guard told.isResolved || told.isConnected, let path, client.objects.isResolved(path) else {
            return
        }
        attempt { $0.resolved(foundServices, now: client.clock.now) }
    }

    private func lost(isGone: Bool) {
        pairing.linkEnds { [weak self] in
            guard let self else { return }
            pairing.ended(.linkLost)
            perform(machine.lost(reason: reason))
            if isGone { path = nil }
        }
    }

    private func addressChanged() {
        guard let new = device?.address, new != address else { return }
        let old = address
        address = new
        engine.moved(self, from: old)
        for lease in activeLeases { lease.onAddressChanged?(new) }
    }

    // One change of the peer's database is many signals. The answer to a question about the device
    // stands behind all that have been sent.
    private func servicesChanged(_ object: ObjectPath) {
        guard isUp, !isReadingServices, let path, object.isBelow(path) else { return }
        isReadingServices = true
        client.refresh(device: path) { [weak self] in
            guard let self else { return }
            isReadingServices = false
            guard isUp else { return }
            updateServices()
            let gone = vanished
            vanished = []
            for lease in activeLeases { lease.onServicesChanged?(gone) }
        }
    }

    func updateServices() {
        guard let path else { return }
        let found = client.objects.services(of: path)
        let battery = CharacteristicIdentifier.batteryLevel.service.uuid
        let isKept =
            !found.contains { $0.uuid == battery }
            && (client.objects.properties(path, Battery1.interface) != nil
                || device?.uuids.contains(battery) == true)
        let level = table.characteristic(.batteryLevel)
        table.update(found, hasBattery: isKept)
        // It has no object whose removal could be signalled.
        if let level, level.path == nil, table.characteristic(level.number) == nil {
            perform(machine.ask { $0.removed(level.number) })
        }
    }

    private func batteryChanged() {
        guard isUp else { return }
        if table.characteristic(.batteryLevel) == nil {
            updateServices()
            for lease in activeLeases { lease.onServicesChanged?([]) }
        }
        tellBattery()
    }
}
