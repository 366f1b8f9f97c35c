public import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// The connection to one radio over the Nordic UART service: it connects, reconnects and reports its phase.
///
/// The executor of this actor is the loop of its host, so events of bluetoothd enter it in their order. All
/// handlers are called there, one after the other; to call the actor back, they start a task. Releasing the
/// last reference disconnects.
///
/// The state machine shares the engine with other users in the process: it scans while it is connected,
/// shares a link with them, and cuts the link only when no other user needs it.
public actor BLEStateMachine {
    /// The loop of the host.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    nonisolated let host: BluetoothHost
    nonisolated let settings: RadioSettings
    let observers = RadioObservers()
    let access: BluetoothAccess
    let waits: BluetoothWaits
    let link: RadioLink
    let writes: WriteRunner
    private let pairing: RadioPairing
    private let scanner: RadioScanner
    private let store: RadioStore
    private let log = Log("bluejay.pocketmesh", to: nil)

    private(set) var machine: PhaseStateMachine
    private let actions = ActionQueue<PhaseStateMachine.Action>()
    private var timer: ScheduledTimer?
    private(set) var callers: [Int: CheckedContinuation<AsyncStream<Data>, any Error>] = [:]
    private var disconnectCompletions: [() -> Void] = []
    private(set) var lastID = 0
    private var isActivated = false
    /// The number of shutdowns that wait for the end of a connection.
    private var shutdownCount = 0

    /// Creates a state machine, which does not use Bluetooth yet.
    ///
    /// Times are in seconds; a time of 0 or less expires at once.
    ///
    /// - Parameters:
    ///   - connectionTimeout: The limit until the link is up.
    ///   - serviceDiscoveryTimeout: The limit from the link to the subscription; a person may type a passkey
    ///     in this time.
    ///   - writeTimeout: The limit for each value, from the start of its write.
    ///   - autoReconnectDiscoveryTimeout: The `serviceDiscoveryTimeout` of a reconnection.
    ///   - writePacingDelay: The pause between the acknowledgement of a value and the next write.
    ///   - restoreIdentifier: The name under which the radio is saved for the next run, or `nil` to save
    ///     nothing. Two state machines with the same name at the same time overwrite each other's state.
    ///   - showPowerAlert: Without effect: no system prompts to switch Bluetooth on.
    ///   - host: The loop, the adapter and the bus.
    public init(
        connectionTimeout: TimeInterval = 10,
        serviceDiscoveryTimeout: TimeInterval = 40,
        writeTimeout: TimeInterval = 5,
        autoReconnectDiscoveryTimeout: TimeInterval = 15,
        writePacingDelay: TimeInterval = 0,
        restoreIdentifier: String? = "com.pocketmesh.ble.central",
        showPowerAlert: Bool = true,
        host: BluetoothHost = BluetoothHost()
    ) {
        self.init(
            RadioSettings(
                connectionTimeout: RadioSettings.duration(connectionTimeout),
                serviceDiscoveryTimeout: RadioSettings.duration(serviceDiscoveryTimeout),
                writeTimeout: RadioSettings.duration(writeTimeout),
                autoReconnectDiscoveryTimeout: RadioSettings.duration(
                    autoReconnectDiscoveryTimeout
                ),
                writePacingDelay: RadioSettings.duration(writePacingDelay),
                restoreIdentifier: restoreIdentifier
            ),
            host: host
        )
    }

    init(_ settings: RadioSettings, host: BluetoothHost) {
        self.settings = settings
        self.host = host
        machine = PhaseStateMachine(settings)
        access = BluetoothAccess(host)
        waits = BluetoothWaits(access, timeout: settings.connectionTimeout)
        pairing = RadioPairing(access)
        link = RadioLink(settings, access, pairing, log: log)
        writes = WriteRunner(settings, link, access)
        scanner = RadioScanner(access, log: log)
        store = RadioStore(settings, log: log)
    }

    isolated deinit {
        link.shutDown()
        observers.phases.finish()
    }

    // MARK: State

    /// The phase of the connection.
    public var currentPhase: BLEPhase { observers.currentPhase }
    /// Whether Bluetooth is usable; unknown before ``activate()`` or the first call that needs Bluetooth.
    public var bluetoothState: BluetoothState { access.state }

    /// The present phase and all following ones, in order; a reader that is 256 phases late loses the oldest.
    ///
    /// Each call returns a new stream for one reader. The stream ends with ``shutdown()`` and with
    /// the loop.
    public var phases: AsyncStream<BLEPhase> {
        let stream = BoundedStream<BLEPhase>(bufferingPolicy: .bufferingNewest(256))
        let loop = host.mainLoop
        followLoop()
        observers.phases.add(stream.continuation, first: currentPhase) { [weak self] id in
            loop.post { [weak self] in self?.assumeIsolated { $0.observers.phases.remove(id) } }
        }
        return stream.elements
    }

    /// Whether values can be sent and received.
    public var isConnected: Bool { observers.isConnected }

    /// Whether a lost connection is being re-established.
    public var isAutoReconnecting: Bool { machine.isReconnecting }

    /// The radio, while values can be sent and received.
    ///
    /// Pairing may replace the private address of a radio by its identity address; the identifier changes
    /// with it.
    public var connectedDeviceID: UUID? { isConnected ? currentPhase.deviceID : nil }

    /// The number of values lost because they were not read in time, over all connections.
    public var droppedValueCount: Int { link.droppedValueCount }

    /// Whether no call is pending, and no link, timer or value exists.
    var isIdle: Bool {
        callers.isEmpty && disconnectCompletions.isEmpty && timer == nil && link.isIdle
            && writes.isIdle && waits.isIdle
    }

    private func makeID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: Connections

    /// Connects to a radio.
    ///
    /// The phase must be ``BLEPhase/idle``, or the state machine must be reconnecting to the same radio; the
    /// call then takes over the reconnection. If bluetoothd does not know the radio, a scan looks for it.
    /// Cancelling the task cancels the attempt.
    ///
    /// - Parameter deviceID: The identifier, which contains the address: the `uuid` of a
    ///   `PeripheralIdentifier` of Bluejay, or an identifier from ``setDeviceDiscoveredHandler(_:)``.
    /// - Returns: The values of the radio, in order and without empty ones, until the connection ends; for
    ///   one reader. The stream keeps 512 unread values; ``droppedValueCount`` counts the discarded ones.
    /// - Throws: ``BLEError``, as in the table on the page of this product, or `CancellationError`.
    public func connect(to deviceID: UUID) async throws -> AsyncStream<Data> {
        guard deviceID.radioAddress != nil else { throw BLEError.deviceNotFound }
        try throwIfEnding()
        guard shutdownCount == 0 else { throw BLEError.connectionFailed("shutdown() was called") }
        start()
        let caller = makeID()
        return try await awaitCall(on: host.mainLoop) {
            callers[caller] = $0
            perform(
                machine.connect(caller, to: deviceID, isOn: access.isUsable, now: access.now)
            )
        } cancel: {
            $0.perform($0.machine.cancel(caller))
        }
    }

    /// Disconnects as ``disconnect()`` does, then connects to a radio.
    ///
    /// - Parameter deviceID: As in ``connect(to:)``.
    /// - Returns: As ``connect(to:)``.
    /// - Throws: As ``connect(to:)``; also if another caller connects between the two steps.
    public func switchDevice(to deviceID: UUID) async throws -> AsyncStream<Data> {
        await disconnect()
        try Task.checkCancellation()
        return try await connect(to: deviceID)
    }

    /// Ends the connection or the attempt, and any reconnection; returns when the link is down.
    ///
    /// No handler is called. The method may be called at any time and repeatedly.
    public func disconnect() async {
        await end(clearsState: true)
    }

    /// Starts to use Bluetooth, and restores the connection of an earlier run.
    ///
    /// A program that reconnects after a crash calls this method first. Otherwise it is optional, because the
    /// other calls start Bluetooth themselves. Repeated calls have no effect.
    public func activate() {
        guard !access.isEnding else { return }
        start()
        guard !isActivated else { return }
        isActivated = true
        guard let device = store.device, device.radioAddress != nil else { return }
        perform(machine.restore(device, isOn: access.isUsable, now: access.now))
    }

    /// Ends the connection and releases Bluetooth; the next run, or ``activate()`` in this one, still
    /// restores the radio that is connected now.
    public func shutdown() async {
        stopScanning()
        // A connection of another caller would wait forever for Bluetooth, which is released below.
        shutdownCount += 1
        defer { shutdownCount -= 1 }
        repeat { await end(clearsState: false) } while machine.attempt != nil
        waits.cancelCallers()
        observers.end()
        close()
    }

    /// Waits until Bluetooth is usable.
    ///
    /// The method waits for an unknown state as long as for a link, and for an adapter that is off for one
    /// second.
    ///
    /// - Throws: ``BLEError/bluetoothPoweredOff``, ``BLEError/bluetoothUnauthorized``,
    ///   ``BLEError/bluetoothUnavailable(_:)`` or `CancellationError`.
    public func waitForPoweredOn() async throws {
        try throwIfEnding()
        start()
        let waiter = makeID()
        try await awaitCall(on: host.mainLoop) {
            waits.wait(caller: waiter, $0)
        } cancel: {
            $0.waits.cancel(caller: waiter)
        }
    }

    private func throwIfEnding() throws {
        if access.isEnding { throw BLEError.bluetoothUnavailable(.unknown) }
    }

    private func end(clearsState: Bool) async {
        // The state of an earlier run ends, too.
        loadStore()
        await withCheckedContinuation { continuation in
            disconnectCompletions.append { continuation.resume() }
            perform(machine.disconnect(clearsState: clearsState))
        }
    }

    /// Returns the present identifier of a radio.
    func identity(of device: UUID) -> UUID { link.knownRadios.identity(of: device) }

    /// Whether the present connection or attempt is to a radio; true for `nil`.
    func matches(_ device: UUID?) -> Bool {
        guard let device, let present = machine.attempt?.device ?? machine.desiredDevice else {
            return true
        }
        return present == identity(of: device)
    }

    /// Disconnects because of `error`, and reports it to the disconnection handler.
    func failConnection(_ error: BLEError) {
        if let attempt = link.attempt { perform(machine.becameUnusable(attempt, error)) }
    }

    // MARK: Values

    /// Sends a value with response after all previous ones, and waits for the acknowledgement.
    ///
    /// One value is sent at a time. Cancelling the task withdraws a value that is not being sent yet.
    ///
    /// - Parameter data: Up to 512 bytes.
    /// - Throws: ``BLEError/notConnected``, ``BLEError/operationTimeout``, ``BLEError/writeError(_:)`` or
    ///   `CancellationError`. ``BLEError/pairingFailed(_:)`` and ``BLEError/pairingCancelled`` also end the
    ///   connection.
    public func send(_ data: Data) async throws {
        try await send(data, to: nil)
    }

    /// Sends a value as `send(_:)` does, but fails if another radio than `device` is connected.
    func send(_ data: Data, to device: UUID?) async throws {
        guard matches(device) else { throw BLEError.notConnected }
        guard data.count <= ATTLimits.maximumValueLength else {
            throw BLEError.writeError(
                "the value has \(data.count) bytes, the limit is \(ATTLimits.maximumValueLength)"
            )
        }
        let write = makeID()
        try await awaitCall(on: host.mainLoop) {
            writes.send(data, write, $0)
        } cancel: {
            $0.writes.cancel(write)
        }
    }

    // MARK: Scanning

    /// Scans for radios, also while connected, until ``stopScanning()``; the handler of
    /// ``setDeviceDiscoveredHandler(_:)`` receives them.
    ///
    /// While Bluetooth is unusable, the scan waits; it resumes by itself.
    public func startScanning() {
        guard !access.isEnding else { return }
        start()
        scanner.start()
        pin()
    }

    /// Stops the scan; the handler is not called afterwards.
    public func stopScanning() {
        scanner.stop()
        pin()
    }

    // MARK: Handlers

    /// Sets the handler for discovered radios; it receives the identifier, and the RSSI in dBm if known.
    ///
    /// The handler is called for each device that advertises the Nordic UART service, and again for each
    /// update of bluetoothd, such as an RSSI that differs by about 8 dB.
    public func setDeviceDiscoveredHandler(_ handler: @escaping @Sendable (UUID, Int?) -> Void) {
        observers.handlers.discovered = handler
    }

    /// Sets the handler for a connection that ended and is not re-established, with the reason.
    ///
    /// The reason is unusable Bluetooth, a missing pairing, or a reconnection that has failed for good. The
    /// handler is called once per loss, and never for ``disconnect()``.
    public func setDisconnectionHandler(
        _ handler: @escaping @Sendable (UUID, (any Error)?) -> Void
    ) {
        observers.handlers.disconnected = handler
    }

    /// Sets the handler for a re-established connection; it receives the stream of new values.
    public func setReconnectionHandler(
        _ handler: @escaping @Sendable (UUID, AsyncStream<Data>) -> Void
    ) {
        observers.handlers.reconnected = handler
    }

    /// Sets the handler for a lost connection that is being re-established; the protocol state of the old one
    /// is void.
    ///
    /// The handler is called once per loss. It is not called after Bluetooth was off, which the disconnection
    /// handler has reported.
    public func setAutoReconnectingHandler(_ handler: @escaping @Sendable (UUID) -> Void) {
        observers.handlers.reconnecting = handler
    }

    /// Sets the handler for each change of ``bluetoothState``.
    public func setBluetoothStateChangeHandler(
        _ handler: @escaping @Sendable (BluetoothState) -> Void
    ) {
        observers.handlers.stateChanged = handler
    }

    /// Sets the handler that is called each time Bluetooth becomes usable, before the state machine reacts.
    public func setBluetoothPoweredOnHandler(_ handler: @escaping @Sendable () -> Void) {
        observers.handlers.poweredOn = handler
    }

    /// Sets the source of the passkey, 0 to 999,999, that a radio shows or has; `nil` cancels the pairing.
    ///
    /// With a provider, the state machine pairs with an unpaired radio before it subscribes. The provider has
    /// 25 s to reply.
    public func setPasskeyProvider(_ provider: @escaping @Sendable (UUID) async -> UInt32?) {
        pairing.setProvider(provider)
        link.followPairing()
    }

    /// Sets the transport's closure, which receives the stream of a connection before any other observer,
    /// and the present stream at once.
    func observeStream(_ holder: @escaping (AsyncStream<Data>?) -> Void) {
        observers.onStream = holder
        holder(isConnected ? link.stream : nil)
    }

    /// Sets the manager's closures: for each phase, the present one at once, and for the shutdown.
    func observePhase(_ observer: @escaping (BLEPhase) -> Void, onEnd: @escaping () -> Void) {
        followLoop()
        observers.onPhase = observer
        observers.onEnd = onEnd
        observer(currentPhase)
    }

    // MARK: Reports

    /// Ends the streams with the loop, even those of a radio that is not used before.
    func followLoop() {
        access.followLoop { [weak self] completion in
            guard let self else { return completion() }
            let completion = UncheckedTransfer(completion)
            assumeIsolated { $0.loopEnds(completion.value) }
        } onEnded: { [weak self] in
            self?.assumeIsolated { $0.loopEnded() }
        }
        if access.isEnding { observers.close() } else { observers.phases.reopen() }
    }

    /// Starts to follow Bluetooth; later calls do nothing.
    private func start() {
        guard access.tracker == nil, !access.isEnding else { return }
        let tracker = access.open()
        access.onChange = { [weak self] action in
            guard case .report(let state) = action else { return }
            self?.assumeIsolated { $0.stateChanged(state) }
        }
        waits.onAttemptEnd = { [weak self] attempt, isUsable in
            self?.assumeIsolated { $0.waitEnded(attempt, isUsable: isUsable) }
        }
        followLoop()
        loadStore()
        link.onEvent = { [weak self] event in
            self?.assumeIsolated { $0.perform(event(&$0.machine, $0.access.now)) }
        }
        scanner.onDiscovered = { [weak self] device, rssi in
            self?.assumeIsolated { $0.observers.handlers.discovered?(device, rssi) }
        }
        link.followPairing()
        tracker.reportState()
    }

    private func loadStore() {
        if store.load() { machine.loadRemembered(store.device) }
    }

    private func stateChanged(_ state: BluetoothState) {
        observers.stateChanged(state)
        if state == .poweredOn {
            perform(machine.becameAvailable(now: access.now))
        } else {
            perform(machine.becameUnavailable(BLEError(state)))
        }
        scanner.update()
        pin()
    }

    private func waitEnded(_ attempt: PhaseStateMachine.AttemptID, isUsable: Bool) {
        perform(
            isUsable
                ? machine.bluetoothReady(attempt, now: access.now)
                : machine.bluetoothFailed(attempt, BLEError(access.state))
        )
    }

    /// Disconnects before the end of the loop; the next run restores the connection.
    private func loopEnds(_ completion: @escaping () -> Void) {
        disconnectCompletions.append(completion)
        perform(machine.disconnect(clearsState: false))
    }

    private func loopEnded() {
        // bluetoothd may not have answered in time.
        if let attempt = machine.attempt?.id { perform(machine.linkReleased(attempt)) }
        scanner.stop()
        waits.failCallers(.bluetoothUnavailable(.unknown))
        observers.close()
        close()
    }

    private func close() {
        pairing.end()
        waits.cancelAttempt()
        access.close()
        isActivated = false
    }

    // MARK: Actions

    private func perform(_ new: [PhaseStateMachine.Action]) {
        actions.perform(new) { perform($0) }
        pin()
    }

    // A connection, a reconnection and a scan stay on their adapter.
    private func pin() { access.tracker?.pin(machine.attempt != nil || scanner.isScanning) }

    private func perform(_ action: PhaseStateMachine.Action) {
        switch action {
        case .enter(let phase): enter(phase)
        case .awaitBluetooth(let attempt): waits.wait(attempt)
        case .stopAwaiting: waits.cancelAttempt()
        case .connect(let attempt, let device): link.connect(attempt, to: device)
        case .findService(let attempt): perform(machine.serviceFound(attempt, link.hasService))
        case .findCharacteristics(let attempt):
            perform(machine.characteristicsFound(attempt, link.findCharacteristics()))
        case .subscribe(let attempt): link.subscribe(attempt)
        case .openStream:
            link.open()
            writes.open()
            observers.onStream?(link.stream)
        case .closeStream:
            link.closeStream()
            observers.onStream?(nil)
            writes.close()
        case .releaseLink(let attempt): link.release(attempt)
        case .disconnect(let attempt): link.disconnect(attempt)
        case .setTimer(let instant): schedule(at: instant)
        case .pause(let failures):
            schedule(at: access.now + settings.backoff.delay(afterFailures: failures))
        case .complete(let caller, let outcome): complete(caller, outcome)
        case .reportReconnecting(let device): observers.handlers.reconnecting?(device)
        case .reportReconnected(let device):
            if let stream = link.stream { observers.handlers.reconnected?(device, stream) }
        case .reportDisconnected(let device, let error):
            observers.handlers.disconnected?(device, error)
        case .remember(let device): store.save(device)
        case .disconnected:
            let completions = disconnectCompletions
            disconnectCompletions = []
            for completion in completions { completion() }
        }
    }

    private func enter(_ phase: BLEPhase) {
        log.debug(
            "phase changed",
            ["phase": phase.name, "device": phase.deviceID?.uuidString ?? ""]
        )
        observers.enter(phase)
    }

    private func schedule(at instant: Duration?) {
        timer = access.schedule(at: instant) { [weak self] in
            self?.assumeIsolated { $0.perform($0.machine.timerFired(now: $0.access.now)) }
        }
    }

    private func complete(_ caller: Int, _ outcome: PhaseStateMachine.Outcome) {
        guard let continuation = callers.removeValue(forKey: caller) else { return }
        switch outcome {
        case .connected:
            guard let stream = link.stream else {
                return continuation.resume(throwing: BLEError.notConnected)
            }
            continuation.resume(returning: stream)
        case .failed(let error): continuation.resume(throwing: error)
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
    }
}
