internal import BluejayDBus
internal import BluejayGLib

/// Links of a device: how they begin, and the ways in which they end.
extension Device {
    // MARK: Connect

    func connect(_ call: MethodInvocation) {
        guard adapter.power.isPowered else {
            return call.fail(BlueZError.failed("Input/output error"))
        }
        guard !isConnected else { return call.reply() }
        guard pendingConnection == nil else { return call.fail(world.kind.connectingAlready) }
        connect { error in
            if let error { call.fail(error) } else { call.reply() }
        }
    }

    /// Connects as soon as the peer is there; after 41 s it has failed.
    func connect(completion: @escaping (BusError?) -> Void) {
        makePermanent()
        let deadline = world.clock.schedule(after: Waits.connect) { [weak self] in
            guard let self else { return }
            failConnection(world.kind.connectionAborted)
        }
        pendingConnection = PendingConnection(deadline: deadline, completion: completion)
        tryPendingConnection()
    }

    /// Looks whether the peer that is waited for answers now.
    func tryPendingConnection() {
        guard let pending = pendingConnection, pending.setup == nil,
            world.air.connectable(address, for: adapter) != nil
        else { return }
        pendingConnection?.setup = world.clock.schedule(after: Waits.linkSetup) { [weak self] in
            guard let self, pendingConnection != nil else { return }
            pendingConnection?.setup = nil
            if let peer = world.air.connectable(address, for: adapter) { open(to: peer) }
        }
    }

    /// Ends an attempt as `Disconnect` does.
    func cancelConnection() {
        failConnection(world.kind.connectionCanceled)
    }

    private func failConnection(_ error: BusError) {
        guard let pending = pendingConnection else { return }
        pendingConnection = nil
        pending.completion(error)
        keepForAWhile()
    }

    private func open(to peer: any AirPeer) {
        let pending = pendingConnection
        pendingConnection = nil
        let link = SimulatedLink(central: adapter, peer: peer, in: world)
        link.devices = [self]
        adapter.linkOpened(link)
        attach(link, to: peer) { pending?.completion(nil) }
        peer.linkOpened(link)
    }

    /// The link is up: tells it, and begins to resolve the services of the other end.
    func attach(_ link: SimulatedLink, to peer: any AirPeer, afterSignal: () -> Void = {}) {
        self.link = link
        pendingConnection?.completion(nil)
        pendingConnection = nil
        cancelRemoval()
        let client = ATTClient(self, server: peer, clock: world.clock)
        self.client = client
        link.add(client)
        isConnected = true
        changed(["Connected"])
        afterSignal()
        let wait = gatt.isEmpty ? Waits.resolveNew : Waits.resolveKnown
        resolveTimer = world.clock.schedule(after: wait) { [weak self] in self?.resolve() }
    }

    private func resolve() {
        resolveTimer = nil
        guard let client, isConnected else { return }
        guard client.server.answersDiscovery else {
            dropTimer = world.clock.schedule(after: Waits.attribute) { [weak self] in
                self?.discoveryTimedOut()
            }
            return
        }
        dropTimer = nil
        gatt.update(to: client.server.database)
        // bluetoothd subscribes anew before it says that the services are known.
        gatt.resubscribe { [weak self] in
            guard let self, self.client === client, isConnected else { return }
            tellServicesResolved(client)
        }
    }

    /// The peer answers the questions for its services now.
    func discoveryAnswered() {
        guard resolveTimer == nil, !areServicesResolved else { return }
        resolve()
    }

    /// Whether the peer owes an answer to a question for its services.
    private var isDiscoveryUnanswered: Bool {
        isConnected && !areServicesResolved && dropTimer != nil
    }

    // bluetoothd takes what it has found for all there is, and ATT drops the link.
    private func discoveryTimedOut() {
        guard isDiscoveryUnanswered else { return }
        areServicesResolved = true
        changed(["ServicesResolved"])
        attributeTimedOut()
    }

    private func tellServicesResolved(_ client: ATTClient) {
        areServicesResolved = true
        var names = updateUUIDs()
        names.append("ServicesResolved")
        if let own = client.server.deviceName.flatMap(Self.shownName), own != name {
            name = own
            names += alias == nil ? ["Name", "Alias"] : ["Name"]
        }
        if let own = client.server.modalias, own != modalias {
            modalias = own
            names.append("Modalias")
        }
        changed(names)
        battery.update()
        readPlugAndPlay()
    }

    private func updateUUIDs() -> [String] {
        let sorted = Set(gatt.services.filter(\.isPrimary).map(\.uuid)).sorted()
        guard sorted != uuids else { return [] }
        uuids = sorted
        return ["UUIDs"]
    }

    /// The other end has new services or lacks some: a Service Changed came.
    func servicesChanged() {
        guard let client, areServicesResolved else { return }
        let database = client.server.database
        guard gatt.removeInvalid(database), gatt.services != database.services else {
            return discoverAnew(client)
        }
        changed(updateUUIDs())
        battery.update()
        world.later(Waits.rediscovery) { [weak self] in self?.discoverAnew(client) }
    }

