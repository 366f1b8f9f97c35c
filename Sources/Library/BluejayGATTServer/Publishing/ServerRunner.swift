internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The state of a server that any thread may read.
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

struct ServerHandlers {
    let onStateChange = LoopProperty<((BluetoothState) -> Void)?>(nil)
    let onConnectionChange = LoopProperty<((PeripheralIdentifier, Bool) -> Void)?>(nil)
    let onCentralChange = LoopProperty<((CentralChange) -> Void)?>(nil)
    let onServiceEnded = LoopProperty<((LocalService, BluejayError) -> Void)?>(nil)
    let onAdvertisingEnded = LoopProperty<((BluejayError?) -> Void)?>(nil)
}

/// Follows bluetoothd for a `GATTServer` and keeps its services and its advertisement registered.
// Used on the server's main loop only, except for `shown` and `handlers`.
final class ServerRunner: @unchecked Swift.Sendable {
    let handlers = ServerHandlers()
    let pairing = ServerPairing()
    /// The state for any thread, updated before the callbacks that report it.
    let shown = Snapshot(ServerState())
    let adapter: ServerAdapter
    let publisher: ServicePublisher
    let advertising: AdvertisingRunner
    private let notifier: CentralNotifier
    private let makeEngine: () -> BlueZEngine
    /// The completions of pending calls of `stop`, or `nil`.
    private var stops: [() -> Void]?
    private var startsAgain = false
    private var observation: ObservationToken?
    /// Carries a random number that distinguishes the servers of a program.
    private let log = Log(
        "bluejay.server",
        to: nil,
        ["server": String(UUID().uuidString.prefix(8))]
    )

    init(choice: AdapterChoice, makeEngine: @escaping () -> BlueZEngine) {
        self.makeEngine = makeEngine
        adapter = ServerAdapter(choice, shown, log)
        publisher = ServicePublisher(adapter, shown, handlers, log)
        advertising = AdvertisingRunner(adapter, shown, log)
        notifier = CentralNotifier(shown, handlers, log)
        adapter.onChange = { [weak self] in self?.perform($0) }
        publisher.onChange = { [weak self] in self?.pin() }
        advertising.onChange = { [weak self] in self?.pin() }
        notifier.onChange = { [weak self] in
            self?.publisher.centralsChanged($0)
            self?.advertising.centralsChanged($0)
        }
    }

    func begin() {
        guard stops == nil else { return startsAgain = true }
        guard !adapter.hasStarted else { return }
        log.debug("server starting")
        let engine = makeEngine()
        let client = engine.client
        publisher.begin(ObjectExporter.shared(by: client), notifier.begin(engine))
        pairing.begin(client)
        // Precedes the tracker's observation: publications lose an absent adapter before the next one is used.
        observation = client.observe { [weak self] in self?.receive($0) }
        adapter.begin(engine)
        pin()
        adapter.reportState()
    }

    func stop(completion: @escaping () -> Void) {
        startsAgain = false
        if stops != nil {
            stops?.append(completion)
            return
        }
        stops = [completion]
        adapter.close()
        log.debug("server stopping")
        let countdown = CompletionGroup { self.stopped() }
        advertising.stopAll(countdown)
        publisher.withdrawAll(countdown)
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
        notifier.update(at: nil)
        adapter.endReports()
        publisher.end()
        notifier.end()
        pairing.end()
        adapter.end()
    }

    /// Withdraws everything without waiting, when the server is released.
    func shutDown() {
        handlers.onStateChange.replace(with: nil)
        handlers.onConnectionChange.replace(with: nil)
        handlers.onCentralChange.replace(with: nil)
        publisher.shutDown()
        advertising.shutDown()
        end()
    }

    // MARK: The adapter

    private var publications: [ObjectRegistration] {
        publisher.publications + advertising.publications
    }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged: followAdapters()
        case .changed(let changes):
            notifier.receive(changes)
            guard adapter.client?.state == .running else { return }
            if changes.contains(where: \.concernsAdapter) {
                followAdapters()
                publisher.updateAudience()
            }
            if changes.contains(where: \.concernsConnection) {
                notifier.update(at: adapter.chosen)
            }
            if changes.contains(where: \.concernsAdvertising) {
                adapter.showFacts()
                advertising.retry()
            }
        case .disconnectReason: break
        }
    }

    private func followAdapters() {
        guard adapter.hasStarted else { return }
        pin()
        for publication in publications {
            if let registered = publication.adapter, adapter.isAbsent(registered) {
                publication.lost()
            }
        }
        adapter.update()
    }

    private func pin() {
        adapter.pin(publications.contains(where: \.isInUse))
    }

    private func perform(_ action: AdapterSelector.Action) {
        switch action {
        case .release(let released, _):
            // An adapter that is off keeps its registrations, and reports each link that it ends.
            if adapter.isAbsent(released) { notifier.update(at: nil) }
        case .use(let used):
            pairing.use(used)
            notifier.update(at: adapter.chosen)
            publisher.updateAudience()
            for publication in publications { publication.available(at: used) }
            advertising.retry()
        case .tell(let state):
            if adapter.isUnusable {
                for publication in publications { publication.unavailable() }
            }
            handlers.onStateChange.applied?(state)
        }
    }
}
