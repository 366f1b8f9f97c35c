internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib

/// Connects, disconnects and reconnects one instance, and announces its connections.
final class ConnectionController {
    private var reconnecting = ReconnectStateMachine() {
        didSet { statePublisher.setNeedsPublishing() }
    }
    private var reconnectTimer: ScheduledTimer?
    /// Disconnections that are announced when the background task has ended.
    private var deferredDisconnections: [Disconnection] = []
    private let queue: QueueRunner
    private let link: ConnectedLink
    private let listens: ListenRegistry
    private let observers: ObserverRegistry
    private let adapters: AdapterController
    private let restoration: RestorationController
    private let gate: CallGate
    private let pairing: PeripheralPairing
    private let context: InstanceContext
    private var statePublisher: StatePublisher { context.statePublisher }
    private var scheduler: StepScheduler { context.scheduler }
    private var log: Log { context.log.connection }

    init(
        _ context: InstanceContext,
        queue: QueueRunner,
        link: ConnectedLink,
        listens: ListenRegistry,
        observers: ObserverRegistry,
        adapters: AdapterController,
        restoration: RestorationController,
        gate: CallGate,
        pairing: PeripheralPairing
    ) {
        self.context = context
        self.queue = queue
        self.link = link
        self.listens = listens
        self.observers = observers
        self.adapters = adapters
        self.restoration = restoration
        self.gate = gate
        self.pairing = pairing
    }

    // MARK: State

    var peripheral: PeripheralIdentifier? { link.peripheral }

    /// The peripheral of a disconnect.
    var target: PeripheralIdentifier? {
        link.subject ?? (reconnecting.isPending ? link.session.reconnectTarget : nil)
    }

    /// Whether the instance is reconnecting or waiting to.
    var isReconnecting: Bool { reconnecting.isPending }

    /// Whether the instance reconnects after the next loss.
    var shouldReconnect: Bool { reconnecting.shouldReconnect }

    /// Whether a connection keeps the instance on its adapter.
    var isInUse: Bool { !reconnecting.isIdle || target != nil || !deferredDisconnections.isEmpty }

    func setOptions(_ options: ReconnectOptions) { reconnecting.options = options }

    private func change<Result>(_ change: (inout ConnectionSession) -> Result) -> Result {
        let old = link.session
        let result = link.change(change)
        if link.session != old { pairing.follow() }
        return result
    }

    // MARK: Connecting

    /// Connects to a peripheral, or completes with the error of a rejection.
    func connect(
        to peripheral: PeripheralIdentifier,
        timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        if let rejection = peripheral.rejection {
            return scheduler.completeOnNextIteration { completion(.failure(rejection)) }
        }
        connect(attempt(.peripheral(peripheral), within: timeout, completion: completion))
    }

    private func connect(_ operation: any ConnectionAttempt) {
        if let rejection = rejection(operation.attemptTarget) {
            let annotated = operation.subject.annotate(rejection)
            return scheduler.completeOnNextIteration { operation.complete(annotated) }
        }
        queue.enqueue(operation) { replaceReconnection() }
    }

    /// Connects for a scan or a watch, which has stopped.
    func connect(
        answering discovery: ScanDiscovery,
        _ timeout: Timeout,
        _ completion: @escaping (ConnectionResult) -> Void
    ) {
        let subject = ErrorSubject(.connect, peripheral: discovery.peripheralIdentifier)
        // The end of the scan may have stopped the instance.
        guard adapters.hasStarted else {
            return completion(.failure(subject.annotate(BluejayError.stopped)))
        }
        // Rejected like any other call: disconnections during a task are announced after the task.
        guard !gate.isRunningTask else {
            let rejection = subject.annotate(BluejayError.backgroundTaskRunning)
            return scheduler.completeOnNextIteration { completion(.failure(rejection)) }
        }
        connect(to: discovery.peripheralIdentifier, timeout: timeout, completion: completion)
    }

