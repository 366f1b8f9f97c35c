internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The central side of a system: its connections, their number, and discovery.
///
/// The actor runs on the loop of the host, where the engine calls back.
actor LocalCentralActor {
    nonisolated let host: BluetoothHost
    nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    /// The time between two searches for links without actors.
    private static let sweepInterval = Duration.seconds(60)

    private let configuration: BleuConfiguration
    private let isServing: @Sendable (UUID) -> Bool
    private let access: BluetoothAccess
    private lazy var tracker = makeTracker()
    private lazy var places = LinkPlaces(
        tracker.engine.links,
        count: configuration.maximumConnections
    )
    private var connections: [UUID: PeripheralConnection] = [:]
    private var scans: [UUID: PeripheralScan] = [:]
    private var sweepTimer: ScheduledTimer?
    private var isShutDown = false
    /// Whether the loop has stopped, possibly before its first use here.
    private var isEnded: Bool { isShutDown || access.isEnding }

    /// Creates a central.
    ///
    /// - Parameters:
    ///   - configuration: Times, limits and protection.
    ///   - host: The loop, the adapter and the bus.
    ///   - isServing: Whether a device is a central of the same system, whose link stays; called on the loop.
    init(
        _ configuration: BleuConfiguration,
        _ host: BluetoothHost,
        isServing: @escaping @Sendable (UUID) -> Bool
    ) {
        self.configuration = configuration
        self.host = host
        self.isServing = isServing
        access = BluetoothAccess(host)
    }

    /// Calls `call` on the loop, from any thread.
    nonisolated func perform(_ call: @escaping @Sendable (isolated LocalCentralActor) -> Void) {
        host.mainLoop.callOrPost { self.assumeIsolated(call) }
    }

    /// Releases everything after the last use of the system.
    func shutDown() {
        close {}
        access.close()
    }

    /// Releases all links and ends all calls and streams; nothing can be started afterwards.
    private func close(_ completion: @escaping () -> Void) {
        guard !isShutDown else { return completion() }
        isShutDown = true
        sweepTimer = nil
        for scan in scans.values { scan.end(BleuError.bluetoothUnavailable) }
        scans = [:]
        let all = connections.values
        connections = [:]
        var count = all.count
        guard count > 0 else { return completion() }
        for connection in all {
            connection.close {
                count -= 1
                if count == 0 { completion() }
            }
        }
    }

    // MARK: Calls

    /// Queues a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - key: Names the call for `cancel`.
    ///   - id: The peripheral.
    ///   - proxy: The actor that is called; its link stays while it lives.
    ///   - completion: Called once, on the loop.
    func start(
        _ call: OutgoingCall,
        _ key: UUID,
        to id: UUID,
        proxy: WeakActor?,
        _ completion: @escaping (Result<CallReply, any Error>) -> Void
    ) {
        guard !isEnded else { return completion(.failure(BleuError.bluetoothUnavailable)) }
        guard let connection = connection(id) else {
            return completion(.failure(BleuError.peripheralNotFound(id)))
        }
        guard connection.isActive || hasRoom(for: 1) else {
            return completion(.failure(BleuError.quotaExceeded))
        }
        // Making room forgets connections without a link.
        connections[id] = connection
        connection.add(call, key, proxy: proxy, completion)
        failIfUnauthorized()
        usageChanged()
    }

    func cancel(_ key: UUID, to id: UUID) {
        connections[id]?.cancel(key)
    }

    // MARK: Connections

    /// Returns the peripherals without a link, or `nil` if their links would exceed the limit.
    func missing(of ids: Set<UUID>) -> [UUID]? {
        let missing = ids.filter { connections[$0]?.isActive != true }
        return hasRoom(for: missing.count) ? Array(missing) : nil
    }

    func isConnected(_ id: UUID) -> Bool { connections[id]?.presentState == .connected }

    /// Releases the link to a peripheral; `completion` is called once, in a later iteration of the loop.
    func disconnect(_ id: UUID, _ completion: @escaping () -> Void) {
        guard !isEnded else { return completion() }
        guard let connection = connections[id] else {
            return tracker.engine.client.clock.onNextIteration(completion)
        }
        connection.disconnect(completion)
        usageChanged()
    }

    /// Releases the link to a peripheral unless a call, a stream or another proxy needs it; `completion` is
    /// called as for ``disconnect(_:_:)``.
    func release(_ id: UUID, of proxies: [WeakActor], _ completion: @escaping () -> Void) {
        guard !isEnded else { return completion() }
        connections[id]?.remove(proxies)
        guard connections[id]?.isInUse != true else {
            return tracker.engine.client.clock.onNextIteration(completion)
        }
        disconnect(id, completion)
    }

    /// Adds a stream of the states of a link, which starts with the present one.
    func addStates(_ stream: StreamContinuation<ConnectionState>, of id: UUID) {
        guard let connection = connection(id) else {
            stream.yield(.disconnected)
            return stream.finish()
        }
        connection.streams.add(stream, first: connection.presentState) { [weak self] number in
            self?.perform { $0.connections[id]?.streams.remove(number) }
        }
    }

    private func connection(_ id: UUID) -> PeripheralConnection? {
        if let known = connections[id] { return known }
        guard !isEnded,
            let address = PeripheralIdentifier(uuid: id, name: nil).deviceAddress
        else { return nil }
        let connection = PeripheralConnection(
            id,
            address,
            over: tracker.adapter,
            in: places,
            configuration
        ) { [isServing] in
            isServing(id)
        }
        connections[id] = connection
        return connection
    }

    /// Whether the limit of links allows more of them, without those that no actor needs.
    private func hasRoom(for count: Int) -> Bool {
        func isFull() -> Bool {
            connections.values.count(where: \.isActive) + count > configuration.maximumConnections
        }
        if isFull() { releaseUnused() }
        return !isFull()
    }

    private func releaseUnused() {
        for (id, connection) in connections where !connection.isInUse {
            if connection.isActive { connection.disconnect {} }
            if connection.streams.isEmpty, !connection.hasUnprovenKeys { connections[id] = nil }
        }
    }

    private func usageChanged() {
        guard !isEnded else { return }
        let isUsed = connections.values.contains(where: \.isActive) || !scans.isEmpty
        tracker.pin(isUsed)
        guard isUsed, sweepTimer == nil else { return }
        sweepTimer = tracker.engine.client.clock.schedule(after: Self.sweepInterval) {
            [weak self] in
            self?.assumeIsolated { $0.sweep() }
        }
    }

    private func sweep() {
        sweepTimer = nil
        releaseUnused()
        usageChanged()
    }

    // MARK: Discovery

    /// Scans for peripherals with a service.
    ///
    /// - Parameters:
    ///   - key: Names the scan for `endScan`.
    ///   - service: The service.
    ///   - timeout: The longest time.
    ///   - completion: Called once, on the loop, with the peripherals in the order of their discovery.
    func scan(
        _ key: UUID,
        for service: UUID,
        within timeout: Duration,
        _ completion: @escaping (Result<[UUID], any Error>) -> Void
    ) {
        guard !isEnded else { return completion(.failure(BleuError.bluetoothUnavailable)) }
        let scan = PeripheralScan(for: service, with: tracker, within: timeout) {
            [weak self] result in
            self?.assumeIsolated { $0.endScan(key) }
            completion(result)
        }
        scans[key] = scan
        usageChanged()
        scan.start()
    }

    func endScan(_ key: UUID) {
        scans[key] = nil
        usageChanged()
    }

    // MARK: Bluetooth

    private func makeTracker() -> AdapterTracker {
        access.followLoop { [weak self] completion in
            guard let self else { return completion() }
            let completion = UncheckedTransfer(completion)
            assumeIsolated { $0.close(completion.value) }
        }
        access.onChange = { [weak self] _ in
            self?.assumeIsolated { $0.bluetoothChanged() }
        }
        return access.open()
    }

    private func bluetoothChanged() {
        for connection in connections.values { connection.use(tracker.adapter) }
        failIfUnauthorized()
        usageChanged()
    }

    private func failIfUnauthorized() {
        guard case .unauthorized = tracker.state else { return }
        for connection in connections.values { connection.fail(.unauthorized) }
    }
}
