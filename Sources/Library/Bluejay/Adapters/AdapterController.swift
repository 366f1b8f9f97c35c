internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib

/// Follows bluetoothd and its adapters for one instance, and completes requests about adapters.
final class AdapterController {
    /// Receives each new state of Bluetooth; set once, by the owner.
    var onStateChange: ((BluetoothState) -> Void)?

    let observers: AdapterObservers
    /// The bus of bluetoothd; only a handover changes it.
    private(set) var bus: BusAddress
    private(set) var bluetoothState = BluetoothState.unknown {
        didSet { statePublisher.setNeedsPublishing() }
    }

    /// `nil` before the start and after the stop.
    private var tracker: AdapterTracker? {
        didSet {
            statePublisher.setNeedsPublishing()
            isInUse = false
        }
    }
    private var choice: AdapterChoice
    /// The last argument of `tracker.pin`, cached because each operation compares it.
    private var isInUse = false
    private var observation: ObservationToken?
    private var stopCount = 0
    private let requests = AdapterRequests()
    private let scheduler: StepScheduler
    private let statePublisher: StatePublisher
    private let context: MainContext
    private let log: InstanceLog

    init(_ shared: InstanceContext, bus: BusAddress, choice: AdapterChoice) {
        self.bus = bus
        self.choice = choice
        context = shared.loop
        observers = AdapterObservers(shared.loop)
        scheduler = shared.scheduler
        statePublisher = shared.statePublisher
        log = shared.log
    }

    // MARK: State

    var hasStarted: Bool { tracker != nil }

    var engine: BlueZEngine? { tracker?.engine }

    /// The adapter to use, with its engine, or `nil` while no adapter is on.
    var radio: (engine: BlueZEngine, adapter: ObjectPath)? {
        guard let tracker, let adapter = tracker.adapter else { return nil }
        return (tracker.engine, adapter)
    }

    /// The error of a call that needs an adapter that is on.
    var unavailableError: BluejayError { .bluetoothUnavailable(bluetoothState) }

    /// The chosen adapter, on or off.
    var chosenAdapter: ObjectPath? { tracker?.chosenAdapter }

    var all: [BluetoothAdapter] { engine?.bluetoothAdapters ?? [] }

    /// The adapter that calls use, on or off.
    var inUse: BluetoothAdapter? { chosenAdapter.flatMap(adapter) }

    /// Whether the availability of Bluetooth is known.
    private var isKnown: Bool { tracker?.isAvailabilityKnown ?? false }

    private func adapter(_ path: ObjectPath) -> BluetoothAdapter? {
        all.first { $0.name == path.name }
    }

    // MARK: Following bluetoothd

    /// Uses the bus and the adapter of another library, before the start.
    func adopt(_ manager: CentralManager) {
        if let address = manager.busAddress { bus = .address(address) }
        if let path = manager.adapterPath, let name = path.split(separator: "/").last {
            choice = .named(String(name))
        }
    }

    /// Opens the bus and selects an adapter; `reportState` must follow.
    func start() {
        let engine = BlueZEngine.shared(on: context, address: bus)
        log.observers.follow(engine.client.logDispatcher)
        // Registered before the tracker's observation, because a pending selection precedes the tracker's
        // choice.
        observation = engine.client.observe(.adapters) { [weak self] in self?.receive($0) }
        let tracker = AdapterTracker(engine, choice: choice)
        self.tracker = tracker
        tracker.onChange = { [weak self] in self?.perform($0) }
    }

    /// Reports the known state right after the start.
    func reportState() {
        tracker?.reportState()
        follow()
    }

    /// Stops following bluetoothd, and returns the notifications for the adapter observers.
    func stop() -> [AdapterNotification] {
        observation = nil
        log.observers.follow(nil)
        tracker?.onChange = nil
        tracker = nil
        bluetoothState = .unknown
        stopCount += 1
        return observers.stop()
    }

    /// Keeps the adapter while the instance uses it or will return to it.
    func setInUse(_ isInUse: Bool) {
        guard isInUse != self.isInUse else { return }
        self.isInUse = isInUse
        tracker?.pin(isInUse)
        notify(changes())
    }

    /// Reads bluetoothd's state again, for a caller that cannot wait for its notification.
    func update() {
        guard let client = engine?.client else { return }
        if client.state != .connecting {
            // Requests that wait for Bluetooth start on the adapter selected before them.
            for selection in requests.drainSelections() { selection() }
        }
        tracker?.update()
        notify(changes())
    }