    /// Connects, unless the requested peripheral is connected or is being connected.
    func connectOrJoin(
        _ requested: RequestedPeripheral,
        within timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        if queue.isConnected, !queue.willDisconnect, let peripheral, matches(requested, peripheral)
        {
            return scheduler.completeOnNextIteration { completion(.success(peripheral)) }
        }
        guard let attempt = queue.attempt, let isSame = isAttempt(attempt, to: requested) else {
            return connect(self.attempt(requested, within: timeout, completion: completion))
        }
        let operation = SharedConnect(
            requested,
            attempts,
            within: timeout,
            makeAttempt: { [self] timeout in
                replaceReconnection()
                return self.attempt(requested, within: timeout, completion: completion)
            },
            evaluate: { [self] in outcome(of: requested) },
            completion: completion
        )
        let id = queue.share(operation, attempt: attempt, isSame: isSame)
        log.debug("waits for the attempt of another call", ["operation": "\(id)"])
    }

    /// Takes over a connection of another library.
    func adopt(_ present: ConnectedPeripheral) {
        guard let path = ObjectPath(present.devicePath) else {
            return log.warning(
                "adoption failed: invalid object path",
                ["path": present.devicePath]
            )
        }
        queue.enqueue(
            ConnectOperation(
                .connectedDevice(path),
                attempts,
                .adopt,
                within: Restoration.timeLimit
            ) {
                [weak self] result in
                guard case .failure(let error) = result else { return }
                self?.log.warning(
                    "adoption failed",
                    ["path": present.devicePath, "error": "\(error)"]
                )
            }
        )
    }

