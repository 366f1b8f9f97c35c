internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// The adapter of a server: follows it, keeps it while something is registered, and registers there.
final class ServerAdapter {
    /// Receives each change of the adapter and of the state of Bluetooth.
    var onChange: ((AdapterSelector.Action) -> Void)?
    /// The state that the user was notified of last.
    private(set) var bluetoothState: BluetoothState = .unknown {
        didSet { publicState.value.bluetoothState = bluetoothState }
    }
    /// Whether registrations may start; one that started while the server stops would never be withdrawn.
    private(set) var canPublish = false
    private let choice: AdapterChoice
    private let publicState: LockedValue<ServerState>
    private let log: Log
    /// `nil` before the start and after the stop.
    private var tracker: AdapterTracker? {
        didSet { publicState.value.hasStarted = tracker != nil }
    }

    init(_ choice: AdapterChoice, _ context: ServerContext) {
        self.choice = choice
        publicState = context.publicState
        log = context.log
    }

    // MARK: The server

    func start(_ engine: BlueZEngine) {
        let tracker = AdapterTracker(engine, choice: choice)
        self.tracker = tracker
        canPublish = true
        tracker.onChange = { [weak self] in self?.receive($0) }
    }

    /// Reports the state that is known at the start.
    func reportState() {
        tracker?.reportState()
        updateCapabilities()
    }

    func close() {
        canPublish = false
    }

    func endReports() {
        tracker?.onChange = nil
    }

    func end() {
        canPublish = false
        tracker = nil
        updateCapabilities()
        bluetoothState = .unknown
    }

    private func receive(_ action: AdapterSelector.Action) {
        if case .report(let state) = action {
            bluetoothState = state
            log.debug("Bluetooth state changed", ["state": "\(state)"])
        }
        onChange?(action)
    }

    // MARK: The adapter

    var hasStarted: Bool { tracker != nil }
    var client: BlueZClient? { tracker?.engine.client }
    /// The chosen adapter, on or off.
    var chosen: BlueZPath? { tracker?.chosenAdapter }
    /// The chosen adapter, if it is on.
    var usable: BlueZPath? { tracker?.adapter }
    /// Whether Bluetooth is known to have no usable adapter.
    var isUnusable: Bool { tracker.map { $0.isAvailabilityKnown && $0.adapter == nil } ?? false }

    func isAbsent(_ adapter: BlueZPath) -> Bool {
        client?.objects.adapterState(adapter) ?? .absent == .absent
    }

    var version: BlueZVersion? {
        guard let client, let chosen else { return nil }
        return client.objects.bluezVersion(ofAdapter: chosen)
    }

    func update() {
        tracker?.update()
        updateCapabilities()
    }

    func pin(_ isInUse: Bool) {
        tracker?.pin(isInUse)
    }

    // MARK: Advertisements

    var advertisingCapabilities: LEAdvertisingManager1.Capabilities? {
        guard let client, let chosen else { return nil }
        return LEAdvertisingManager1.capabilities(of: chosen, in: client.objects)
    }

    var canSetTxPower: Bool { advertisingCapabilities?.canSetTxPower ?? false }

    func updateCapabilities() {
        let can = canSetTxPower
        if publicState.value.canSetTxPower != can { publicState.value.canSetTxPower = can }
    }

    // MARK: Registering

    /// Registers objects, at once or when an adapter becomes available.
    ///
    /// - Parameters:
    ///   - registration: The registration of a service or an advertisement.
    ///   - what: Its description in the log.
    ///   - completion: Called once.
    func register(
        _ registration: ObjectRegistration,
        _ what: String,
        _ completion: @escaping (Result<Void, RegistrationFailure>) -> Void
    ) {
        log.debug("registration requested", ["what": what])
        registration.start(
            at: tracker?.adapter,
            isAvailabilityKnown: tracker?.isAvailabilityKnown ?? false
        ) {
            [weak self] result in
            self?.logResult(what, result)
            completion(result)
        }
    }

    private func logResult(_ what: String, _ result: Result<Void, RegistrationFailure>) {
        switch result {
        case .success: log.debug("registered", ["what": what])
        case .failure(let failure):
            log.debug("registration failed", ["what": what, "reason": "\(failure)"])
        }
    }
}
