internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The components of one `Bluejay`, and the sequences that involve several of them.
///
/// An instance is confined to the main loop.
final class Instance {
    let observers: ObserverRegistry
    let writes: WriteFlowControl
    let adapters: AdapterController
    let restoration: RestorationController
    let gate: CallGate
    let link: ConnectedLink
    let queue: QueueRunner
    let listens: ListenRegistry
    let pairing: PeripheralPairing
    let connection: ConnectionController
    private let shared: InstanceContext
    private var shutdownHook: ShutdownHook?

    init(
        context: MainContext,
        bus: BusAddress,
        choice: AdapterChoice,
        log: InstanceLog? = nil
    ) {
        shared = InstanceContext(context, log: log)
        observers = ObserverRegistry(context)
        writes = WriteFlowControl(clock: shared.clock)
        adapters = AdapterController(shared, bus: bus, choice: choice)
        restoration = RestorationController(shared)
        gate = CallGate(adapters, restoration, context)
        link = ConnectedLink(adapters, shared.statePublisher)
        queue = QueueRunner(shared, link)
        listens = ListenRegistry(shared, queue: queue, link: link, restoration: restoration)
        pairing = PeripheralPairing(adapters, link, log: shared.log.connection)
        connection = ConnectionController(
            shared,
            queue: queue,
            link: link,
            listens: listens,
            observers: observers,
            adapters: adapters,
            restoration: restoration,
            gate: gate,
            pairing: pairing
        )
        followOwners()
    }

    var scheduler: StepScheduler { shared.scheduler }
    var timeouts: CallTimeouts { shared.timeouts }
    var log: InstanceLog { shared.log }
    var state: StatePublisher { shared.statePublisher }
    var context: MainContext { shared.loop }

    private func followOwners() {
        state.readers = StatePublisher.Readers(
            state: { [weak self] in self?.publicState ?? PublicState() },
            peripheral: { [weak self] in self?.publishedPeripheral ?? PublishedPeripheral() }
        )
        scheduler.handlers = StepScheduler.Handlers(
            willProcess: { [weak queue, state] in
                if let queue { state.publish(queue.status) }
            },
            didProcess: { [weak self] in self?.stepsProcessed() }
        )
        queue.onEvent = { [weak self] in self?.perform($0) }
        adapters.onStateChange = { [weak self] in self?.bluetoothChanged($0) }
        followWrites()
    }

    // MARK: State

    var publicState: PublicState {
        PublicState(
            hasStarted: adapters.hasStarted,
            bluetoothState: adapters.bluetoothState,
            isConnecting: queue.isConnecting,
            isConnected: queue.isConnected,
            connectedPeripheral: queue.isConnected ? link.peripheral : nil,
            isDisconnecting: queue.isDisconnecting,
            isScanning: queue.isScanning,
            shouldAutoReconnect: connection.shouldReconnect,
            isRestorationEnabled: restoration.isEnabled
        )
    }

    private var publishedPeripheral: PublishedPeripheral {
        guard queue.isConnected else { return PublishedPeripheral() }
        return PublishedPeripheral(
            isUp: link.link != nil,
            mtu: link.lease?.link.reportedMTU,
            services: link.services,
            details: link.details,
            listens: listens.characteristics
        )
    }

    var manager: CentralManager {
        var address: String?
        if case .address(let text) = adapters.bus { address = text }
        return CentralManager(busAddress: address, adapterPath: adapters.chosenAdapter?.text)
    }

    private func stepsProcessed() {
        adapters.setInUse(
            link.lease != nil || connection.isReconnecting || queue.isConnecting
                || queue.isScanning
        )
        state.publish(queue.status)
    }

    private func bluetoothChanged(_ bluetoothState: BluetoothState) {
        state.publish(queue.status)
        switch bluetoothState {
        case .unknown: break
        case .poweredOn:
            // Restoration must start before observers make calls.
            queue.becameAvailable { if restoration.isInProgress { connection.restore() } }
            connection.becameAvailable()
        default:
            queue.becameUnavailable(bluetoothState)
            connection.becameUnavailable()
        }
    }