    private func discoverAnew(_ client: ATTClient) {
        guard self.client === client, areServicesResolved else { return }
        gatt.update(to: client.server.database)
        changed(updateUUIDs())
        battery.update()
    }

    /// A value came that the peer sent by itself.
    func received(_ handle: UInt16, _ value: [UInt8]) {
        gatt.received(handle, value)
        battery.received(handle, value)
    }

    // MARK: Disconnect

    func disconnect(_ call: MethodInvocation) {
        if pendingConnection != nil {
            cancelConnection()
            return call.reply()
        }
        guard isConnected else { return call.reply() }
        // bluetoothd 5.66 and 5.82 crash on it.
        guard !isDiscoveryUnanswered else {
            let world = world
            return world.later(Waits.request) { [weak world] in world?.apply(.daemonKilled) }
        }
        disconnect(answering: call)
    }

    /// Drops the link two seconds later, answers, and then does what is left.
    func disconnect(answering call: MethodInvocation?, completion: (() -> Void)? = nil) {
        let calls = call.map { [$0] } ?? []
        let completions = completion.map { [$0] } ?? []
        guard disconnection == nil else {
            disconnection?.calls += calls
            disconnection?.completions += completions
            return
        }
        // bluetoothd ends its own profiles at once, and the link after its wait.
        battery.end()
        let timer = world.clock.schedule(after: Waits.disconnect) { [weak self] in
            self?.finishDisconnection()
        }
        disconnection = Disconnection(timer: timer, calls: calls, completions: completions)
    }

    private func finishDisconnection() {
        guard let ending = disconnection, isConnected else { return }
        let link = link
        disconnection = nil
        if areServicesResolved {
            areServicesResolved = false
            changed(["ServicesResolved"])
        }
        if world.kind.repliesBeforeDisconnected {
            for call in ending.calls { call.reply() }
        }
        tell(.byLocalHost)
        isConnected = false
        changed(["Connected"])
        if !world.kind.repliesBeforeDisconnected {
            for call in ending.calls { call.reply() }
        }
        cleanUp()
        link?.close(by: self, reason: .byRemoteHost)
        for completion in ending.completions { completion() }
    }

    // MARK: Loss

    /// The link ended without a call of ours: one signal tells both.
    func lost(_ reason: SimulatedLinkEnd) {
        guard isConnected else { return }
        let names = areServicesResolved ? ["ServicesResolved", "Connected"] : ["Connected"]
        areServicesResolved = false
        isConnected = false
        tell(reason)
        // Of a device that goes with its link only the removal is told.
        if !isForgottenWithLink { changed(names) }
        let ending = takeDisconnection()
        cleanUp()
        ending?.answer()
    }

    /// The link has ended before a `Disconnect` has ended it.
    func answerDisconnects() {
        takeDisconnection()?.answer()
    }

    private func takeDisconnection() -> Disconnection? {
        defer { disconnection = nil }
        return disconnection
    }

    /// A request was not answered in its time: the link is dropped a little later.
    func attributeTimedOut() {
        dropTimer = world.clock.schedule(after: Waits.afterAttribute) { [weak self] in
            guard let self else { return }
            link?.close(from: adapter, reason: .byRemoteHost)
        }
    }

    /// Ends the link, and forgets whoever waits; nobody on the bus hears of it.
    func abandon() {
        pendingConnection = nil
        disconnection = nil
        staleTime = pairing == nil ? Waits.staleLink : Waits.pairingLimit
        pairing?.forget()
        pairing = nil
        whenEncrypted = []
        // The kernel's link outlives the daemon by a moment, and the next one finds it.
        let wasConnected = isConnected
        link?.close(from: adapter, reason: .byRemoteHost)
        // Of a link that ended while the daemon stood still it has not heard.
        if link != nil { lost(.byLocalHost) }
        isConnected = wasConnected
        cancelRemoval()
    }

    /// Ends what the device has with its adapter; the other end of the link has `reason`.
    func adapterWentOff(_ reason: SimulatedLinkEnd) {
        failConnection(world.kind.connectionAborted)
        link?.close(from: adapter, reason: reason)
    }

    private func tell(_ reason: SimulatedLinkEnd) {
        guard world.kind.tellsReason else { return }
        try? world.bus.connection?.emit(
            path,
            Names.device,
            "Disconnected",
            [.string(reason.name), .string(reason.text)]
        )
    }

    private func cleanUp() {
        resolveTimer = nil
        dropTimer = nil
        let client = client
        self.client = nil
        link = nil
        gatt.linkEnded()
        battery.end()
        client?.close()
        pairing?.giveUp()
        for call in stuckPairings { call.fail(BlueZError.pageTimeout) }
        stuckPairings = []
        if isForgottenWithLink {
            isForgottenWithLink = false
            adapter.forget(self)
        } else {
            keepForAWhile()
        }
    }
}