    /// Delivers notifications after those already queued.
    func notify(_ notifications: [AdapterNotification]) {
        for notification in notifications { scheduler.notify { notification.deliver() } }
    }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged: follow()
        case .changed(let changes):
            if changes.contains(where: \.concernsAdapter) { follow() }
        }
    }

    private func follow() {
        update()
        guard isKnown else { return }
        for query in requests.drainQueries() { query() }
    }

    /// Publishes the current adapters to all threads, and returns the changes.
    private func changes() -> [AdapterNotification] {
        guard isKnown || observers.areAdaptersKnown else { return [] }
        return observers.update(to: all, using: chosenAdapter?.name)
    }

    /// Notifies adapter observers before connection observers.
    private func perform(_ action: AdapterSelector.Action) {
        let previousCount = stopCount
        notify(changes())
        // An observer may stop the instance and start it again.
        guard stopCount == previousCount, case .report(let state) = action, state != bluetoothState
        else {
            return
        }
        bluetoothState = state
        onStateChange?(state)
    }

    // MARK: Errors

    /// The error of an operation that was ended by the adapter.
    var adapterOffError: BluejayError { error(.adapterOff) }

    /// The reason why a scan does not find a device that another adapter of this computer is connected to.
    func connectedElsewhere(_ addresses: [String]) -> String? {
        guard let radio else { return nil }
        let objects = radio.engine.client.objects
        let names = addresses.lazy.compactMap {
            objects.otherAdapter(connectedTo: $0.uppercased(), besides: radio.adapter)
        }
        return names.first.map {
            "\($0) of this computer is connected to it; disconnect it there, or use \($0)"
        }
    }

    /// The error of an operation that failed in bluetoothd or the adapter.
    func error(_ failure: BlueZFailure) -> BluejayError {
        switch failure {
        // Another observer may be notified first that the adapter was removed or bluetoothd ended.
        case .adapterOff, .daemonLost: update()
        default: break
        }
        return BluejayError(failure, state: bluetoothState)
    }

    private func error(_ failure: AdapterFailure, _ adapter: String) -> BluejayError {
        switch failure {
        case .blocked: return .bluetoothUnavailable(.blocked)
        case .busy:
            return .daemon(
                name: "org.bluez.Error.Busy",
                message: "another program is switching \(adapter); try again"
            )
        case .adapterRemoved: return .bluetoothUnavailable(.adapterNotFound(adapter))
        case .timedOut: return .operationTimedOut
        case .unknownDevice:
            return .daemon(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist")
        case .failed(let failure): return error(failure)
        }
    }

    // MARK: Requests

    var lastRequestID: Int { requests.lastID }

    /// Starts a request whose completion is called once, on a later iteration; returns the closure that ends
    /// it.
    func startRequest<Value>(
        _ completion: @escaping (Result<Value, BluejayError>) -> Void
    ) -> (Result<Value, BluejayError>) -> Void {
        let request = requests.start { completion(.failure($0)) }
        return { [weak self] result in
            guard let self, requests.end(request) != nil else { return }
            scheduler.completeOnNextIteration { completion(result) }
        }
    }

    /// Fails one request and discards its result; bluetoothd's call continues.
    func cancel(_ request: Int) {
        guard let fail = requests.end(request) else { return }
        scheduler.completeOnNextIteration { fail(.cancelled) }
    }

    /// Ends all requests, and returns the closures that fail them, in order.
    func endRequests() -> [(BluejayError) -> Void] { requests.removeAll() }

    /// Calls a closure now, or once the availability of Bluetooth is known.
    func whenKnown(_ query: @escaping () -> Void) {
        if isKnown { query() } else { requests.deferQuery(query) }
    }

    /// Finds an adapter by name or address; `nil` means the adapter in use.
    func find(_ name: String?) -> Result<ObjectPath, BluejayError> {
        guard let engine, engine.client.state == .running else {
            return .failure(.bluetoothUnavailable(bluetoothState))
        }
        let path = name.map { engine.adapter(named: $0) } ?? chosenAdapter
        guard let path else {
            return .failure(
                .bluetoothUnavailable(name.map { .adapterNotFound($0) } ?? bluetoothState)
            )
        }
        return .success(path)
    }

    /// Changes a property of the adapter `name`, or of the adapter in use; `finish` receives the changed
    /// adapter.
    func change(
        _ name: String?,
        _ finish: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void,
        _ change: @escaping (BlueZEngine, ObjectPath, @escaping (AdapterFailure?) -> Void) -> Void
    ) {
        whenKnown { [weak self] in
            guard let self else { return }
            switch find(name) {
            case .failure(let error): finish(.failure(error))
            case .success(let path):
                guard let engine else { return }
                change(engine, path) { [weak self] failure in
                    guard let self else { return }
                    finish(failure.map { .failure(error($0, path.name)) } ?? report(path))
                }
            }
        }
    }

    /// Removes a peripheral from bluetoothd; fails if the instance uses it.
    func forget(
        _ peripheral: PeripheralIdentifier,
        isInUse: Bool,
        _ finish: @escaping (Result<Void, BluejayError>) -> Void
    ) {
        if let rejection = peripheral.rejection { return finish(.failure(rejection)) }
        guard !isInUse else { return finish(.failure(.inUse("peripheral \(peripheral)"))) }
        switch find(nil) {
        case .failure(let error): finish(.failure(error))
        case .success(let path):
            guard let address = engine?.client.objects.address(of: peripheral, over: path) else {
                return finish(.failure(.peripheralNotFound(peripheral)))
            }
            engine?.links.forget(address, of: path) { [weak self] failure in
                guard let self else { return }
                switch failure {
                case nil: finish(.success(()))
                case .unknownDevice: finish(.failure(.peripheralNotFound(peripheral)))
                case let failure?:
                    finish(.failure(error(failure, path.name)))
                }
            }
        }
    }

    /// Selects the adapter for later calls.
    func use(
        _ choice: AdapterChoice,
        _ finish: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        guard let client = engine?.client else { return }
        guard client.state == .connecting else { return select(choice, finish) }
        requests.deferSelection { [weak self] in self?.select(choice, finish) }
    }

    private func select(
        _ choice: AdapterChoice,
        _ finish: (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        guard let tracker else { return }
        // Observers must not run inside the call; their notifications wait for this completion.
        scheduler.completeOnNextIteration {}
        switch tracker.choose(choice) {
        case .success(let path):
            self.choice = choice
            notify(changes())
            finish(report(path))
        case .failure(let failure): finish(.failure(.bluetoothUnavailable(failure.state)))
        }
    }

    private func report(_ path: ObjectPath) -> Result<BluetoothAdapter, BluejayError> {
        adapter(path).map { .success($0) }
            ?? .failure(.bluetoothUnavailable(.adapterNotFound(path.name)))
    }
}
