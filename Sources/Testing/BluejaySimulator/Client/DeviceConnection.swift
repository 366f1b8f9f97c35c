internal import BluejayDBus
internal import BluejayGLib

/// The connection of an adapter to a device, from the attempt to its end.
final class DeviceConnection {
    enum Event {
        /// The peer answers a connection attempt, so the device must open the link.
        case accepted(any RadioPeer, afterSignal: () -> Void)
        /// The link is closed from this side.
        case dropped(SimulatedLink)
        case ended
        /// The object is removed with its link.
        case forgotten
    }

    private(set) var isConnected = false
    private(set) var areServicesResolved = false
    /// `nil` while the link of a killed daemon lasts.
    private(set) var link: SimulatedLink? {
        get { object.link }
        set { object.link = newValue }
    }
    private(set) var client: ATTClient?
    /// The abilities of the adapters when the link came up.
    private(set) var agentCapability: String?
    private let object: DeviceObject
    private let details: DeviceDetails
    private let lifetime: DeviceLifetime
    private let gatt: GATTClientObjects
    private let battery: DeviceBattery
    private let report: (Event) -> Void
    private var pending: PendingConnection?
    private var pendingDisconnect: PendingDisconnect?
    private var resolveTimer: ScheduledTimer?
    private var dropTimer: ScheduledTimer?
    /// The time for which the link of a killed daemon lasts.
    private var staleTime = RecordedDelays.staleLink

    init(
        _ object: DeviceObject,
        details: DeviceDetails,
        lifetime: DeviceLifetime,
        gatt: GATTClientObjects,
        battery: DeviceBattery,
        report: @escaping (Event) -> Void
    ) {
        self.object = object
        self.details = details
        self.lifetime = lifetime
        self.gatt = gatt
        self.battery = battery
        self.report = report
    }

    var isConnecting: Bool { pending != nil }
    var isDisconnecting: Bool { pendingDisconnect != nil }
    private var world: SimulatedWorld { object.world }

    // MARK: Keeping

    /// Restarts the timer that removes an unseen device without a connection.
    func restartExpiryTimer() {
        if !isConnected { lifetime.renew() }
    }

    /// Keeps the object permanently, unless its address is private.
    func makePermanent() {
        if !object.address.isPrivate { lifetime.makePermanent() }
    }

    // MARK: Connect

    func connect(_ call: MethodInvocation) {
        guard !isConnected else { return call.reply() }
        guard pending == nil else { return call.fail(world.version.connectingAlready) }
        connect { error in
            if let error { call.fail(error) } else { call.reply() }
        }
    }

    /// Connects as soon as the peer advertises; fails after 41 s.
    func connect(completion: @escaping (BusError?) -> Void) {
        makePermanent()
        let deadline = world.clock.schedule(after: RecordedDelays.connect) { [weak self] in
            guard let self else { return }
            failConnection(world.version.connectionAborted)
        }
        pending = PendingConnection(deadline: deadline, completion: completion)
        tryPendingConnection()
    }

    /// Continues a pending connection attempt if the peer answers now.
    func tryPendingConnection() {
        guard let waiting = pending, waiting.setup == nil, connectablePeer != nil else { return }
        pending?.setup = world.clock.schedule(after: RecordedDelays.linkSetup) { [weak self] in
            guard let self, pending != nil else { return }
            pending?.setup = nil
            if let peer = connectablePeer { open(to: peer) }
        }
    }

    /// Cancels a connection attempt, like `Disconnect`.
    func cancel() {
        failConnection(world.version.connectionCanceled)
    }

    private func failConnection(_ error: BusError) {
        guard let failed = pending else { return }
        pending = nil
        failed.completion(error)
        restartExpiryTimer()
    }

    private var connectablePeer: (any RadioPeer)? {
        world.medium.connectable(object.address, for: object.host)
    }

    private func open(to peer: any RadioPeer) {
        let opened = pending
        pending = nil
        report(.accepted(peer) { opened?.completion(nil) })
    }

    /// Signals a new link, calls `afterSignal`, and starts resolving the services of the other end.
    func attach(_ link: SimulatedLink, _ client: ATTClient, afterSignal: () -> Void) {
        self.link = link
        pending?.completion(nil)
        pending = nil
        lifetime.stopTimer()
        self.client = client
        agentCapability = world.agents.capability
        link.add(client)
        isConnected = true
        object.changed(["Connected"])
        afterSignal()
        let wait = gatt.isEmpty ? RecordedDelays.resolveNew : RecordedDelays.resolveKnown
        resolveTimer = world.clock.schedule(after: wait) { [weak self] in self?.resolve() }
    }

