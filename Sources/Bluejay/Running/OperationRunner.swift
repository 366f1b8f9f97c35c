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
    let choice: AdapterChoice
    private(set) var bluetoothState = BluetoothState.unknown

    var queue = QueueStateMachine()
    var listens = ListenStateMachine<CharacteristicIdentifier>()
    /// The callbacks of the listens, by operation.
    var listeners: [QueueStateMachine.ID: (ListenEvent) -> Void] = [:]
    /// The characteristics that bluetoothd notifies us of, with their paths.
    var notifying: [CharacteristicIdentifier: ObjectPath] = [:]
    var connectionObservers = WeakObservers<any ConnectionObserver>()
    var serviceObservers = WeakObservers<any ServiceObserver>()
    var log: (String) -> Void = { _ in }

    private(set) var lease: LinkLease?
    /// The connected peripheral, until the observers have heard that it is gone.
    private(set) var peripheral: PeripheralIdentifier?
    /// The peripheral that is being connected to.
    var attempted: PeripheralIdentifier?

    /// What a disconnect would disconnect from.
    var target: PeripheralIdentifier? { peripheral ?? attempted }

    private var operations: [QueueStateMachine.ID: any QueuedOperation] = [:]
    private var nextID = 0
    private var actions: Deque<QueueStateMachine.Action> = []
    private var isPerforming = false
    private var observation: Observation?

    private let context: MainContext
    private let bus: BusAddress
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
        observation = engine.client.observe { [weak self] in self?.receive($0) }
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
        case .start(let id):
            operations[id]?.start(self) { [weak self] error in
                guard let self else { return }
                handle(queue.finished(id, error: error))
            }
        case .abort(let id): operations[id]?.abort(self)
        case .stopScan(let id): (operations[id] as? ScanOperation)?.stop()
        case .complete(let id, let error): operations.removeValue(forKey: id)?.complete(error)
        case .announceAvailability(let isAvailable):
            log("Bluetooth: \(bluetoothState)")
            for observer in connectionObservers.snapshot() {
                observer.bluetoothAvailable(isAvailable)
            }
        case .announceConnected:
            guard let peripheral else { return }
            log("connected to \(peripheral)")
            for observer in connectionObservers.snapshot() { observer.connected(to: peripheral) }
        case .announceDisconnected: announceDisconnected()
        }
    }

    private func announceDisconnected() {
        guard let gone = peripheral else { return }
        peripheral = nil
        log("disconnected from \(gone)")
        for observer in connectionObservers.snapshot() { observer.disconnected(from: gone) }
    }

    /// Ends everything; each pending completion gets `error`.
    func shutDown(_ error: BluejayError) {
        observation = nil
        lease?.onEnd = nil
        actions.removeAll()
        for (_, operation) in operations.sorted(by: { $0.key < $1.key }) {
            operation.abort(self)
            operation.complete(error)
        }
        operations = [:]
        listeners = [:]
        lease = nil
        // The last reference to the runner may go on another thread; what it holds of the loop must
        // not go with it.
        engine = nil
    }

    // MARK: The link

    /// The link came up.
    func took(_ lease: LinkLease, _ identifier: PeripheralIdentifier) {
        self.lease = lease
        peripheral = identifier
        lease.onEnd = { [weak self] in self?.lost($0) }
        lease.onServicesChanged = { [weak self] in self?.servicesChanged(gone: $0) }
    }

    /// The link is being cut because the user asked for it.
    func letGo() -> LinkLease? {
        let going = lease
        lease = nil
        endListens()
        return going
    }

    private func lost(_ end: LinkEnd) {
        log("link ended: \(end)")
        lease = nil
        endListens()
        handle(queue.connectionLost())
    }

    private func endListens() {
        notifying = [:]
        for id in listens.linkEnded() { listeners[id] = nil }
    }

    private func servicesChanged(gone: [String]) {
        forgetVanishedListens()
        guard let peripheral else { return }
        let invalidated = gone.map { ServiceIdentifier(uuid: $0) }
        log("services of \(peripheral) changed")
        for observer in serviceObservers.snapshot() {
            observer.didModifyServices(from: peripheral, invalidatedServices: invalidated)
        }
    }

    private func forgetVanishedListens() {
        guard let services = lease?.link.services else { return }
        let present = Set(services.flatMap { $0.characteristics.map(\.path) })
        for (key, path) in notifying where !present.contains(path) {
            notifying[key] = nil
            for id in listens.endRequested(key) { listeners[id] = nil }
        }
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

    private func updateBluetoothState() {
        guard let state = engine?.client.bluetoothState(choice, before: bluetoothState),
            state != bluetoothState
        else { return }
        bluetoothState = state
        switch state {
        case .unknown: break
        case .poweredOn: handle(queue.becameAvailable())
        default: handle(queue.becameUnavailable(state))
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
