internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables

/// Performs what the state machines decide; the only place that does.
final class OperationRunner {
    let queue: QueueRunner
    let listens: ListenRegistry
    var reconnecting = ReconnectStateMachine() { didSet { state.touch() } }
    let writes: WriteFlowControl

    let link: ConnectedLink
    /// Who is asked while it pairs.
    let pairing = PairingQuestions()
    var reconnectTimer: ScheduledTimer?
    /// Ends of connections that are told when the background task is over.
    var endsAfterTask: [EndOfConnection] = []
    let restoration: RestorationController
    let gate: CallGate
    let adapters: AdapterController

    /// What a disconnect would disconnect from.
    var target: PeripheralIdentifier? {
        link.subject ?? (reconnecting.isPending ? link.session.last : nil)
    }

    /// Changes the session, and whom pairing asks for.
    @discardableResult
    func changeSession<Result>(_ change: (inout ConnectionSession) -> Result) -> Result {
        let old = link.session
        let result = link.change(change)
        if link.session != old { followPairing() }
        return result
    }

    let state = StatePublisher()
    let observers = ObserverRegistry()
    let timeouts = CallTimeouts()
    private var closer: LoopCloser?

    let scheduler: StepScheduler

    let context: MainContext
    let clock: any EventClock
    let log: InstanceLog

    init(
        context: MainContext,
        bus: BusAddress,
        choice: AdapterChoice,
        log: InstanceLog = InstanceLog(LogObservers())
    ) {
        self.context = context
        self.log = log
        clock = context.makeClock()
        scheduler = StepScheduler(context: context)
        adapters = AdapterController(bus: bus, choice: choice, on: context, scheduler, state, log)
        restoration = RestorationController(state, log)
        link = ConnectedLink(adapters, state)
        queue = QueueRunner(scheduler, timeouts, link, clock: clock, log: log.queue)
        listens = ListenRegistry(
            queue,
            link,
            restoration,
            scheduler,
            state,
            clock: clock,
            log: log
        )
        gate = CallGate(adapters, restoration)
        writes = WriteFlowControl(clock: clock)
        readState()
        followSteps()
        followWrites()
        adapters.onStateChange = { [weak self] in self?.became($0) }
    }

    /// Begins to follow bluetoothd.
    func begin() {
        adapters.start()
        closer = context.onEnd { [weak self] done in
            guard let self else { return done() }
            close(done)
        }
        adapters.reportState()
        followPairing()
        state.publish()
    }

    // While something of this instance is on an adapter, or is to return to it, it stays with it.
    private func pin() {
        adapters.setInUse(
            link.lease != nil || reconnecting.isPending || queue.isConnecting || queue.isScanning
        )
    }

    private func became(_ bluetoothState: BluetoothState) {
        state.publish()
        switch bluetoothState {
        case .unknown: break
        case .poweredOn:
            // What an earlier run left comes before what the observers ask for.
            queue.becameAvailable { if restoration.isInProgress { restore() } }
            perform(reconnecting.becameAvailable())
        default:
            queue.becameUnavailable(bluetoothState)
            perform(reconnecting.becameUnavailable())
        }
    }

    /// Why another adapter cannot be used now; nil when it can.
    var refusalOfChoice: BluejayError? {
        let isUsed =
            !queue.isUnused || !reconnecting.isIdle || target != nil
            || !endsAfterTask.isEmpty
        guard isUsed else { return nil }
        return .inUse("adapter \(adapters.chosenAdapter?.name ?? "")")
    }

    private func followSteps() {
        scheduler.handlers = StepScheduler.Handlers(
            perform: { [weak queue] in queue?.perform($0) },
            finish: { [weak queue] in queue?.finish($0, $1) },
            willProcess: { [weak state] in state?.publish() },
            didSettle: { [weak self] in
                self?.pin()
                self?.state.publish()
            }
        )
        queue.onEvent = { [weak self] in self?.perform($0) }
    }

    private func perform(_ event: QueueEvent) {
        switch event {
        case .availabilityChanged(let isAvailable):
            log.connection.debug("Bluetooth", ["state": "\(adapters.bluetoothState)"])
            observers.notifyConnection { $0.bluetoothAvailable(isAvailable) }
        case .connected: announceConnected()
        case .disconnected(let end): announce(end)
        case .endListens(let error, let mayReturn):
            listens.connectionEnds(error, mayReturn: mayReturn)
        case .reconnectInterrupted: reconnecting.interrupted()
        case .reconnectYielded: reconnecting.yielded()
        case .idle: perform(reconnecting.becameIdle())
        }
    }

    /// Ends everything; each pending completion gets `error`.
    func shutDown(_ error: BluejayError) {
        link.lease?.onEnd = nil
        reconnectTimer = nil
        writes.onReady = nil
        restoration.end()
        let answers = scheduler.stop()
        listens.endAll(error, mayReturn: false)
        queue.failAll(error)
        for completion in answers { completion() }
        for fail in adapters.endRequests() { fail(error) }
        writes.resumeWaiters()
        followWrites()
        scheduler.release()
        listens.removeAll()
        link.detach()
        changeSession { $0 = ConnectionSession() }
        queue.reset()
        // The last reference to the runner may go on another thread; what it holds of the loop must
        // not go with it.
        stopFollowing()
    }

    /// Ends the following of bluetoothd.
    ///
    /// - Returns: The notifications of the adapter observers.
    @discardableResult
    func stopFollowing() -> [AdapterNotification] {
        let notifications = adapters.stop()
        followPairing()
        closer = nil
        state.publish()
        observers.notifyEnd()
        return notifications
    }
}
