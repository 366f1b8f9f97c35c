internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// What of a server any thread may read.
struct ServerState: Swift.Sendable {
    var hasStarted = false
    var bluetoothState: BluetoothState = .unknown
    var isAdvertising = false
    var connectedDevices: [PeripheralIdentifier] = []
    var centrals: [PeripheralIdentifier] = []
    var addressing = NotificationAddressing.all
    var refusedRequestCount = 0
    var canSetTxPower = false
}

/// Follows bluetoothd for a `GATTServer` and keeps its services and its advertisement registered.
// It is used on the server's main loop only, but for `shown`.
final class ServerRunner: @unchecked Swift.Sendable {
    typealias Completion = (Result<Void, any Error>) -> Void

    let onStateChange = LoopProperty<((BluetoothState) -> Void)?>(nil)
    let onConnectionChange = LoopProperty<((PeripheralIdentifier, Bool) -> Void)?>(nil)
    let onCentralChange = LoopProperty<((CentralChange) -> Void)?>(nil)
    let onServiceEnded = LoopProperty<((LocalService, BluejayError) -> Void)?>(nil)
    let onAdvertisingEnded = LoopProperty<((BluejayError?) -> Void)?>(nil)
    /// Who is asked while centrals pair.
    let pairing = ServerPairing()

    /// The state for any thread; what is set here is seen by the callbacks that tell of it.
    let shown = Snapshot(ServerState())
    /// What the user was told last.
    private(set) var bluetoothState: BluetoothState = .unknown {
        didSet { shown.value.bluetoothState = bluetoothState }
    }
    private(set) var services: [ServicePublication] = []
    let advertising = AdvertisingRunner()

    private let makeEngine: () -> BlueZEngine
    private let choice: AdapterChoice
    /// Nil before the start and after the stop.
    private(set) var tracker: AdapterTracker? {
        didSet { shown.value.hasStarted = tracker != nil }
    }
    /// The calls of `stop` that are under way; nil when there is none.
    private var stops: [() -> Void]?
    private var startsAgain = false
    var client: BlueZClient? { tracker?.engine.client }
    private var hub: ExportHub?
    private(set) var centrals: Centrals?
    /// What of the centrals is still to be told.
    var centralChanges: [Centrals.Change] = []
    var isTellingCentrals = false
    let requests = CentralRequests()
    private var observation: Observation?
    /// With a number of its own, to tell the servers of a program apart.
    let log = Log(
        "bluejay.server",
        to: nil,
        ["server": String(UUID().uuidString.prefix(8))]
    )

    init(choice: AdapterChoice, makeEngine: @escaping () -> BlueZEngine) {
        self.choice = choice
        self.makeEngine = makeEngine
        requests.onRefused = { [shown] in shown.value.refusedRequestCount = $0 }
        advertising.server = self
    }

    /// Whether something may be published: what is added while all is taken back would stay behind.
    var takesMore: Bool { tracker != nil && stops == nil }

    /// What the adapter in use can do for advertisements.
    var advertisingFacts: LEAdvertisingManager1.Facts? {
        guard let client, let adapter = tracker?.chosenAdapter else { return nil }
        return LEAdvertisingManager1.facts(of: adapter, in: client.objects)
    }

    var canSetTxPower: Bool { advertisingFacts?.canSetTxPower ?? false }

    /// Shows other threads what the adapter can do.
    private func showFacts() {
        let can = canSetTxPower
        if shown.value.canSetTxPower != can { shown.value.canSetTxPower = can }
    }

    func begin() {
        guard stops == nil else { return startsAgain = true }
        guard tracker == nil else { return }
        log.debug("starts")
        let engine = makeEngine()
        let client = engine.client
        hub = ExportHub.shared(by: client)
        followCentrals(of: engine)
        pairing.begin(client)
        // Precedes the tracker's observation: publications lose an absent adapter before the next one is used.
        observation = client.observe { [weak self] in self?.receive($0) }
        let tracker = AdapterTracker(engine, choice: choice)
        self.tracker = tracker
        tracker.onChange = { [weak self] in self?.perform($0) }
        pin()
        tracker.reportState()
        showFacts()
    }

    /// Takes everything back, and then ends.
    func stop(completion: @escaping () -> Void) {
        startsAgain = false
        if stops != nil {
            stops?.append(completion)
            return
        }
        stops = [completion]
        log.debug("stops")
        let countdown = Countdown { self.stopped() }
        advertising.stopAll(countdown)
        for service in services {
            countdown.await { done in service.publication.withdraw(completion: done) }
        }
        countdown.start()
    }

    private func stopped() {
        end()
        let completions = stops ?? []
        let isWantedAgain = startsAgain
        stops = nil
        startsAgain = false
        for completion in completions { completion() }
        if isWantedAgain { begin() }
    }

    private func end() {
        observation = nil
        centrals?.update(at: nil)
        tracker?.onChange = nil
        hub = nil
        centrals = nil
        pairing.end()
        tracker = nil
        showFacts()
        bluetoothState = .unknown
    }

    /// Withdraws everything without waiting, when the server is released.
    func shutDown() {
        onStateChange.replace(with: nil)
        onConnectionChange.replace(with: nil)
        onCentralChange.replace(with: nil)
        for service in services { service.publication.shutDown() }
        advertising.shutDown()
        end()
    }

    // MARK: Services