    private func perform(_ event: QueueEvent) {
        switch event {
        case .availabilityChanged(let isAvailable):
            log.connection.debug("Bluetooth state changed", ["state": "\(adapters.bluetoothState)"])
            observers.notifyConnection { $0.bluetoothAvailable(isAvailable) }
        case .connected: connection.announceConnected()
        case .disconnected(let end): connection.announce(end)
        case .endListens(let error, let mayReturn):
            listens.connectionEnded(error, mayReconnect: mayReturn)
        case .reconnectSuspended: connection.reconnectSuspended()
        case .reconnectDeferred: connection.reconnectDeferred()
        case .idle: connection.queueBecameIdle()
        }
    }

    private func followWrites() {
        writes.onReady = { [weak self] in
            self?.scheduler.notify { [weak self] in self?.notifyReadyToWrite() }
        }
    }

    private func notifyReadyToWrite() {
        // A write made in the meantime may have used up the room.
        guard writes.isReady else { return }
        writes.resumeWaiters()
        observers.notifyPeripheral({ queue.isConnected ? link.peripheral : nil }) {
            $0.peripheralIsReady(toSendWriteWithoutResponse: $1)
        }
    }

    // MARK: Start

    func start(_ mode: StartMode) {
        guard !adapters.hasStarted else {
            return log.queue.debug("start ignored: already started")
        }
        guard !context.isEnding else { return log.queue.debug("start ignored: the loop ends") }
        switch mode {
        case .new(let options):
            if case .enable(let config) = options.backgroundRestore { restoration.start(config) }
            startFollowing()
        case .use(let manager, let present):
            adapters.adopt(manager)
            startFollowing()
            if let present { connection.adopt(present) }
        }
    }

    private func startFollowing() {
        adapters.start()
        shutdownHook = context.addShutdownHook { [weak self] completion in
            guard let self else { return completion() }
            disconnectBeforeShutdown(completion)
        } ended: { [weak self] in
            self?.loopEnded()
        }
        adapters.reportState()
        pairing.follow()
        state.publish(queue.status)
    }

    // MARK: Calls

    func makeWrite(
        _ characteristic: CharacteristicIdentifier,
        _ data: Data,
        _ type: WriteType,
        _ timeout: Timeout = .standard,
        isCounted: Bool = false,
        completion: @escaping (WriteResult) -> Void
    ) -> WriteOperation {
        WriteOperation(
            queue.details(of: .write, characteristic),
            link,
            writes,
            value: data,
            type: type,
            timeout: timeout,
            isCounted: isCounted,
            completion: completion
        )
    }

    func makeListen(
        _ characteristic: CharacteristicIdentifier,
        receive: @escaping (Data) -> SynchronizedListen.Verdict,
        finish: @escaping ((any Error)?) -> Void
    ) -> SynchronizedListen {
        SynchronizedListen(
            characteristic,
            listens: listens,
            queue: queue,
            link: link,
            clock: shared.clock,
            receive: receive,
            finish: finish
        )
    }

    var scanOwners: ScanOwners {
        ScanOwners(
            adapters: adapters,
            link: link,
            clock: shared.clock,
            connect: connection.connect(answering:_:_:)
        )
    }

    /// Switches to another adapter, unless a connection or a call needs the current one.
    func use(
        _ choice: AdapterChoice,
        _ finish: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        guard queue.isUnused, !connection.isInUse else {
            let name = adapters.chosenAdapter?.name ?? ""
            return finish(.failure(.inUse("adapter \(name)")))
        }
        adapters.use(choice, finish)
    }

    func cancelCalls(after last: QueueStateMachine.ID) {
        queue.cancelCalls(after: last)
        listens.cancelListens(after: last)
    }

