package import BluejayCore
package import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The link to one device over one adapter, shared by its users.
///
/// The first `connect` brings the link up; the last user to leave disconnects it. Each user waits under its
/// own time limit. An attempt is cancelled in bluetoothd before its failure is reported, so that nothing
/// obstructs the next one.
///
/// The link routes the actions of its state machine to its parts, and bluetoothd's signals to the machine.
package final class Link {
    private let registry: LinkRegistry
    private let client: BlueZClient
    private let log: Log
    private let executor: LinkExecutor
    private let target: LinkDevice
    private let leases = LinkLeases()
    private let connector: LinkConnector
    private let database: LinkServices
    private let battery: HiddenBatteryService
    let sockets: LinkSockets
    let requests: AttributeRequests
    let pairing: LinkPairing
    private var observation: ObservationToken?
    private var disconnectTimer: ScheduledTimer?
    private var doubtTimer: ScheduledTimer?
    private var rejectionTimer: ScheduledTimer?
    private var isActive = false
    /// bluetoothd's reason for the end of the link.
    private var reason: String?

    /// `Disconnect` waits two seconds before it ends the link.
    private static let disconnectTime = Duration.seconds(10)
    /// The time in which a peripheral answers requests that need no pairing.
    private static let rejectionDelay = Duration.milliseconds(300)

    init(_ address: DeviceAddress, adapter: ObjectPath, registry: LinkRegistry) {
        self.registry = registry
        let client = registry.client
        let log = Log("bluejay.link", to: client.logDispatcher, ["device": "\(address)"])
        let executor = LinkExecutor(client.clock)
        let target = LinkDevice(address, adapter: adapter, client: client)
        let context = LinkContext(client: client, device: target, executor: executor, log: log)
        let calls = AttributeCalls(context)
        let discoverySession = registry.discoverySessions.session(of: adapter)
        (self.client, self.log, self.executor, self.target) = (client, log, executor, target)
        connector = LinkConnector(context, discoverySession)
        battery = HiddenBatteryService(context, calls)
        database = LinkServices(context, battery)
        sockets = LinkSockets(context, calls)
        requests = AttributeRequests(
            context,
            leases: leases,
            services: database,
            battery: battery,
            sockets: sockets,
            calls: calls
        )
        pairing = LinkPairing(context, registry.pairingAgent)
        executor.performers = LinkExecutor.Performers(
            link: { [weak self] in self?.perform($0) },
            attributes: { [weak requests] in requests?.perform($0) },
            linkChanged: { [weak self] in self?.linkChanged() }
        )
        target.onPathChange = { [weak self] in self?.observe() }
        requests.onOrphanedNotify = { [weak self] in self?.stopOrphanedNotify($0) }
        calls.afterSignals = { [weak database] in database?.afterSignals($0) }
        observe()
    }

    /// The current address of the device; pairing replaces a private one.
    package var address: DeviceAddress { target.address }

    package var adapter: ObjectPath { target.adapter }

    var clock: any EventClock { client.clock }

    /// The device object, or nil while bluetoothd does not know the device.
    package var path: ObjectPath? { target.path }

    package var isUp: Bool { executor.isUp }

    /// Whether the link is not down yet although no lease needs it.
    package var isEnding: Bool { executor.isEnding }

    /// Whether a `Connect` of this program made the link.
    package var isLocallyInitiated: Bool { executor.isLocallyInitiated }

    /// The properties of the device, or nil while bluetoothd does not know it.
    package var device: Device1? { target.properties }

    package var name: String? { device?.name }

    /// Whether the peripheral left a request unanswered for 30 s, after which bluetoothd ends the link.
    package var hasUnansweredRequest: Bool { executor.hasUnansweredRequest }

    /// The last signal strength in dBm while a discovery reports one.
    ///
    /// BlueZ has no call for the signal strength of a link.
    package var rssi: Int? { device?.rssi }

    /// Whether the device is being searched for and bluetoothd has not replied to the discovery call.
    package var isDiscoveryCallPending: Bool { connector.isDiscoveryCallPending }

    // MARK: Attributes

    /// The services in the order of their handles; empty while the link is down.
    package var services: [RemoteService] { isUp ? database.all : [] }

    package func characteristic(_ identifier: CharacteristicIdentifier) -> RemoteCharacteristic? {
        isUp ? database.characteristic(identifier) : nil
    }

    package func has(_ service: ServiceIdentifier) -> Bool { isUp && database.has(service) }

    /// The ATT MTU, 23 to 517, or nil if BlueZ does not report one or no characteristic has an object.
    package var reportedMTU: Int? { isUp ? database.reportedMTU : nil }

    /// The ATT MTU, 23 while BlueZ reports none.
    package var mtu: Int { reportedMTU ?? ATTLimits.minimumMTU }

    /// The ATT MTU for one characteristic.
    ///
    /// A smaller MTU that another characteristic has reported applies to this one as well.
    package func mtu(of characteristic: RemoteCharacteristic) -> Int {
        characteristic.path.map { database.mtu(at: $0) } ?? mtu
    }

    /// Sets the name of the device on this machine; an empty name removes it.
    ///
    /// `completion` is called once, on a later iteration, with the failure or when `device` has the name:
    /// bluetoothd signals the name before its reply.
    package func setAlias(_ alias: String, completion: @escaping (BlueZFailure?) -> Void) {
        let clock = client.clock
        guard let path else { return clock.onNextIteration { completion(.linkLost) } }
        client.call(Device1.setAlias(path, alias), timeout: Self.disconnectTime) { result in
            var failure: BlueZFailure?
            if case .failure(let error) = result { failure = BlueZFailure(local: error) }
            // When the bus is released, pending calls end inside the release.
            clock.onNextIteration { completion(failure) }
        }
    }

    // MARK: Users

    /// Joins the link, bringing it up if it is down.
    ///
    /// - Parameters:
    ///   - timeout: The time limit, after which the attempt is cancelled and fails with `timedOut`. Nil is
    ///     bluetoothd's own: 41 s for an absent device, and none for an unknown one.
    ///   - completion: Called once, on a later iteration.
    /// - Returns: The lease; `cancel` and its `release` end it.
    package func connect(
        within timeout: Duration? = nil,
        _ completion: @escaping (Result<Void, LinkFailure>) -> Void
    ) -> LinkLease {
        let lease = LinkLease(self, leases.makeLeaseID())
        let timer = timeout.map { timeout in
            client.clock.schedule(after: timeout) { [weak self, weak lease] in
                if let self, let lease { cancel(lease, .timedOut) }
            }
        }
        lease.startConnect(timer, completion)
        leases.add(lease)
        let leaseID = lease.id
        client.clock.onNextIteration { [weak self, weak lease] in
            // The connection may have been cancelled.
            guard let self, lease != nil, leases.has(leaseID) else { return }
            executor.handle { machine, _ in machine.addLease(leaseID) }
        }
        return lease
    }

    /// Cancels a pending `connect`, which fails with `failure` when none of its calls is pending in
    /// bluetoothd.
    package func cancel(_ lease: LinkLease, _ failure: LinkFailure) {
        let (leaseID, policy) = (lease.id, lease.disconnectPolicy)
        executor.handle { machine, _ in machine.cancel(leaseID, failure, disconnecting: policy) }
        // The user had not joined yet.
        if !executor.hasLease(leaseID), let completion = lease.removeConnectCompletion() {
            leases.remove(leaseID)
            client.clock.onNextIteration { completion(.failure(failure)) }
        }
    }

    /// Releases the lease and disconnects the link if no other lease uses it.
    package func disconnect(_ lease: LinkLease, _ completion: @escaping () -> Void) {
        lease.release(disconnecting: .always, completion)
    }

    func release(_ lease: LinkLease, _ policy: DisconnectPolicy, _ completion: @escaping () -> Void)
    {
        lease.handlers.onEnd = nil
        let (leaseID, clock) = (lease.id, client.clock)
        pairing.leaseReleased(leaseID)
        executor.release(leaseID, disconnecting: policy) { isComplete in
            // The caller of the release must not be re-entered.
            leases.startReleasing(
                lease,
                isComplete ? { clock.onNextIteration(completion) } : completion
            )
        }
    }

    /// Releases a deinitialized lease.
    func leaseDeinitialized(_ leaseID: LinkStateMachine.LeaseID, _ policy: DisconnectPolicy) {
        leases.remove(leaseID)
        pairing.leaseReleased(leaseID)
        // The owner of the lease is releasing it and must not be re-entered.
        leases.deferringCompletions {
            executor.handle { $0.leaseDeinitialized(leaseID, disconnecting: policy, now: $1) }
        }
    }

    func addRetainer() { executor.setRetained(leases.changeRetainers(by: 1)) }

    func removeRetainer() { executor.setRetained(leases.changeRetainers(by: -1)) }

    private var activeLeases: [LinkLease] { leases.all.filter { executor.isActive($0.id) } }

    // MARK: Performing

    private func linkChanged() {
        if !isUp { sockets.linkEnded() }
        // A pending operation continues without its users.
        guard isActive == executor.isIdle else { return }
        isActive = !executor.isIdle
        registry.retain(self, while: isActive)
    }

    private func perform(_ action: LinkStateMachine.Action) {
        switch action {
        case .proceed:
            let state = currentDeviceState()
            guard !isBeingRemoved else { return }
            executor.handle { $0.proceed(state, now: $1) }
        case .connecting(let action): perform(action)
        case .linkUp: linkUp()
        case .disconnect(let call): disconnect(call)
        case .setDisconnectTimer(let delay):
            disconnectTimer = delay.map { delay in
                client.clock.schedule(after: delay) { [weak self] in
                    self?.executor.handle { machine, _ in machine.disconnectTimerFired() }
                }
            }
        case .setDoubtTimer(let delay):
            doubtTimer = client.clock.schedule(after: delay) { [weak self] in
                self?.doubtTimerFired()
            }
        case .attributes: break
        case .progress(let leaseID, let progress):
            leases.lease(leaseID)?.handlers.onProgress?(progress)
        case .granted(let leaseID): leases.lease(leaseID)?.completeConnect(.success(()))
        case .failed(let leaseID, let failure):
            connector.end()
            leases.lease(leaseID)?.completeConnect(.failure(failure))
            leases.remove(leaseID)
        case .released(let leaseID): leases.released(leaseID)
        case .ended(let leaseID, let end):
            let lease = leases.lease(leaseID)
            leases.remove(leaseID)
            let onEnd = lease?.handlers.onEnd
            lease?.handlers.onEnd = nil
            onEnd?(end)
        }
    }

    private func perform(_ action: ConnectStateMachine.Action) {
        switch action {
        case .discover: connector.discover()
        case .endDiscovery: connector.endDiscovery()
        case .callConnect(let call):
            // The reply retains the link, which disconnects a connection made after the end of the attempt.
            connector.connect(call) { [self] in connectedLate() }
        case .callDisconnect(let call):
            connector.end()
            callDisconnect { [weak self] in
                self?.executor.handleAttempt { machine, _ in machine.disconnectReplied(call) }
            }
        case .readDevice(let call): connector.readDevice(call)
        case .readObjects(let call): connector.readObjects(call)
        case .check(let call): connector.check(call)
        case .confirm(let call): connector.confirm(call)
        case .setTimer(let instant): connector.setTimer(at: instant)
        case .finish: break
        }
    }

    // MARK: Connecting

    /// Whether `RemoveDevice` is pending, which also ends the link.
    private var isBeingRemoved: Bool { path.map(registry.isBeingRemoved) ?? false }

    /// Lets waiting users connect after a `RemoveDevice`.
    func removalEnded() {
        executor.handle { _, _ in [.proceed] }
    }

    private func currentDeviceState() -> LinkStateMachine.DeviceState {
        reason = nil
        return target.currentState()
    }

    private func connectedLate() {
        guard executor.isIdle else { return }
        let state = currentDeviceState()
        executor.handle { $0.connectedLate(state, now: $1) }
    }

    private func linkUp() {
        connector.connected()
        updateServices()
        database.connected()
        log.debug("link up", ["services": "\(database.all.count)"])
        for characteristic in path.map(registry.drainOrphanedNotifications) ?? [] {
            stopNotify(characteristic)
        }
    }

    // MARK: Disconnecting

    private func disconnect(_ call: Int) {
        callDisconnect { [weak self] in
            guard let self else { return }
            let isConnected = target.isConnected
            executor.handle { machine, _ in
                machine.disconnectReplied(call, isConnected: isConnected)
            }
        }
    }

    private func callDisconnect(_ completion: @escaping () -> Void) {
        guard let path else { return client.clock.onNextIteration(completion) }
        sockets.drainBeforeDisconnect { [self] in
            log.debug("Disconnect called", ["path": path.text])
            client.call(Device1.disconnect(path), timeout: Self.disconnectTime) { _ in completion()
            }
        }
    }

    /// Stops notifications that bluetoothd would resume with the next link.
    private func stopOrphanedNotify(_ characteristic: ObjectPath) {
        guard target.isAdapterOn else { return registry.recordOrphanedNotification(characteristic) }
        stopNotify(characteristic)
    }

    private func stopNotify(_ characteristic: ObjectPath) {
        guard let stop = GattCharacteristic1.stopNotify(characteristic) else { return }
        _ = client.call(stop, timeout: AttributeStateMachine.operationTimeout) { _ in }
    }

    // MARK: Signals

    private func observe() {
        observation = client.observe(path.map { .device($0) } ?? .devices(of: adapter)) {
            [weak self] in self?.receive($0)
        }
    }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged(let state):
            if state != .running { becameUnavailable(isDaemonRunning: false) }
        case .disconnectReason(let device, let name, _):
            if device == path { reason = name }
        case .changed(let changes):
            for change in changes { receive(change) }
        }
    }

    private func becameUnavailable(isDaemonRunning: Bool) {
        pairing.ended(isDaemonRunning ? .adapterOff : .daemonLost)
        executor.handle { machine, _ in machine.unavailable(isDaemonRunning: isDaemonRunning) }
        target.clearPath()
    }

    private func receive(_ change: ObjectTree.Change) {
        switch change {
        case .changed(adapter, Adapter1.interface, _, _):
            if !target.isAdapterOn { becameUnavailable(isDaemonRunning: true) }
        case .removed(adapter, Adapter1.interface): becameUnavailable(isDaemonRunning: true)
        case .added(let device, Device1.interface):
            guard path == nil, client.objects.device(address, of: adapter) == device else { return }
            target.update()
            executor.handleAttempt { $0.appeared(now: $1) }
        case .removed(path, Device1.interface):
            executor.handleAttempt { $0.removed(now: $1) }
            lost(isRemoved: true)
        case .changed(path, Device1.interface, let values, _): receive(values)
        case .removed(let object, GattCharacteristic1.interface):
            if let attribute = database.removeCharacteristic(at: object) {
                sockets.remove(attribute)
            }
            servicesChanged(object)
        case .removed(let object, GattService1.interface):
            database.removeService(at: object)
            servicesChanged(object)
        case .added(let object, GattService1.interface),
            .added(let object, GattCharacteristic1.interface):
            servicesChanged(object)
        case .removed(let object, GattDescriptor1.interface):
            database.removeDescriptor(at: object)
        case .changed(_, GattService1.interface, _, _): if isUp { updateServices() }
        case .changed(_, GattCharacteristic1.interface, let values, _):
            mtuChanged(GattCharacteristic1(values).mtu)
        case .added(path, Battery1.interface), .changed(path, Battery1.interface, _, _):
            batteryChanged()
        case .added, .removed, .changed: break
        }
    }

    // If one signal carries both properties, the loss of the link takes precedence.
    private func receive(_ values: ObjectTree.Properties) {
        if Device1.changesAddress(values) { addressChanged() }
        if isUp, Device1.changesDescription(values) {
            for lease in activeLeases { lease.handlers.onDeviceChanged?() }
        }
        if Device1.pairedIfPresent(values) == true {
            pairing.paired()
            executor.handleAttributes { machine, _ in machine.paired() }
        }
        let changed = Device1(values)
        if let isConnected = changed.connectedIfPresent {
            executor.handleAttempt { $0.connected(isConnected, now: $1) }
            if !isConnected { lost(isRemoved: false) }
        }
        // `ServicesResolved` may arrive before `Connected`; only another read then shows it.
        guard changed.isResolved || changed.isConnected, let services = target.resolvedServices
        else {
            return
        }
        executor.handleAttempt { $0.resolved(services, now: $1) }
    }

    private func lost(isRemoved: Bool) {
        pairing.linkEnds { [weak self] in
            guard let self else { return }
            pairing.ended(.linkLost)
            executor.handle { [reason] machine, _ in machine.lost(reason: reason) }
            if isRemoved { target.clearPath() }
        }
    }

    private func doubtTimerFired() {
        let wasUp = isUp
        executor.handle { $0.doubtTimerFired(now: $1) }
        if wasUp, !isUp { log.warning("link lost: bluetoothd replies only \"Not connected\"") }
    }

    private func addressChanged() {
        guard let former = target.updateAddress() else { return }
        registry.moved(self, from: former)
        for lease in activeLeases { lease.handlers.onAddressChanged?(address) }
    }

    // MARK: Rejected pairing

    /// A user of this program has rejected a pairing with the device.
    ///
    /// bluetoothd leaves the request that needs the pairing unanswered until it ends the link. Requests that
    /// do not need it are answered meanwhile.
    func pairingRejected() {
        guard isUp, device?.isPaired != true else { return }
        let instant = client.clock.now
        rejectionTimer = client.clock.schedule(after: Self.rejectionDelay) { [weak self] in
            guard let self, device?.isPaired != true else { return }
            executor.handleAttributes { $0.pairingRejected(at: instant, now: $1) }
        }
    }

    // MARK: Changed services

    private func servicesChanged(_ object: ObjectPath) {
        guard isUp else { return }
        database.collectChanges(at: object) { [weak self] in
            guard let self else { return }
            // The attributes of a device that is removed with its link have ended with the link.
            for attribute in database.drainRemovedAttributes() { removed(attribute) }
            guard isUp else { return }
            updateServices()
            let removed = database.drainRemoved()
            for lease in activeLeases { lease.handlers.onServicesChanged?(removed) }
        }
    }

    private func updateServices() {
        if let attribute = database.update() { removed(attribute) }
    }

    private func removed(_ attribute: AttributeStateMachine.AttributeID) {
        executor.handleAttributes { machine, _ in machine.removed(attribute) }
    }

    private func batteryChanged() {
        guard isUp else { return }
        if database.characteristic(.batteryLevel) == nil {
            updateServices()
            for lease in activeLeases { lease.handlers.onServicesChanged?([]) }
        }
        guard let level = battery.completeReads() else { return }
        database.characteristic(.batteryLevel)?.dispatcher.receive(Data([level]))
    }

    private func mtuChanged(_ mtu: Int?) {
        guard isUp, let mtu, database.mtuChanged(mtu) else { return }
        for lease in activeLeases { lease.handlers.onMTUChanged?(mtu) }
    }
}