    func add(_ service: LocalService, completion: @escaping Completion) {
        let completion = named(completion, .addService, ServiceIdentifier(uuid: service.uuid))
        do {
            try ServiceRules.check(service)
            try checkNotAdded(service)
        } catch {
            return completion(.failure(error))
        }
        guard let client, let hub, let centrals, takesMore else {
            return completion(.failure(BluejayError.bluetoothUnavailable(.unknown)))
        }
        let published = ServicePublication(
            service,
            client: client,
            hub: hub,
            centrals: centrals,
            requests: requests,
            log: log
        )
        let publication = published.publication
        service.publication = published
        services.append(published)
        tellAudience()
        publication.onForgotten = { [weak published] in published?.forget() }
        publication.onEnded = { [weak self] failure in
            guard let self, let failure else { return }
            log.warning(
                "bluetoothd does not take a service again",
                ["service": "\(service.uuid)", "reason": "\(failure)"]
            )
            let error = BluejayError(failure, bluetoothState)
            onServiceEnded.applied?(
                service,
                error.during(.addService, service: ServiceIdentifier(uuid: service.uuid))
            )
        }
        publication.onDisposed = { [weak self, weak published] in
            service.publication = nil
            published?.detach()
            self?.services.removeAll { $0 === published }
            self?.pin()
        }
        begin(publication, "service \(service.uuid)") { [weak self] result in
            let state = self?.bluetoothState ?? .unknown
            completion(result.mapError { BluejayError($0, state) })
        }
    }

    func remove(_ service: LocalService, completion: @escaping Completion) {
        let completion = named(completion, .removeService, ServiceIdentifier(uuid: service.uuid))
        guard let published = service.publication, services.contains(where: { $0 === published })
        else { return completion(.failure(BluejayError.notAdded(service.uuid))) }
        published.publication.withdraw { completion(.success(())) }
    }

    private func checkNotAdded(_ service: LocalService) throws {
        if service.isAdded { throw BluejayError.alreadyAdded(service.uuid) }
        var seen: Set<ObjectIdentifier> = []
        for characteristic in service.characteristics {
            let isNew = seen.insert(ObjectIdentifier(characteristic)).inserted
            guard isNew, characteristic.published == nil else {
                throw BluejayError.alreadyAdded(characteristic.uuid)
            }
        }
    }

    /// A completion whose error says what failed.
    private func named(
        _ completion: @escaping Completion,
        _ call: BluejayError.Call,
        _ service: ServiceIdentifier? = nil
    ) -> Completion {
        { result in
            completion(
                result.mapError { error in
                    (error as? BluejayError)?.during(call, service: service) ?? error
                }
            )
        }
    }

    func begin(
        _ publication: Publication,
        _ what: String,
        _ completion: @escaping (Result<Void, RegistrationFailure>) -> Void
    ) {
        pin()
        log.debug("is to be registered", ["what": what])
        publication.begin(at: tracker?.adapter, isKnown: tracker?.isKnown ?? false) {
            [weak self] result in
            self?.note(what, result)
            completion(result)
        }
    }

    private func note(_ what: String, _ result: Result<Void, RegistrationFailure>) {
        switch result {
        case .success: log.debug("is registered", ["what": what])
        case .failure(let failure):
            log.debug("is not registered", ["what": what, "reason": "\(failure)"])
        }
    }

    private var publications: [Publication] {
        services.map(\.publication) + advertising.publications
    }

    // MARK: The adapter

    private func followCentrals(of engine: BlueZEngine) {
        let centrals = Centrals(engine)
        centrals.onChange = { [weak self] in self?.centralsChanged($0) }
        self.centrals = centrals
    }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged: followAdapters()
        case .changed(let changes):
            centrals?.receive(changes)
            guard client?.state == .running else { return }
            if changes.contains(where: \.concernsAdapter) {
                followAdapters()
                tellAudience()
            }
            if changes.contains(where: \.concernsConnection) {
                centrals?.update(at: tracker?.chosenAdapter)
            }
            if changes.contains(where: \.concernsAdvertising) {
                showFacts()
                advertising.retry()
            }
        case .disconnectReason: break
        }
    }

    private func followAdapters() {
        guard let tracker, let client else { return }
        pin()
        for publication in publications {
            guard let adapter = publication.adapter else { continue }
            if client.objects.adapterState(adapter) == .absent { publication.lost() }
        }
        tracker.update()
        showFacts()
    }

    /// Keeps the adapter while something is registered there.
    func pin() {
        tracker?.pin(publications.contains(where: \.isInUse))
    }

    private func perform(_ action: AdapterSelector.Action) {
        switch action {
        case .release(let adapter, _):
            // Switched off it keeps what is registered, and tells of each link that it ends.
            if client?.objects.adapterState(adapter) ?? .absent == .absent {
                centrals?.update(at: nil)
            }
        case .use(let adapter):
            pairing.use(adapter)
            centrals?.update(at: tracker?.chosenAdapter)
            tellAudience()
            for publication in publications { publication.available(at: adapter) }
            advertising.retry()
        case .tell(let state):
            bluetoothState = state
            log.debug("Bluetooth", ["state": "\(state)"])
            if let tracker, tracker.isKnown, tracker.adapter == nil {
                for publication in publications { publication.unavailable() }
            }
            onStateChange.applied?(state)
        }
    }
}