    // MARK: Services

    private func resolve() {
        resolveTimer = nil
        guard let client, isConnected else { return }
        guard client.server.answersDiscovery else {
            dropTimer = world.clock.schedule(after: RecordedDelays.attribute) { [weak self] in
                self?.discoveryTimedOut()
            }
            return
        }
        dropTimer = nil
        gatt.update(to: client.server.database)
        // bluetoothd renews the subscriptions before it signals `ServicesResolved`.
        gatt.resubscribe { [weak self] in
            guard let self, self.client === client, isConnected else { return }
            reportServicesResolved(client)
        }
    }

    /// Continues service discovery now that the peer answers.
    func discoveryCompleted() {
        guard resolveTimer == nil, !areServicesResolved else { return }
        resolve()
    }

    private var isDiscoveryPending: Bool {
        isConnected && !areServicesResolved && dropTimer != nil
    }

    // bluetoothd treats the discovered services as complete, and ATT drops the link.
    private func discoveryTimedOut() {
        guard isDiscoveryPending else { return }
        areServicesResolved = true
        object.changed(["ServicesResolved"])
        attributeTimedOut()
    }

    private func reportServicesResolved(_ client: ATTClient) {
        areServicesResolved = true
        var names = updateUUIDs()
        names.append("ServicesResolved")
        names += details.setName(client.server.deviceName)
        names += details.setModalias(client.server.modalias)
        object.changed(names)
        battery.update()
        readPlugAndPlay()
    }

    private func updateUUIDs() -> [String] {
        details.setUUIDs(Set(gatt.services.filter(\.isPrimary).map(\.uuid)).sorted())
    }

    private static let deviceInformation = "0000180a-0000-1000-8000-00805f9b34fb"
    private static let plugAndPlay = "00002a50-0000-1000-8000-00805f9b34fb"

    // bluetoothd itself reads the PnP ID of a peer that has one.
    private func readPlugAndPlay() {
        let service = gatt.services.first { $0.uuid == Self.deviceInformation }
        let found = service?.characteristics.first { $0.uuid == Self.plugAndPlay }
        guard let found, let client, client.server.modalias == nil else { return }
        client.send(.read(handle: found.valueHandle, offset: 0)) { [weak self] result in
            guard let self, case .success(let bytes) = result else { return }
            object.changed(details.setModalias(DeviceDetails.modalias(bytes)))
        }
    }

    /// Handles a Service Changed indication: the other end has added or removed services.
    func servicesChanged() {
        guard let client, areServicesResolved else { return }
        let database = client.server.database
        guard gatt.removeInvalid(database), gatt.services != database.services else {
            return rediscover(client)
        }
        object.changed(updateUUIDs())
        battery.update()
        world.schedule(RecordedDelays.rediscovery) { [weak self] in self?.rediscover(client) }
    }

    private func rediscover(_ client: ATTClient) {
        guard self.client === client, areServicesResolved else { return }
        gatt.update(to: client.server.database)
        object.changed(updateUUIDs())
        battery.update()
    }

    /// Signals the MTU after both ends have agreed on another one.
    func mtuChanged() {
        guard isConnected, world.version.hasMTU else { return }
        gatt.mtuChanged()
    }

    // MARK: Disconnect

    func disconnect(_ call: MethodInvocation) {
        if let pending {
            cancel()
            call.reply()
            let connects = pending.setup != nil && world.connectsDespiteDisconnect
            if connects, let peer = connectablePeer { open(to: peer) }
            return
        }
        guard isConnected else { return call.reply() }
        guard !isDiscoveryPending || !world.options.kernel.crashesOnEarlyDisconnect else {
            let world = world
            return world.schedule(RecordedDelays.request) { [weak world] in
                world?.onCrash()
                // A call that is released before would be answered.
                withExtendedLifetime(call) {}
            }
        }
        disconnect(replyingTo: call)
    }

