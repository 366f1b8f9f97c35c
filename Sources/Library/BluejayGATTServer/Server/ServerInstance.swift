internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// Follows bluetoothd for a `GATTServer` and keeps its services and its advertisement registered.
// Used on the server's main loop only, except for `publicState` and `handlers`.
final class ServerInstance: @unchecked Swift.Sendable {
    let pairing = ServerPairing()
    let adapter: ServerAdapter
    let publisher: ServicePublisher
    let advertising: AdvertisementPublisher
    private let notifier: CentralNotifier
    private let context: MainContext
    private let makeEngine: () -> BlueZEngine
    /// The completions of pending calls of `stop`, or `nil`.
    private var stopCompletions: [() -> Void]?
    private var restartsAfterStop = false
    private var observation: ObservationToken?
    private var shutdownHook: ShutdownHook?
    private let shared: ServerContext

    init(
        on context: MainContext,
        choice: AdapterChoice,
        makeEngine: @escaping () -> BlueZEngine
    ) {
        self.context = context
        self.makeEngine = makeEngine
        // The random number distinguishes the servers of a program.
        let number = String(UUID().uuidString.prefix(8))
        shared = ServerContext(log: Log("bluejay.server", to: nil, ["server": number]))
        adapter = ServerAdapter(choice, shared)
        publisher = ServicePublisher(adapter, shared)
        advertising = AdvertisementPublisher(adapter, shared)
        notifier = CentralNotifier(shared)
        adapter.onChange = { [weak self] in self?.perform($0) }
        publisher.onChange = { [weak self] in self?.pin() }
        advertising.onChange = { [weak self] in self?.pin() }
        notifier.onChange = { [weak self] in
            self?.publisher.centralsChanged($0)
            self?.advertising.centralsChanged($0)
        }
    }

    var handlers: ServerHandlers { shared.handlers }
    var publicState: LockedValue<ServerState> { shared.publicState }
    var log: Log { shared.log }

    func start() {
        guard stopCompletions == nil else { return restartsAfterStop = true }
        guard !adapter.hasStarted else { return }
        guard !context.isEnding else { return }
        log.debug("server starting")
        let engine = makeEngine()
        let client = engine.client
        shutdownHook = context.addShutdownHook { [weak self] completion in
            guard let self else { return completion() }
            stop(completion: completion)
        } ended: { [weak self] in
            self?.endRegistrations()
        }
        publisher.start(ObjectExporter.shared(by: client), notifier.start(engine))
        pairing.start(client)
        // Precedes the tracker's observation: registrations lose an absent adapter before the next one is used.
        observation = client.observe { [weak self] in self?.receive($0) }
        adapter.start(engine)
        pin()
        adapter.reportState()
    }

    func stop(completion: @escaping () -> Void) {
        restartsAfterStop = false
        if stopCompletions != nil {
            stopCompletions?.append(completion)
            return
        }
        stopCompletions = [completion]
        adapter.close()
        log.debug("server stopping")
        let group = CompletionGroup { self.stopped() }
        advertising.stopAll(group)
        publisher.withdrawAll(group)
        group.start()
    }

    private func stopped() {
        end()
        let completions = stopCompletions ?? []
        let shouldRestart = restartsAfterStop
        stopCompletions = nil
        restartsAfterStop = false
        for completion in completions { completion() }
        if shouldRestart { start() }
    }

    /// Completes a stop that waits for bluetoothd.
    private func endRegistrations() {
        for registration in registrations { registration.shutDown() }
    }

    private func end() {
        observation = nil
        shutdownHook = nil
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

    private var registrations: [ObjectRegistration] {
        publisher.registrations + advertising.registrations
    }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged: followAdapters()
        case .changed(let changes):
            notifier.receive(changes)
            guard adapter.client?.state == .running else { return }
            if changes.contains(where: \.concernsAdapter) {
                followAdapters()
                publisher.updateEligibleCentrals()
            }
            if changes.contains(where: \.concernsConnection) {
                notifier.update(at: adapter.chosen)
            }
            if changes.contains(where: \.concernsAdvertising) {
                adapter.updateCapabilities()
                advertising.retry()
            }
        case .disconnectReason: break
        }
    }

    private func followAdapters() {
        guard adapter.hasStarted else { return }
        pin()
        let lost = registrations.filter { $0.adapter.map(adapter.isAbsent) ?? false }
        for registration in lost { registration.lost() }
        adapter.update()
        // The adapter may have been replaced when it was switched off, before it was removed.
        guard let usable = adapter.usable else { return }
        for registration in lost { registration.available(at: usable) }
    }

    private func pin() {
        adapter.pin(registrations.contains(where: \.isInUse))
    }

    private func perform(_ action: AdapterSelector.Action) {
        switch action {
        case .release(let released, _):
            // An adapter that is off keeps its registrations, and reports each link that it ends.
            if adapter.isAbsent(released) { notifier.update(at: nil) }
        case .use(let used):
            pairing.use(used)
            notifier.update(at: adapter.chosen)
            publisher.updateEligibleCentrals()
            for registration in registrations { registration.available(at: used) }
            advertising.retry()
        case .report(let state):
            if adapter.isUnusable {
                for registration in registrations { registration.unavailable() }
            }
            handlers.onStateChange.applied?(state)
        }
    }
}
