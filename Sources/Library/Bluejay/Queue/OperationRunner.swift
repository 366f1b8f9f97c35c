internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables

/// Performs what the state machines decide; the only place that does.
final class OperationRunner {
    var queue = QueueStateMachine()
    var listens = ListenStateMachine<CharacteristicIdentifier>() {
        didSet {
            receivers.removeAll()
            state.touchPeripheral()
        }
    }
    var reconnecting = ReconnectStateMachine() { didSet { state.touch() } }
    /// The callbacks of the listens, by operation.
    var listeners: [QueueStateMachine.ID: Listener] = [:] {
        didSet { receivers.removeAll() }
    }
    /// Who has got a value since the listens changed, by the tokens of `notifications`.
    var receivers: [(token: Int, listener: Listener)] = []
    /// The characteristics whose values come.
    var notifications = Notifications()
    var broadcastsErrors = false
    let writes: WriteFlowControl

    let link: ConnectedLink
    /// Who is asked while it pairs.
    let pairing = PairingQuestions()
    /// Kept listens whose connection has just returned.
    var returning: [CharacteristicIdentifier] = []
    var reconnectTimer: ScheduledTimer?
    /// Ends of connections that are told when the background task is over.
    var endsAfterTask: [EndOfConnection] = []
    let cancelledCalls = CancelledCalls()
    /// What a background task waits for.
    var taskListens: [SynchronizedListen] = []
    let restoration: RestorationController
    let gate: CallGate
    /// What the user gave `cancelEverything` for the listeners.
    var givenListenError: (any Error)?
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

