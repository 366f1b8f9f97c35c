public import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// One radio over the Nordic UART service: connects, keeps and makes again the connection, and says at
/// every moment how far it is.
///
/// It is an actor whose executor is the loop of its host, so that what bluetoothd tells enters it in its
/// order. All handlers are called there, one after the other; they may call back in with a task of their
/// own. Whoever lets go of it lets go of the connection.
///
/// It is a user of the engine beside others: it scans while it is connected, shares a link with whoever
/// else in the process has one, and cuts it only when nobody else uses it.
public actor BLEStateMachine {
    /// The loop of its host.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    nonisolated let host: BluetoothHost
    nonisolated let settings: RadioSettings
    let observers = RadioObservers()
    let access: BluetoothAccess
    let link: RadioLink
    let writes: WriteRunner
    private let pairing: RadioPairing
    private let scanner: RadioScanner
    private let store: RadioStore
    private let log = Log("bluejay.pocketmesh", to: nil)

    private(set) var machine: PhaseStateMachine
    private let actions = ActionQueue<PhaseStateMachine.Action>()
    private var timer: ScheduledTimer?
    private var known = KnownRadios()
    private(set) var callers: [Int: CheckedContinuation<AsyncStream<Data>, any Error>] = [:]
    private var disconnecters: [() -> Void] = []
    private(set) var lastNumber = 0
    private var isActivated = false

    /// Makes one that has nothing and does nothing yet.
    ///
    /// Times are in seconds; one that is not above 0 is over at once.
    ///
    /// - Parameters:
    ///   - connectionTimeout: Until there is a link.
    ///   - serviceDiscoveryTimeout: From the link on until the radio has been asked to send what it has;
    ///     a person may be typing a number meanwhile.
    ///   - writeTimeout: For each value, from its turn on.
    ///   - autoReconnectDiscoveryTimeout: As `serviceDiscoveryTimeout`, for a connection that comes back by
    ///     itself.
    ///   - writePacingDelay: Between the answer to a value and the next one.
    ///   - restoreIdentifier: The name under which the radio is remembered for the next run; nil remembers
    ///     nothing. Two that use one name at the same time overwrite each other's.
    ///   - showPowerAlert: Without effect: no system asks people to switch Bluetooth on.
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
        machine = PhaseStateMachine(settings.phases)
        access = BluetoothAccess(host, timeout: settings.connectionTimeout)
        pairing = RadioPairing(access)
        link = RadioLink(settings, access, pairing, log: log)
        writes = WriteRunner(settings.writes, link, access)
        scanner = RadioScanner(access, log: log)
        store = RadioStore(settings, log: log)
    }

    isolated deinit {
        link.abandon()
        observers.finishReaders()
    }

    // MARK: How it stands

    /// How far the connection is.
    public var currentPhase: BLEPhase { observers.currentPhase }
    /// Whether Bluetooth can be used; unknown before ``activate()`` or the first call that wants it.
    public var bluetoothState: BluetoothState { access.state }

    /// The phase that it is in, and each one that follows, in order; of a reader that is 256 behind the
    /// oldest are lost.
    ///
    /// Each call gives a stream of its own, for one reader. It ends with ``shutdown()``.
    public var phases: AsyncStream<BLEPhase> {
        let stream = BoundedStream<BLEPhase>(keeping: .bufferingNewest(256))
        let loop = host.mainLoop
        observers.addReader(stream.continuation) { [weak self] number in
            loop.post { [weak self] in
                self?.assumeIsolated { $0.observers.removeReader(number) }
            }
        }
        return stream.elements
    }

    /// Whether values go both ways.
    public var isConnected: Bool { observers.isConnected }

    /// Whether a connection that was lost is being made again, up to its being there.
    public var isAutoReconnecting: Bool { machine.isReturning }

    /// The radio, while values go both ways.
    ///
    /// Pairing may replace the private address of a radio by its own; it has the identifier of that then.
    public var connectedDeviceID: UUID? { isConnected ? currentPhase.deviceID : nil }

    /// How many values were lost because nobody read them in time, over all connections.
    public var lostValueCount: Int { link.lostValueCount }

    /// Whether no call waits, and there is no link, timer or value.
    var isAtRest: Bool {
        callers.isEmpty && disconnecters.isEmpty && timer == nil && link.isIdle && writes.isIdle
            && access.isIdle
    }

    private func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Connections

    /// Connects to a radio; it has to be ``BLEPhase/idle``, or to be on its way back to this very radio,
    /// which the call then takes over.
    ///
    /// A radio that bluetoothd does not know is looked for by a scan. When the task is cancelled the
    /// attempt is taken back.
    ///
    /// - Parameter deviceID: The identifier, which holds the address: the `uuid` of a `PeripheralIdentifier`
    ///   of Bluejay, or one that ``setDeviceDiscoveredHandler(_:)`` told.
    /// - Returns: What the radio sends, in order and without empty values, until the connection ends; it is
    ///   for one reader. 512 wait for it, what comes then is counted by ``lostValueCount``.
    /// - Throws: ``BLEError``, as the page of this product has them in a table, or `CancellationError`.
    public func connect(to deviceID: UUID) async throws -> AsyncStream<Data> {
        guard deviceID.radioAddress != nil else { throw BLEError.deviceNotFound }
        start()
        let caller = makeNumber()
        let loop = host.mainLoop
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                callers[caller] = continuation
                perform(
                    machine.connect(
                        caller,
                        to: deviceID,
                        isOn: access.isUsable,
                        now: access.now
                    )
                )
            }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.cancel(caller: caller) }
        }
    }

    /// Ends what there is, as ``disconnect()`` does, and connects to a radio.
    ///
    /// - Parameter deviceID: As for ``connect(to:)``.
    /// - Returns: As ``connect(to:)``.
    /// - Throws: As ``connect(to:)``; also when somebody else connects between the two.
    public func switchDevice(to deviceID: UUID) async throws -> AsyncStream<Data> {
        await disconnect()
        try Task.checkCancellation()
        return try await connect(to: deviceID)
    }

    /// Ends the connection, whatever is under way of it, and every wish to come back; returns when the link
    /// is cut.
    ///
    /// No handler is called. It may be called at any time and as often as one likes.
    public func disconnect() async {
        await end(isForgotten: true)
    }

    /// Begins with Bluetooth, and goes on with what a former run was connected to.
    ///
    /// It is not needed before the other calls, which begin with Bluetooth themselves; a program that
    /// wants to come back after it was killed calls it first. It does nothing the second time.
    public func activate() {
        start()
        guard !isActivated else { return }
        isActivated = true
        guard let device = store.device, device.radioAddress != nil else { return }
        perform(machine.restore(device, isOn: access.isUsable, now: access.now))
    }

    /// Ends everything and lets go of Bluetooth; the next run, or ``activate()`` in this one, still goes on
    /// with the radio that is connected now.
    public func shutdown() async {
        stopScanning()
        await end(isForgotten: false)
        access.cancelCallers()
        observers.end()
        pairing.end()
        access.close()
        isActivated = false
    }

    /// Returns when Bluetooth can be used.
    ///
    /// What is not known yet is waited for as long as for a link, an adapter that is off for a second.
    ///
    /// - Throws: ``BLEError/bluetoothPoweredOff``, ``BLEError/bluetoothUnauthorized``,
    ///   ``BLEError/bluetoothUnavailable(_:)`` or `CancellationError`.
    public func waitForPoweredOn() async throws {
        start()
        let waiter = makeNumber()
        let loop = host.mainLoop
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                access.wait(caller: waiter, continuation)
            }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.stopWaiting(waiter) }
        }
    }

    // On the loop, for a task that is cancelled.

    private nonisolated func cancel(caller: Int) {
        assumeIsolated { $0.perform($0.machine.cancel(caller)) }
    }

    private nonisolated func stopWaiting(_ waiter: Int) {
        assumeIsolated { $0.access.cancel(caller: waiter) }
    }

    private nonisolated func cancel(_ write: WriteStateMachine.Write) {
        assumeIsolated { $0.writes.cancel(write) }
    }

    private func end(isForgotten: Bool) async {
        // What a former run has left is ended as well.
        loadStore()
        await withCheckedContinuation { continuation in
            disconnecters.append { continuation.resume() }
            perform(machine.disconnect(isForgotten: isForgotten))
        }
    }

    /// The identifier that a radio has now.
    func identity(of device: UUID) -> UUID { known.identity(of: device) }

    /// Whether what there is of a connection is to a radio; nil means any.
    func isFor(_ device: UUID?) -> Bool {
        guard let device, let present = machine.effort?.device ?? machine.wish else { return true }
        return present == identity(of: device)
    }

    /// Disconnects because of `error`, and reports it to the disconnection handler.
    func giveUp(_ error: BLEError) {
        if let attempt = link.attempt { perform(machine.givenUp(attempt, error)) }
    }

    // MARK: Values

    /// Sends a value with response, behind those that were sent before, and waits for the answer.
    ///
    /// One is on its way at a time. When the task is cancelled it is not sent, unless it is on its way.
    ///
    /// - Parameter data: Up to 512 bytes.
    /// - Throws: ``BLEError/notConnected``, ``BLEError/operationTimeout``, ``BLEError/writeError(_:)``,
    ///   ``BLEError/pairingFailed(_:)`` or ``BLEError/pairingCancelled``, behind which the link is let go,
    ///   or `CancellationError`.
    public func send(_ data: Data) async throws {
        try await send(data, to: nil)
    }

    /// As `send(_:)`, but fails when another radio than `device` is connected.
    func send(_ data: Data, to device: UUID?) async throws {
        guard isFor(device) else { throw BLEError.notConnected }
        guard data.count <= ATTLimits.longestValue else {
            throw BLEError.writeError(
                "it has \(data.count) bytes, and a value has \(ATTLimits.longestValue)"
            )
        }
        let write = makeNumber()
        let loop = host.mainLoop
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                writes.send(data, write, continuation)
            }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.cancel(write) }
        }
    }

    // MARK: Scanning

    /// Looks for radios, also while it is connected, until ``stopScanning()``; what is found is told by
    /// the handler of ``setDeviceDiscoveredHandler(_:)``.
    ///
    /// While Bluetooth cannot be used it waits, and goes on when it can.
    public func startScanning() {
        start()
        scanner.start()
        pin()
    }

    /// Ends it; nothing is told afterwards.
    public func stopScanning() {
        scanner.stop()
        pin()
    }

    // MARK: Handlers

    /// Sets who is told of radios: the identifier, and the signal strength in dBm where it is known.
    ///
    /// Called for each device that advertises the Nordic UART service, and again for what bluetoothd tells
    /// of it, such as a strength that is some 8 dB another one.
    public func setDeviceDiscoveredHandler(_ handler: @escaping @Sendable (UUID, Int?) -> Void) {
        observers.set(handler, for: \.discovered)
    }

    /// Sets who is told that a connection has gone and does not come back by itself, with the reason.
    ///
    /// Bluetooth has gone, the radio wants a pairing that is not there, or what was tried to come back has
    /// failed for good. Called once for a loss, and never for ``disconnect()``.
    public func setDisconnectionHandler(
        _ handler: @escaping @Sendable (UUID, (any Error)?) -> Void
    ) {
        observers.set(handler, for: \.disconnected)
    }

    /// Sets who is told that a connection has come back, with what the radio sends from now on.
    public func setReconnectionHandler(
        _ handler: @escaping @Sendable (UUID, AsyncStream<Data>) -> Void
    ) {
        observers.set(handler, for: \.reconnected)
    }

    /// Sets who is told that a connection was lost and is being made again; what was said over it is void.
    ///
    /// Called once for a loss; behind Bluetooth's being off, which the disconnection handler was told, it
    /// is not called.
    public func setAutoReconnectingHandler(_ handler: @escaping @Sendable (UUID) -> Void) {
        observers.set(handler, for: \.reconnecting)
    }

    /// Sets who is told of each change of ``bluetoothState``.
    public func setBluetoothStateChangeHandler(
        _ handler: @escaping @Sendable (BluetoothState) -> Void
    ) {
        observers.set(handler, for: \.stateChanged)
    }

    /// Sets who is told that Bluetooth can be used, each time, before anything is done about it.
    public func setBluetoothPoweredOnHandler(_ handler: @escaping @Sendable () -> Void) {
        observers.set(handler, for: \.poweredOn)
    }

    /// Sets who gives the number, 0 to 999,999, that a radio shows or is known to have; nil gives none, and
    /// cancels the pairing.
    ///
    /// With a provider a radio that is not paired is asked to pair before it is asked for values. It has
    /// 25 s to answer.
    public func setPasskeyProvider(_ provider: @escaping @Sendable (UUID) async -> UInt32?) {
        pairing.setProvider(provider)
        link.followPairing()
    }

    /// Sets the transport's closure, which receives the stream of a connection before any other observer,
    /// and the present stream at once.
    func holdStream(_ holder: @escaping (AsyncStream<Data>?) -> Void) {
        observers.holdStream(holder)
        holder(isConnected ? link.stream : nil)
    }

    /// Sets the manager's closures: for each phase, the present one at once, and for the shutdown.
    func observePhase(_ observer: @escaping (BLEPhase) -> Void, onEnd: @escaping () -> Void) {
        observers.observePhase(observer)
        observers.observeEnd(onEnd)
        observer(currentPhase)
    }

    // MARK: Reports of the parts

    /// Starts to follow Bluetooth; later calls do nothing.
    private func start() {
        guard access.open() else { return }
        loadStore()
        access.onReport = { [weak self] report in self?.assumeIsolated { $0.receive(report) } }
        link.onReport = { [weak self] attempt, report in
            self?.assumeIsolated { $0.receive(report, of: attempt) }
        }
        scanner.onDiscovered = { [weak self] device, rssi in
            self?.assumeIsolated { $0.observers.discovered(device, rssi) }
        }
        pairing.onRequest = { [weak self] request, answer in
            guard let self else { return answer.refuse() }
            assumeIsolated { $0.receive(request, answer) }
        }
        link.followPairing()
        access.reportState()
    }

    private func loadStore() {
        if store.load() { machine.knows(store.device) }
    }

    private func receive(_ report: BluetoothAccess.Report) {
        switch report {
        case .state(let state):
            observers.stateChanged(state)
            if state == .poweredOn {
                perform(machine.becameAvailable(now: access.now))
            } else {
                perform(machine.becameUnavailable(BLEError(state)))
            }
            scanner.update()
            pin()
        case .waited(let attempt, isUsable: true):
            perform(machine.bluetoothReady(attempt, now: access.now))
        case .waited(let attempt, isUsable: false):
            perform(machine.bluetoothRefused(attempt, BLEError(access.state)))
        case .loopEnds(let done):
            // The next run restores the connection.
            disconnecters.append(done.value)
            perform(machine.disconnect(isForgotten: false))
        }
    }

    private func receive(_ report: RadioLink.Report, of attempt: PhaseStateMachine.Attempt) {
        let now = access.now
        switch report {
        case .progressed(let progress): perform(machine.progressed(attempt, progress, now: now))
        case .up: perform(machine.linkUp(attempt, now: now))
        case .failed(let error): perform(machine.linkFailed(attempt, error))
        case .lost: perform(machine.lost(attempt, now: now))
        case .cut: perform(machine.isCut(attempt))
        case .moved(let device):
            if let before = machine.effort?.device { known.replaced(before, by: device) }
            perform(machine.moved(attempt, to: device))
        case .subscribed(let error): perform(machine.subscribed(attempt, error, now: now))
        case .refusedPairing: perform(machine.redial(attempt, now: now))
        case .unusable(let error): perform(machine.givenUp(attempt, error))
        }
    }

    private func receive(_ request: PairingRequest, _ answer: PairingAnswer) {
        guard let provider = pairing.provider, let device = machine.effort?.device else {
            return answer.refuse()
        }
        guard pairing.receive(request, answer) else { return }
        let question = Task { pairing.complete(request, answer, await provider(device)) }
        answer.onEnd = { question.cancel() }
    }

    // MARK: What the machine decides

    private func perform(_ new: [PhaseStateMachine.Action]) {
        actions.perform(new) { perform($0) }
        pin()
    }

    // A connection, a reconnection and a scan stay on their adapter.
    private func pin() { access.pin(machine.effort != nil || scanner.isScanning) }

    private func perform(_ action: PhaseStateMachine.Action) {
        switch action {
        case .enter(let phase): enter(phase)
        case .awaitBluetooth(let attempt): access.wait(attempt)
        case .stopAwaiting: access.cancelWait()
        case .dial(let attempt, let device): link.connect(attempt, to: device)
        case .findService(let attempt): perform(machine.serviceFound(attempt, link.hasService))
        case .findCharacteristics(let attempt):
            perform(machine.characteristicsFound(attempt, link.findCharacteristics()))
        case .subscribe(let attempt): link.subscribe(attempt)
        case .openStream:
            link.open()
            writes.open()
            observers.streamChanged(link.stream)
        case .closeStream:
            link.closeStream()
            observers.streamChanged(nil)
            writes.close()
        case .letGo(let attempt): link.release(attempt)
        case .cut(let attempt): link.cut(attempt)
        case .setTimer(let instant): schedule(at: instant)
        case .pause(let failures):
            schedule(at: access.now + settings.pauses.pause(after: failures))
        case .complete(let caller, let outcome): complete(caller, outcome)
        case .tellReconnecting(let device): observers.reconnecting(device)
        case .tellReconnected(let device):
            if let stream = link.stream { observers.reconnected(device, stream) }
        case .tellDisconnected(let device, let error): observers.disconnected(device, error)
        case .remember(let device): store.save(device)
        case .disconnected:
            let told = disconnecters
            disconnecters = []
            for one in told { one() }
        }
    }

    private func enter(_ phase: BLEPhase) {
        log.debug(
            "the phase is another one",
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
