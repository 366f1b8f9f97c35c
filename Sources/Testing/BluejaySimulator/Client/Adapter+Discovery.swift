internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// Scanning: who asked, what is heard, what is told.
extension Adapter {
    func setDiscoveryFilter(_ call: MethodInvocation) {
        guard isReady else { return call.fail(BlueZError.notReady) }
        do throws(BusError) {
            let filter = try DiscoveryFilter.parse(call.arguments[0], world.kind)
            discovery.setFilter(filter, for: call.sender)
            call.reply()
        } catch {
            call.fail(error)
        }
    }

    func startDiscovery(_ call: MethodInvocation) {
        guard isReady else { return call.fail(BlueZError.notReady) }
        let wasActive = discovery.isActive
        guard discovery.start(call.sender) else { return call.fail(BlueZError.busy) }
        call.reply()
        guard !wasActive else { return rescan() }
        isDiscovering = true
        changed("Discovering")
        rescan()
        runCycle()
        runDuplicates()
    }

    func stopDiscovery(_ call: MethodInvocation) {
        guard isReady else { return call.fail(BlueZError.notReady) }
        guard discovery.stop(call.sender) else {
            return call.fail(BlueZError.failed("No discovery started"))
        }
        call.reply()
        if !discovery.isActive { finishDiscovery() }
    }

    /// The bus has lost a client: its discovery and its filter go.
    ///
    /// `others` are the properties that its end has changed besides: all are one signal.
    func discoveringClientLeft(_ client: String, others: [String]) {
        guard discovery.remove(client), !discovery.isActive else {
            return world.bus.emitChanged(path, Names.adapter, others)
        }
        // bluetoothd says so again when the client had only a filter left.
        finishDiscovery(others: others)
    }

    /// Stops scanning without a signal for the adapter.
    func endDiscovery() {
        discovery.stopAll()
        isDiscovering = false
        scanTimer = nil
        duplicatesTimer = nil
        heard = [:]
        for address in found { devices[address]?.forgetSignalStrength(tells: false) }
        found = []
    }

    private func finishDiscovery(others: [String] = []) {
        let seen = found
        for address in seen { devices[address]?.forgetSignalStrength(tells: true) }
        endDiscovery()
        world.bus.emitChanged(path, Names.adapter, ["Discovering"] + others)
        for address in seen {
            guard let device = devices[address], device.isTemporary, !device.isConnectable else {
                continue
            }
            forget(device)
        }
    }

    // A scan that begins anew tells everybody again.
    private func rescan() {
        heard = [:]
        world.later(Waits.report) { [weak self] in
            guard let self, isDiscovering else { return }
            for peer in world.air.peers { hear(peer) }
        }
    }

    private func runCycle() {
        scanTimer = world.clock.schedule(after: Waits.scanCycle) { [weak self] in
            guard let self, isDiscovering else { return }
            rescan()
            runCycle()
        }
    }

    private func runDuplicates() {
        duplicatesTimer = world.clock.schedule(after: Waits.advertisingInterval) { [weak self] in
            guard let self, isDiscovering else { return }
            if discovery.reportsDuplicates {
                heard = [:]
                for peer in world.air.peers { hear(peer) }
            }
            runDuplicates()
        }
    }

    /// Hears what a peer sends now; nothing is told that was told in this round.
    func hear(_ peer: any AirPeer) {
        guard isDiscovering, isPowered, peer !== self else { return }
        guard !world.clock.isPaused else {
            return world.clock.whenRunning { [weak self] in self?.hear(peer) }
        }
        let advertisements = peer.advertisements
        let address = address(of: peer)
        let known = heard[address] ?? []
        heard[address] = advertisements
        for advertisement in advertisements where !known.contains(advertisement) {
            report(advertisement, from: peer)
        }
    }

    private func report(_ advertisement: AirAdvertisement, from peer: any AirPeer) {
        let address = address(of: peer)
        let rssi = peer.signalStrength(at: self)
        guard discovery.wants(advertisement, address: address.text, rssi: rssi) else { return }
        found.append(address)
        if let device = devices[address] {
            device.seen(
                advertisement,
                rssi: rssi,
                tellsEachStrength: world.kind.tellsEachStrengthWithAnyFilter
                    ? discovery.isFiltered : discovery.measures,
                tellsDuplicates: discovery.reportsDuplicates
            )
        } else if let device = makeDevice(address) {
            device.take(advertisement, rssi: rssi)
            device.export()
            device.keepForAWhile()
        }
    }
}