    /// By `QueueStateMachine.ID`.
    private(set) var operations = RisingTable<any QueuedOperation>()
    /// Operations that have begun and have not reported their end; there are few at a time.
    private var begun: [QueueStateMachine.ID] = []
    /// The highest number that has begun.
    private var lastBegun = 0
    private var limits = NumberTable<ScheduledTimer>()
    /// What the operations up to a number fail with, whatever the queue says of them.
    private var given: (any Error)?
    private var lastGiven = 0
    var lastNamed: NamedError?
    let readCalls = RecentCalls(.read)
    let writeCalls = RecentCalls(.write)
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
            let actions = queue.becameAvailable()
            // What an earlier run left comes before what the observers ask for.
            if restoration.isInProgress { restore() }
            handle(actions)
            perform(reconnecting.becameAvailable())
        default:
            handle(queue.becameUnavailable(bluetoothState))
            perform(reconnecting.becameUnavailable())
        }
    }

    /// Why another adapter cannot be used now; nil when it can.
    var refusalOfChoice: BluejayError? {
        let isUsed =
            !queue.isUnused || queue.isScanning || !reconnecting.isIdle || target != nil
            || !endsAfterTask.isEmpty
        guard isUsed else { return nil }
        return .inUse("adapter \(adapters.chosenAdapter?.name ?? "")")
    }

    // MARK: Operations

    /// Takes an operation into the queue.
    @discardableResult
    func enqueue(_ operation: any QueuedOperation) -> QueueStateMachine.ID {
        let id = add(operation)
        handle(queue.enqueue(id, operation.kind))
        return id
    }

    /// Takes an operation in without asking the queue yet.
    func add(_ operation: any QueuedOperation) -> QueueStateMachine.ID {
        let id = scheduler.makeID()
        operations.append(id, operation)
        if log.queue.isTracing { traceAdded(id, operation) }
        return id
    }

    /// Fails every operation there is with `error`, whatever the queue says of them.
    func give(_ error: any Error) {
        given = error
        lastGiven = scheduler.lastID
    }

    /// Performs actions behind those that wait already.
    func handle(_ new: [QueueStateMachine.Action]) { scheduler.perform(new) }

    private func followSteps() {
        scheduler.handlers = StepScheduler.Handlers(
            perform: { [weak self] in self?.perform($0) },
            finish: { [weak self] id, error in
                guard let self else { return }
                handle(queue.finished(id, error: error))
            },
            willProcess: { [weak self] in self?.state.publish() },
            didSettle: { [weak self] in
                self?.pin()
                self?.state.publish()
            }
        )
    }

    private func perform(_ action: QueueStateMachine.Action) {
        if log.queue.isTracing { trace(action) }
        switch action {
        case .start(let id): start(id)
        case .abort(let id):
            operations[id]?.abort(self)
            // Nothing was asked for: there is no answer to wait for.
            if !begun.contains(id) { handle(queue.finished(id)) }
        case .attemptBegan(let id): attemptBegan(id)
        case .interrupt(let id): operations[id]?.interrupt(self)
        case .stopScan(let id): operations[id]?.stop()
        case .complete(let id, let error): complete(id, error)
        case .announceAvailability(let isAvailable):
            log.connection.debug("Bluetooth", ["state": "\(adapters.bluetoothState)"])
            observers.notifyConnection { $0.bluetoothAvailable(isAvailable) }
        case .announceConnected: announceConnected()
        case .announceDisconnected(let end): announce(end)
        case .endListens(let error, let mayReturn):
            endListens(givenListenError ?? error, mayReturn: mayReturn)
            givenListenError = nil
        case .reconnectInterrupted: reconnecting.interrupted()
        case .reconnectYielded: reconnecting.yielded()
        case .idle: perform(reconnecting.becameIdle())
        }
    }

    private func complete(_ id: QueueStateMachine.ID, _ error: BluejayError?) {
        if id <= lastBegun { limits.removeValue(forKey: id) }
        guard let operation = operations.removeValue(forKey: id) else { return }
        // An aborted scan reports nothing any more.
        if operation.kind.isScan { hasEnded(id) }
        if operation.kind.makesLink { handle(queue.attemptEnded(id, error)) }
        guard let error else { return operation.complete(nil) }
        let own = id <= lastGiven ? given : nil
        if lastGiven > 0, operations.isEmpty { (given, lastGiven) = (nil, 0) }
        operation.complete(own ?? named(error, operation))
    }

    private func hasEnded(_ id: QueueStateMachine.ID) {
        if let place = begun.firstIndex(of: id) { begun.remove(at: place) }
    }

    private func start(_ id: QueueStateMachine.ID) {
        guard let operation = operations[id] else { return }
        // What takes an attempt or a scan back was started.
        guard operation.kind == .characteristic, !cancelledCalls.isQuiet else {
            return begin(id, operation)
        }
        cancelledCalls.whenQuiet { [weak self] in
            guard let self, operations[id] === operation else { return }
            begin(id, operation)
        }
    }

    private func begin(_ id: QueueStateMachine.ID, _ operation: any QueuedOperation) {
        lastBegun = max(lastBegun, id)
        if let timeout = timeouts.duration(operation.timeout, for: operation.subject.call) {
            limits[id] = clock.schedule(after: timeout) { [weak self] in
                guard let self else { return }
                handle(queue.cancel(id, .operationTimedOut))
            }
        }
        if log.queue.isTracing { traceBegin(id, operation) }
        begun.append(id)
        operation.start(self) { [self] error in ended(id, error) }
    }

    private func ended(_ id: QueueStateMachine.ID, _ error: BluejayError?) {
        if log.queue.isTracing { traceDone(id, error) }
        hasEnded(id)
        guard scheduler.mayEnd(id) else { return scheduler.finish(id, error) }
        handle(queue.finished(id, error: error))
    }

    /// Ends everything; each pending completion gets `error`.
    func shutDown(_ error: BluejayError) {
        link.lease?.onEnd = nil
        reconnectTimer = nil
        writes.onReady = nil
        restoration.end()
        let answers = scheduler.stop()
        limits = NumberTable()
        endListens(error, mayReturn: false)
        let all = operations.sorted
        operations = RisingTable()
        for (_, operation) in all {
            operation.abort(self)
            operation.complete(named(error, operation))
        }
        for completion in answers { completion() }
        for fail in adapters.endRequests() { fail(error) }
        writes.resumeWaiters()
        followWrites()
        scheduler.release()
        begun = []
        listeners = [:]
        link.detach()
        changeSession { $0 = ConnectionSession() }
        queue = QueueStateMachine()
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
