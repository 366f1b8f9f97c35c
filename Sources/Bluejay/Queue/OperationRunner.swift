internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
internal import DequeModule

/// Performs what the state machines decide; the only place that does.
///
/// Actions wait in a list of their own: a completion that calls back in adds to it, and is served when
/// its turn comes. Nothing recurses, and the state is settled before any callback runs.
final class OperationRunner {
    /// What performs on the bus; made at the start.
    private(set) var engine: BlueZEngine?
    var choice: AdapterChoice
    /// The bus; changed by a hand-over only.
    var bus: BusAddress
    var bluetoothState = BluetoothState.unknown

    var queue = QueueStateMachine()
    var listens = ListenStateMachine<CharacteristicIdentifier>()
    var reconnecting = ReconnectStateMachine()
    /// The callbacks of the listens, by operation.
    var listeners: [QueueStateMachine.ID: Listener] = [:]
    /// The characteristics whose values come.
    var notifications = Notifications()
    var connectionObservers = WeakObservers<any ConnectionObserver>()
    var serviceObservers = WeakObservers<any ServiceObserver>()
    var rssiObservers = WeakObservers<any RSSIObserver>()
    weak var disconnectHandler: (any DisconnectHandler)?
    var broadcastsErrors = false
    var log: (String) -> Void = { _ in }

    var lease: LinkLease?
    /// The connected peripheral, until the observers have heard that it is gone.
    var peripheral: PeripheralIdentifier?
    /// The peripheral that is being connected to.
    var attempted: PeripheralIdentifier?
    /// What a lost connection is made again to, with the time limit of the first.
    var lastConnection: (peripheral: PeripheralIdentifier, timeout: Timeout)?
    /// Kept listens whose connection has just returned.
    var returning: [CharacteristicIdentifier] = []
    var reconnectTimer: ScheduledTimer?
    /// Why the link went, for the handler.
    var linkError: BluejayError?
    /// Ends of connections that are told when the background task is over.
    var endsAfterTask: [EndOfConnection] = []
    var isRunningTask = false
    let cancelledCalls = CancelledCalls()
    /// What an earlier run left; nil without a restore identifier.
    var restoration: Restoration?
    /// What the user gave `cancelEverything` for the listeners.
    var givenListenError: (any Error)?
    var endObservers = WeakObservers<any EndObserver>()

    /// What a disconnect would disconnect from.
    var target: PeripheralIdentifier? {
        peripheral ?? attempted ?? (reconnecting.isPending ? lastConnection?.peripheral : nil)
    }

    private(set) var nextID = 0
    private(set) var operations: [QueueStateMachine.ID: any QueuedOperation] = [:]
    private var limits: [QueueStateMachine.ID: ScheduledTimer] = [:]
    private var givenErrors: [QueueStateMachine.ID: any Error] = [:]
    private var actions: Deque<QueueStateMachine.Action> = []
    private var isPerforming = false
    private var observation: Observation?

    let context: MainContext
    let clock: any EventClock

    init(context: MainContext, bus: BusAddress, choice: AdapterChoice) {
        self.context = context
        self.bus = bus
        self.choice = choice
        clock = MainContextClock(on: context)
    }

    var hasStarted: Bool { engine != nil }

    /// Begins to follow bluetoothd.
    func begin() {
        let engine = BlueZEngine.shared(on: context, address: bus)
        self.engine = engine
        observation = engine.client.observe(.adapters) { [weak self] in self?.receive($0) }
        updateBluetoothState()
    }

    /// The adapter to use, with what performs on it; nil while there is none that is on.
    var radio: (engine: BlueZEngine, adapter: ObjectPath)? {
        guard let engine else { return nil }
        let objects = engine.client.objects
        guard let path = objects.adapter(choice), objects.adapterState(path) == .on else {
            return nil
        }
        return (engine, path)
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
        nextID += 1
        operations[nextID] = operation
        return nextID
    }

    /// Fails every operation there is with `error`, whatever the queue says of them.
    func give(_ error: any Error) {
        for id in operations.keys { givenErrors[id] = error }
    }