    // MARK: Shutdown

    func cancelEverything(_ error: any Error, shouldDisconnect: Bool) {
        let reason = error as? BluejayError ?? .cancelled
        if !(error is BluejayError) { queue.overrideErrors(with: error) }
        // A restoration that waits for Bluetooth is not in a queue.
        defer { restoration.failPending(error) }
        let target = connection.target
        let isWaiting = connection.cancelReconnecting()
        // An attempt that the user did not request is not repeated either.
        connection.replaceReconnection()
        queue.cancelConcurrentScans(reason)
        guard shouldDisconnect else {
            queue.cancelAll(reason) { listens.broadcast(error) }
            // Other listens continue, but a background task must not wait any longer.
            listens.endTaskListens(error)
            return
        }
        if isWaiting { log.connection.debug("reconnection cancelled") }
        connection.preventReconnecting()
        if queue.isConnected, !queue.isDisconnecting { listens.overrideEnd(with: error) }
        queue.cancelAll(
            reason,
            disconnecting: DisconnectOperation(link, target, completion: nil)
        )
    }

    /// Disconnects when the loop is about to end, unless the next run takes over the connection.
    private func disconnectBeforeShutdown(_ completion: @escaping () -> Void) {
        let isOpen = queue.isConnected || queue.isConnecting || connection.isReconnecting
        connection.preventReconnecting()
        queue.cancelConcurrentScans(.stopped)
        scheduler.fail(adapters.endRequests(), .stopped)
        guard isOpen, !restoration.isEnabled else {
            queue.cancelAll(.stopped)
            return completion()
        }
        log.connection.debug("main loop stopping: disconnecting")
        let target = connection.target
        _ = connection.cancelReconnecting()
        connection.replaceReconnection()
        let disconnect = DisconnectOperation(link, target) { _ in completion() }
        queue.cancelAll(.stopped, disconnecting: disconnect)
    }

    private func loopEnded() {
        // A loop that may run again keeps the instance.
        guard context.isDedicated else { return observers.notifyShutdown() }
        if restoration.isEnabled { link.lease?.release(disconnecting: .never) }
        shutDown(.stopped)
    }

    /// Ends everything except the connection, and allows another start.
    ///
    /// - Returns: The connected peripheral.
    func detach() -> ConnectedPeripheral? {
        let handedOver = link.lease?.link.path.flatMap { path in
            link.peripheral.map { ConnectedPeripheral(devicePath: path.text, identifier: $0) }
        }
        // Removed first, so that late replies of bluetoothd or the closed bus cannot end these requests
        // twice.
        let requests = adapters.endRequests()
        connection.cancelAttempts()
        restoration.end()
        let actions = queue.stop()
        let notifications = stopFollowing()
        connection.release(disconnecting: .never)
        connection.discardDeferredDisconnections()
        observers.removeConnectionObservers()
        // Notify first, because a completion may start the instance again.
        adapters.notify(notifications)
        queue.finishStop(actions)
        scheduler.fail(requests, .stopped)
        return handedOver
    }

    /// Ends everything; each pending completion receives `error`.
    func shutDown(_ error: BluejayError) {
        connection.silence()
        writes.onReady = nil
        restoration.end()
        let completions = scheduler.stop()
        listens.endAll(error, mayReconnect: false)
        queue.failAll(error)
        for completion in completions { completion() }
        for fail in adapters.endRequests() { fail(error) }
        writes.resumeWaiters()
        followWrites()
        scheduler.release()
        listens.removeAll()
        connection.release()
        queue.reset()
        // Another thread may release the last reference to the instance, and must not release state of the
        // loop.
        stopFollowing()
    }

    @discardableResult
    private func stopFollowing() -> [AdapterNotification] {
        let notifications = adapters.stop()
        pairing.follow()
        shutdownHook = nil
        state.publish(queue.status)
        observers.notifyShutdown()
        return notifications
    }
}