    /// Connects to the peripheral of the previous run.
    func restore() {
        guard let current = restoration.current, let peripheral = current.peripheral else { return }
        context.log.restoration.debug("restoring connection", ["peripheral": "\(peripheral)"])
        let target = ConnectOperation.Target.peripheral(peripheral)
        queue.enqueue(
            ConnectOperation(target, attempts, .adopt, within: Restoration.timeLimit) {
                [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let identifier):
                    for characteristic in current.listens { listens.restore(characteristic) }
                    current.ended(identifier, nil)
                case .failure(let error):
                    // The restoration is retried when Bluetooth is available.
                    if case .bluetoothUnavailable? = error as? BluejayError { return }
                    current.ended(peripheral, error)
                }
            }
        )
    }

    func attempt(
        _ requested: RequestedPeripheral,
        within timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) -> any ConnectionAttempt {
        switch requested {
        case .peripheral(let peripheral) where peripheral.deviceAddress == nil:
            FindAndConnectOperation(
                to: peripheral,
                attempts,
                within: timeout,
                completion: completion
            )
        case .peripheral(let peripheral):
            ConnectOperation(
                .peripheral(peripheral),
                attempts,
                within: timeout,
                completion: completion
            )
        case .first(let filter):
            FindAndConnectOperation(filter, attempts, within: timeout, completion: completion)
        }
    }

    /// Returns whether a peripheral is known to be the requested one; `filter` is the filter that found it.
    func matches(
        _ requested: RequestedPeripheral,
        _ peripheral: PeripheralIdentifier,
        foundBy filter: ScanFilter? = nil
    ) -> Bool {
        let session = link.session
        switch requested {
        case .peripheral(let identifier):
            return identifier == peripheral
                || session.isReconnectTarget(identifier) && session.isReconnectTarget(peripheral)
        case .first(let requestedFilter):
            // A peripheral still matches the filter that found it, even if it advertises less when connected.
            if filter == requestedFilter { return true }
            if session.filter == requestedFilter, session.isReconnectTarget(peripheral) {
                return true
            }
            return radioReport(of: peripheral).map { FilterMatcher(requestedFilter).matches($0) }
                ?? false
        }
    }

    /// Returns whether an attempt targets the requested peripheral.
    ///
    /// Returns false while its peripheral is unknown, and `nil` for a different one.
    private func isAttempt(_ id: QueueStateMachine.ID, to requested: RequestedPeripheral) -> Bool? {
        guard let target = attemptTarget(of: id) else { return nil }
        switch target {
        case .unknown: return false
        case .peripheral(let peripheral, let filter):
            return matches(requested, peripheral, foundBy: filter) ? true : nil
        case .search(let filter):
            guard case .first(filter) = requested else { return false }
            return true
        }
    }

    /// The peripheral of an attempt, as far as known.
    private func attemptTarget(of attempt: QueueStateMachine.ID) -> AttemptTarget? {
        (queue.operation(attempt) as? any ConnectionAttempt)?.attemptTarget
    }

    /// The properties of a peripheral in bluetoothd.
    private func radioReport(of peripheral: PeripheralIdentifier) -> DiscoveredDevice? {
        guard let radio = adapters.radio, let address = peripheral.deviceAddress,
            let path = radio.engine.link(to: address, over: radio.adapter).path
        else { return nil }
        return radio.engine.client.objects.device(at: path).flatMap { DiscoveredDevice(path, $0) }
    }

    /// The error of a connect that conflicts with another connection, naming that connection's peripheral.
    private func rejection(_ target: AttemptTarget) -> BluejayError? {
        guard queue.rejection(of: .connect) == .multipleConnectNotSupported else { return nil }
        var requested: PeripheralIdentifier?
        if case .peripheral(let identifier, _) = target { requested = identifier }
        if queue.isConnected, !queue.willDisconnect, let peripheral {
            return .multipleConnect(
                connected: peripheral,
                isSamePeripheral: requested == peripheral
            )
        }
        var attempted: PeripheralIdentifier?
        if case .peripheral(let identifier, _) = queue.attempt.flatMap({ attemptTarget(of: $0) }) {
            attempted = identifier
        }
        return .multipleConnect(
            connecting: attempted,
            isSamePeripheral: requested != nil && requested == attempted
        )
    }

    // MARK: Attempts

    private var attempts: AttemptContext {
        AttemptContext(
            clock: context.clock,
            log: log,
            timeouts: context.timeouts,
            adapters: adapters,
            report: { [weak self] in self?.receive($0) }
        )
    }

    private func receive(_ event: AttemptEvent) {
        switch event {
        case .searchStarted: change { $0.searchStarted() }
        case .searchEnded: searchEnded()
        case .started(let peripheral, let isForUser):
            change { $0.attemptStarted(peripheral) }
            // If the program is killed now, it leaves a link that no scan finds.
            if isForUser { restoration.save(peripheral, []) }
        case .found(let filter): change { $0.found(by: filter) }
        case .failed(let reason): change { $0.attemptFailed(reason) }
        case .ended(let isForUser):
            change { $0.attemptEnded() }
            if isForUser { restoration.save(nil, []) }
        case .connected(let lease, let identifier): linkEstablished(lease, identifier)
        }
    }

    private func searchEnded() {
        change { $0.attemptEnded() }
        // No disconnection is announced, so listens that wait for a lost connection end here.
        guard !reconnecting.isPending else { return }
        listens.endRetainedListens()
        restoration.save(nil, [])
    }

    /// The result of a call whose peripheral another call's attempt has connected.
    private func outcome(of requested: RequestedPeripheral) -> ConnectionResult {
        guard let peripheral else {
            return .failure(requested.subject.annotate(BluejayError.notConnected))
        }
        guard matches(requested, peripheral) else {
            let rejection = BluejayError.multipleConnect(
                connected: peripheral,
                isSamePeripheral: false
            )
            return .failure(requested.subject.annotate(rejection))
        }
        return .success(peripheral)
    }

    // MARK: The link

    private func linkEstablished(_ lease: LinkLease, _ identifier: PeripheralIdentifier) {
        link.attach(lease)
        lease.handlers.onEnd = { [weak self] in self?.lost($0) }
        lease.handlers.onServicesChanged = { [weak self] in self?.servicesChanged(removed: $0) }
        lease.handlers.onAddressChanged = { [weak self] in self?.addressChanged($0) }
        lease.handlers.onMTUChanged = { [weak self] in self?.mtuChanged($0) }
        lease.handlers.onDeviceChanged = { [weak self] in self?.detailsChanged() }
        perform(reconnecting.connected())
        let isSame = change { $0.connected(identifier) }
        listens.connected(isSame: isSame)
    }

    private func lost(_ end: LinkDownReason) {
        log.debug("link down", ["reason": "\(end)"])
        link.detach()
        // Another user of the link may be notified before this instance knows that Bluetooth is unavailable.
        if end == .unavailable { adapters.update() }
        if case .lost(let reason) = end {
            change { $0.lost(DisconnectReason(bluezName: reason)) }
        }
        queue.connectionLost()
    }

    // Pairing has resolved the address; later connections find the peripheral under the new address only.
    private func addressChanged(_ address: DeviceAddress) {
        guard let old = peripheral else { return }
        let new = PeripheralIdentifier(address: address, name: old.name)
        log.debug(
            "address changed",
            ["peripheral": "\(old)", "address": "\(address)"]
        )
        change { $0.addressChanged(to: new) }
        listens.save()
    }

    private func servicesChanged(removed invalidated: [ServiceIdentifier]) {
        listens.servicesChanged()
        statePublisher.publishPeripheral(queue.status)
        guard let peripheral else { return }
        log.debug("services changed", ["peripheral": "\(peripheral)"])
        observers.notifyServices {
            $0.didModifyServices(from: peripheral, invalidatedServices: invalidated)
        }
    }

    private func mtuChanged(_ mtu: Int) {
        statePublisher.publishPeripheral(queue.status)
        observers.notifyPeripheral({ peripheral }) { $0.didUpdateMTU(mtu, of: $1) }
    }

    private func detailsChanged() {
        statePublisher.publishPeripheral(queue.status)
        observers.notifyPeripheral({ queue.isConnected ? link.details : nil }) {
            $0.didUpdateDetails($1, of: $1.peripheral)
        }
    }

    // MARK: Announcements

    func announceConnected() {
        guard let peripheral else { return }
        // Kept listens precede calls made by observers.
        listens.resume()
        let lease = link.lease
        log.debug("connected", ["peripheral": "\(peripheral)"])
        // A log observer may have stopped and restarted the instance, which has then announced the new
        // connection.
        guard link.lease === lease else { return }
        listens.save()
        change { $0.announced() }
        observers.notifyConnection { $0.connected(to: peripheral) }
    }

    func announce(_ end: QueueStateMachine.ConnectionEndReason) {
        guard let disconnection = change({ $0.ended(end) }) else { return }
        // Disconnections during a background task are announced after the task.
        guard !gate.isRunningTask else { return deferredDisconnections.append(disconnection) }
        announce(disconnection)
    }

    /// Announces the disconnections that occurred during the background task.
    func announceDeferredDisconnections() {
        guard !gate.isRunningTask else { return }
        let disconnections = deferredDisconnections
        deferredDisconnections = []
        for disconnection in disconnections { announce(disconnection) }
    }

    /// Keeps deferred disconnections from starting a reconnection.
    func preventReconnecting() {
        for index in deferredDisconnections.indices {
            deferredDisconnections[index].preventsReconnecting = true
        }
    }

    private func announce(_ disconnection: Disconnection) {
        let peripheral = disconnection.peripheral
        disconnection.write(to: log)
        let reason = disconnection.error?.during(disconnection.call, peripheral: peripheral)
        observers.notifyConnection { $0.disconnected(from: peripheral, reason: reason) }
        let willReconnect = reconnecting.ended(
            disconnection.preventsReconnecting ? .requested : disconnection.endReason
        )
        let ask: (any DisconnectHandler) -> AutoReconnectMode = {
            $0.didDisconnect(from: peripheral, with: reason, willReconnect: willReconnect)
        }
        guard observers.disconnectHandlerDecidesLater else {
            let mode = observers.askDisconnectHandler(ask)
            return handlerDecided(disconnection, mode, willReconnect: willReconnect)
        }
        let number = reconnecting.handlerAsked()
        observers.askDisconnectHandler(ask) { [weak self] mode in
            guard let self, reconnecting.awaitsDecision(number) else { return }
            handlerDecided(disconnection, mode, willReconnect: willReconnect)
        }
    }

    private func handlerDecided(
        _ disconnection: Disconnection,
        _ mode: AutoReconnectMode,
        willReconnect: Bool
    ) {
        let peripheral = disconnection.peripheral
        var decision: Bool?
        if case .change(let shouldAutoReconnect) = mode { decision = shouldAutoReconnect }
        if decision == true, link.session.reconnectTarget != peripheral {
            // The kept listens belong to another peripheral.
            listens.endRetainedListens()
            change { $0.setReconnectTarget(to: peripheral) }
        }
        perform(
            reconnecting.handlerDecided(
                disconnection.endReason,
                decision,
                willReconnect: willReconnect,
                isAvailable: adapters.bluetoothState == .poweredOn
            )
        )
        guard !reconnecting.isPending else {
            return log.debug(
                "reconnection scheduled",
                ["peripheral": "\(peripheral)"]
            )
        }
        listens.endRetainedListens()
        if !queue.isConnected, !queue.isConnecting { restoration.save(nil, []) }
    }

    // MARK: Reconnecting

    func becameAvailable() { perform(reconnecting.becameAvailable()) }

    func becameUnavailable() { perform(reconnecting.becameUnavailable()) }

    /// Records that the attempt ended because Bluetooth became unavailable.
    func reconnectSuspended() { reconnecting.suspended() }

    /// Records that the attempt was cancelled in favor of another call; `queueBecameIdle` follows.
    func reconnectDeferred() { reconnecting.deferred() }

    func queueBecameIdle() { perform(reconnecting.becameIdle()) }

    /// Ends reconnection in favor of the user's attempt.
    func replaceReconnection() {
        if reconnecting.isPending { cancelAttempts() }
    }

    func cancelAttempts() { perform(reconnecting.cancel()) }

    /// Ends reconnection, and the listens that wait for it.
    ///
    /// - Returns: Whether the instance was reconnecting.
    func cancelReconnecting() -> Bool {
        guard reconnecting.isPending, !queue.isConnecting || queue.isPreempting else {
            return false
        }
        perform(reconnecting.disconnected())
        listens.endRetainedListens()
        restoration.save(nil, [])
        return true
    }

    private func perform(_ actions: [ReconnectStateMachine.Action]) {
        for action in actions { perform(action) }
        statePublisher.publish(queue.status)
    }

    private func perform(_ action: ReconnectStateMachine.Action) {
        switch action {
        case .setTimer(let delay):
            reconnectTimer = delay.map { delay in
                context.clock.schedule(after: delay) { [weak self] in
                    guard let self else { return }
                    perform(reconnecting.timerFired())
                }
            }
        case .attempt: reconnect()
        case .announceAttempt(let attempt, let pause):
            guard let last = link.session.reconnectTarget else { return }
            observers.notifyConnection {
                $0.willReconnect(to: last, attempt: attempt, after: pause)
            }
        }
    }

    private func reconnect() {
        guard let last = link.session.reconnectTarget else { return cancelAttempts() }
        let timeout = reconnecting.options.boundedAttemptTimeout
        queue.enqueue(
            ConnectOperation(.peripheral(last), attempts, .reconnect, within: timeout) {
                [weak self] in
                // The user's connection was faster.
                guard let self, case .failure(let error) = $0,
                    case .multipleConnectNotSupported? = error as? BluejayError
                else { return }
                cancelAttempts()
            }
        )
    }

    // MARK: Disconnecting

    /// Disconnects, or ends reconnection; an immediate disconnect first fails all operations of the queue.
    func disconnect(isImmediate: Bool, completion: ((DisconnectionResult) -> Void)?) {
        let target = target
        if cancelReconnecting(), let target {
            return scheduler.completeOnNextIteration { completion?(.disconnected(target)) }
        }
        let operation = DisconnectOperation(link, target, completion: completion)
        if isImmediate {
            queue.disconnectImmediately(operation)
        } else {
            queue.enqueue(operation)
        }
    }

    /// Stops reports of the link and reconnection, because the instance is being released.
    func silence() {
        link.lease?.handlers.onEnd = nil
        reconnectTimer = nil
    }

    /// Releases the link and forgets the connection; if `policy` is `nil`, the lease decides whether to
    /// disconnect.
    func release(disconnecting policy: DisconnectPolicy? = nil) {
        if let policy { link.lease?.release(disconnecting: policy) }
        link.detach()
        change { $0 = ConnectionSession() }
    }

    func discardDeferredDisconnections() { deferredDisconnections = [] }
}