    /// Performs actions behind those that wait already.
    func handle(_ new: [QueueStateMachine.Action]) {
        actions.append(contentsOf: new)
        guard !isPerforming else { return }
        isPerforming = true
        while let action = actions.popFirst() { perform(action) }
        isPerforming = false
    }

    private func perform(_ action: QueueStateMachine.Action) {
        switch action {
        case .start(let id): start(id)
        case .abort(let id): operations[id]?.abort(self)
        case .stopScan(let id): (operations[id] as? ScanOperation)?.stop()
        case .complete(let id, let error):
            limits[id] = nil
            let given = givenErrors.removeValue(forKey: id)
            operations.removeValue(forKey: id)?.complete(error.map { given ?? $0 })
        case .announceAvailability(let isAvailable):
            log("Bluetooth: \(bluetoothState)")
            for observer in connectionObservers.snapshot() {
                observer.bluetoothAvailable(isAvailable)
            }
        case .announceConnected: announceConnected()
        case .announceDisconnected(let end): announce(end)
        case .endListens(let error, let mayReturn):
            endListens(givenListenError ?? error, mayReturn: mayReturn)
            givenListenError = nil
        case .reconnectInterrupted: reconnecting.interrupted()
        }
    }

    private func start(_ id: QueueStateMachine.ID) {
        guard let operation = operations[id] else { return }
        // What takes an attempt or a scan back was started.
        guard operation.kind == .characteristic else { return begin(id, operation) }
        cancelledCalls.whenQuiet { [weak self] in
            guard let self, operations[id] === operation else { return }
            begin(id, operation)
        }
    }

    private func begin(_ id: QueueStateMachine.ID, _ operation: any QueuedOperation) {
        if let timeout = operation.timeout {
            limits[id] = clock.schedule(after: timeout) { [weak self] in
                guard let self else { return }
                handle(queue.cancel(id, .operationTimedOut(operation.name)))
            }
        }
        operation.start(self) { [weak self] error in
            guard let self else { return }
            handle(queue.finished(id, error: error))
        }
    }

    /// Ends everything; each pending completion gets `error`.
    func shutDown(_ error: BluejayError) {
        lease?.onEnd = nil
        reconnectTimer = nil
        restoration?.remember(nil, [])
        restoration = nil
        actions.removeAll()
        limits = [:]
        endListens(error, mayReturn: false)
        let all = operations.sorted { $0.key < $1.key }
        operations = [:]
        for (_, operation) in all {
            operation.abort(self)
            operation.complete(error)
        }
        listeners = [:]
        lease = nil
        peripheral = nil
        queue = QueueStateMachine()
        // The last reference to the runner may go on another thread; what it holds of the loop must
        // not go with it.
        stopFollowing()
    }

    /// Ends the following of bluetoothd.
    func stopFollowing() {
        observation = nil
        engine = nil
        bluetoothState = .unknown
        let told = endObservers.snapshot()
        endObservers.removeAll()
        for observer in told { observer.hasEnded() }
    }

    // MARK: Bluetooth

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged: updateBluetoothState()
        case .changed(let changes):
            if changes.contains(where: \.isOfAdapter) { updateBluetoothState() }
        }
    }

    /// Asks again whether Bluetooth can be used.
    func updateBluetoothState() {
        guard let state = engine?.client.bluetoothState(choice, before: bluetoothState),
            state != bluetoothState
        else { return }
        bluetoothState = state
        switch state {
        case .unknown: break
        case .poweredOn:
            let actions = queue.becameAvailable()
            // What an earlier run left comes before what the observers ask for.
            if restoration?.isUnderWay == true { restore() }
            handle(actions)
            perform(reconnecting.becameAvailable())
        default:
            handle(queue.becameUnavailable(state))
            perform(reconnecting.becameUnavailable())
        }
    }
}

extension ObjectTree.Change {
    fileprivate var isOfAdapter: Bool {
        switch self {
        case .added(_, BlueZ.adapter), .removed(_, BlueZ.adapter),
            .changed(_, BlueZ.adapter, _, _):
            true
        default: false
        }
    }
}