    /// Drops the link after two seconds, replies, and then calls `completion`.
    func disconnect(replyingTo call: MethodInvocation?, completion: (() -> Void)? = nil) {
        let calls = call.map { [$0] } ?? []
        let completions = completion.map { [$0] } ?? []
        guard pendingDisconnect == nil else {
            pendingDisconnect?.calls += calls
            pendingDisconnect?.completions += completions
            return
        }
        // bluetoothd ends its own profiles at once, and the link after the delay.
        battery.end()
        let timer = world.clock.schedule(after: RecordedDelays.disconnect) { [weak self] in
            self?.finishDisconnection()
        }
        pendingDisconnect = PendingDisconnect(timer: timer, calls: calls, completions: completions)
    }

    private func finishDisconnection() {
        guard let ending = pendingDisconnect, isConnected else { return }
        let link = link
        pendingDisconnect = nil
        var changes = ["Connected"]
        if areServicesResolved {
            areServicesResolved = false
            if world.version.endsLinkWithOneSignal {
                changes.insert("ServicesResolved", at: 0)
            } else {
                object.changed(["ServicesResolved"])
            }
        }
        if world.version.repliesBeforeDisconnected {
            for call in ending.calls { call.reply() }
        }
        object.disconnected(.byLocalHost)
        isConnected = false
        object.changed(changes)
        if !world.version.repliesBeforeDisconnected {
            for call in ending.calls { call.reply() }
        }
        cleanUp()
        if let link { report(.dropped(link)) }
        for completion in ending.completions { completion() }
    }

    // MARK: Loss

    /// Handles the loss of the link: one signal carries both properties.
    func linkLost(_ reason: SimulatedDisconnectReason) {
        guard isConnected else { return }
        let names = areServicesResolved ? ["ServicesResolved", "Connected"] : ["Connected"]
        areServicesResolved = false
        isConnected = false
        object.disconnected(reason)
        // For a device that is removed with its link, only the removal is signalled.
        if !lifetime.endsWithLink { object.changed(names) }
        let ending = removePendingDisconnect()
        cleanUp()
        ending?.complete()
    }

    private func completeDisconnects() {
        removePendingDisconnect()?.complete()
    }

    private func removePendingDisconnect() -> PendingDisconnect? {
        defer { pendingDisconnect = nil }
        return pendingDisconnect
    }

    /// Drops the link after a short delay, because the peer did not answer a request in time.
    func attributeTimedOut() {
        dropTimer = world.clock.schedule(after: RecordedDelays.afterAttribute) { [weak self] in
            guard let self else { return }
            link?.close(from: object.host, reason: .byRemoteHost)
        }
    }

    /// Ends the link without a signal, like a killed daemon.
    ///
    /// The kernel's link outlives the daemon for `staleTime`, and the next daemon finds it.
    func discard(staleTime: Duration) {
        pending = nil
        pendingDisconnect = nil
        self.staleTime = staleTime
        let wasConnected = isConnected
        link?.close(from: object.host, reason: .byRemoteHost)
        // A paused daemon has not been notified of the end of the link.
        if link != nil { linkLost(.byLocalHost) }
        isConnected = wasConnected
        lifetime.stopTimer()
    }

    /// Ends a stale link some time after the device is exported again.
    func closeStaleLink() {
        guard isConnected, link == nil else { return }
        world.schedule(staleTime) { [weak self] in
            guard let self, isConnected, link == nil else { return }
            isConnected = false
            object.changed(["Connected"])
            completeDisconnects()
        }
    }

    /// Resets the connection like a new daemon: services are unresolved until the next connection.
    func restart() {
        areServicesResolved = false
    }

    func stopResolving() {
        resolveTimer = nil
    }

    /// Ends the attempt and the link because the adapter turned off; the other end receives `reason`.
    func adapterWentOff(_ reason: SimulatedDisconnectReason) {
        failConnection(world.version.connectionAborted)
        link?.close(from: object.host, reason: reason)
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
        report(.ended)
        if lifetime.linkEnded() { report(.forgotten) } else { restartExpiryTimer() }
    }
}

/// A `Connect` that waits for its device.
private struct PendingConnection {
    let deadline: ScheduledTimer
    /// Scheduled once a peer has answered.
    var setup: ScheduledTimer?
    let completion: (BusError?) -> Void
}

/// A `Disconnect` that waits until the link is dropped.
private struct PendingDisconnect {
    let timer: ScheduledTimer
    var calls: [MethodInvocation]
    /// Called after all signals.
    var completions: [() -> Void]

    func complete() {
        for call in calls { call.reply() }
        for completion in completions { completion() }
    }
}
