internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

// What users ask for.

extension BLEStateMachine {
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
        guard Self.address(of: deviceID) != nil else { throw BLEError.deviceNotFound }
        start()
        let caller = makeNumber()
        let loop = host.mainLoop
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                callers[caller] = continuation
                let isOn = tracker?.adapter != nil
                perform(machine.connect(caller, to: deviceID, isOn: isOn, now: now))
            }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.cancel(caller) }
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
        guard let device = kept?.device, Self.address(of: device) != nil else { return }
        let isOn = tracker?.adapter != nil
        perform(machine.restore(device, isOn: isOn, now: now))
    }

    /// Ends everything and lets go of Bluetooth; the next run, or ``activate()`` in this one, still goes on
    /// with the radio that is connected now.
    public func shutdown() async {
        stopScanning()
        await end(isForgotten: false)
        for waiter in powerWaiters.keys.sorted() {
            endWaiting(waiter)?.resume(throwing: CancellationError())
        }
        phaseStreams.finish()
        handlers.ended?()
        pairing = nil
        closer = nil
        bluetoothWait = nil
        tracker?.onChange = nil
        tracker = nil
        isActivated = false
        bluetoothState = .unknown
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
                powerWaiters[waiter] = continuation
                powerWaits[waiter] = whenUsable { $0.finishWaiting(caller: waiter, isUsable: $1) }
            }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.stopWaiting(waiter) }
        }
    }

    // On the loop, for a task that is cancelled.

    private nonisolated func cancel(_ caller: Int) {
        assumeIsolated { $0.perform($0.machine.cancel(caller)) }
    }

    private nonisolated func stopWaiting(_ waiter: Int) {
        assumeIsolated { radio in
            radio.endWaiting(waiter)?.resume(throwing: CancellationError())
        }
    }

    private nonisolated func takeBack(_ write: WriteMachine.Write) {
        assumeIsolated { $0.perform($0.writes.cancel(write)) }
    }

    func end(isForgotten: Bool) async {
        // What a former run has left is ended as well.
        loadKept()
        await withCheckedContinuation { continuation in
            disconnecters.append { continuation.resume() }
            perform(machine.disconnect(isForgotten: isForgotten))
        }
    }

    static func address(of device: UUID) -> DeviceAddress? {
        PeripheralIdentifier(uuid: device, name: nil).deviceAddress
    }

    /// The identifier that a radio has now.
    func identity(of device: UUID) -> UUID { known.identity(of: device) }

    /// Whether what there is of a connection is to a radio; nil means any.
    func isFor(_ device: UUID?) -> Bool {
        guard let device, let present = machine.effort?.device ?? machine.wish else { return true }
        return present == identity(of: device)
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
        guard data.count <= RadioSettings.maximumValueSize else {
            throw BLEError.writeError(
                "it has \(data.count) bytes, and a value has \(RadioSettings.maximumValueSize)"
            )
        }
        let write = makeNumber()
        let loop = host.mainLoop
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                senders[write] = Sending(data: data, continuation: continuation)
                perform(writes.enqueue(write, now: now))
            }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.takeBack(write) }
        }
    }

    // MARK: Scanning

    /// Looks for radios, also while it is connected, until ``stopScanning()``; what is found is told by
    /// the handler of ``setDeviceDiscoveredHandler(_:)``.
    ///
    /// While Bluetooth cannot be used it waits, and goes on when it can.
    public func startScanning() {
        start()
        isScanWanted = true
        updateScan()
    }

    /// Ends it; nothing is told afterwards.
    public func stopScanning() {
        isScanWanted = false
        updateScan()
    }

    // MARK: Handlers

    /// Sets who is told of radios: the identifier, and the signal strength in dBm where it is known.
    ///
    /// Called for each device that advertises the Nordic UART service, and again for what bluetoothd tells
    /// of it, such as a strength that is some 8 dB another one.
    public func setDeviceDiscoveredHandler(_ handler: @escaping @Sendable (UUID, Int?) -> Void) {
        handlers.discovered = handler
    }

    /// Sets who is told that a connection has gone and does not come back by itself, with the reason.
    ///
    /// Bluetooth has gone, the radio wants a pairing that is not there, or what was tried to come back has
    /// failed for good. Called once for a loss, and never for ``disconnect()``.
    public func setDisconnectionHandler(
        _ handler: @escaping @Sendable (UUID, (any Error)?) -> Void
    ) {
        handlers.disconnected = handler
    }

    /// Sets who is told that a connection has come back, with what the radio sends from now on.
    public func setReconnectionHandler(
        _ handler: @escaping @Sendable (UUID, AsyncStream<Data>) -> Void
    ) {
        handlers.reconnected = handler
    }

    /// Sets who is told that a connection was lost and is being made again; what was said over it is void.
    ///
    /// Called once for a loss; behind Bluetooth's being off, which the disconnection handler was told, it
    /// is not called.
    public func setAutoReconnectingHandler(_ handler: @escaping @Sendable (UUID) -> Void) {
        handlers.reconnecting = handler
    }

    /// Sets who is told of each change of ``bluetoothState``.
    public func setBluetoothStateChangeHandler(
        _ handler: @escaping @Sendable (BluetoothState) -> Void
    ) {
        handlers.stateChanged = handler
    }

    /// Sets who is told that Bluetooth can be used, each time, before anything is done about it.
    public func setBluetoothPoweredOnHandler(_ handler: @escaping @Sendable () -> Void) {
        handlers.poweredOn = handler
    }

    /// Sets who gives the number, 0 to 999,999, that a radio shows or is known to have; nil gives none, and
    /// cancels the pairing.
    ///
    /// With a provider a radio that is not paired is asked to pair before it is asked for values. It has
    /// 25 s to answer.
    public func setPasskeyProvider(_ provider: @escaping @Sendable (UUID) async -> UInt32?) {
        handlers.passkey = provider
        known.refusals = [:]
        followPairing()
    }
}
