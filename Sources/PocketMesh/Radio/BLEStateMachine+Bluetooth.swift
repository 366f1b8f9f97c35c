internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

// bluetoothd, its adapters, scans, and the state file.

extension BLEStateMachine {
    /// Begins with Bluetooth, once.
    func start() {
        guard engine == nil else { return }
        let engine = BlueZEngine.shared(on: host.mainLoop, busAddress: host.busAddress)
        self.engine = engine
        loadKept()
        observation = engine.client.observe(.adapters) { [weak self] event in
            let isOfAdapters: Bool =
                switch event {
                case .disconnectReason: false
                case .stateChanged: true
                case .changed(let changes): changes.contains(where: \.concernsAdapter)
                }
            if isOfAdapters { self?.assumeIsolated { $0.follow() } }
        }
        closer = host.mainLoop.context.onEnd { [weak self] done in
            guard let self else { return done() }
            let done = Confined(done)
            assumeIsolated { $0.close(done) }
        }
        followPairing()
        follow()
    }

    /// The loop ends: the link is cut, and the next run goes on with it.
    private func close(_ done: Confined<() -> Void>) {
        disconnecters.append(done.value)
        perform(machine.disconnect(isForgotten: false))
    }

    /// bluetoothd or an adapter may be different.
    func follow() {
        guard let client = engine?.client else { return }
        perform(selector.changed(client))
    }

    private func perform(_ actions: [AdapterSelector.Action]) {
        for action in actions {
            if case .tell(let state) = action { became(state) }
        }
    }

    private func became(_ state: BluetoothState) {
        bluetoothState = state
        handlers.stateChanged?(state)
        if state == .poweredOn {
            handlers.poweredOn?()
            perform(gate.changed(.on, now: now))
            perform(machine.becameAvailable(now: now))
        } else {
            perform(machine.becameUnavailable(BLEError(state)))
            perform(gate.changed(Self.standing(state), now: now))
        }
        updateScan()
    }

    private static func standing(_ state: BluetoothState) -> BluetoothGateMachine<Awaiting>.Standing
    {
        switch state {
        case .unknown, .resetting, .serviceNotResponding: .unknown
        case .poweredOn: .on
        case .poweredOff: .off
        case .blocked, .noAdapter, .adapterNotFound, .serviceNotRunning, .busUnavailable,
            .unauthorized:
            .unusable
        }
    }

    // While something of ours is on an adapter, or is to return to it, it stays with it.
    func pin() {
        let isUsed = machine.effort != nil || scan != nil
        guard isUsed != selector.isPinned else { return }
        perform(selector.setPinned(isUsed))
    }

    // MARK: Who waits

    func perform(_ new: [BluetoothGateMachine<Awaiting>.Action]) {
        gateActions.perform(new) { action in
            switch action {
            case .admit(.attempt(let attempt)):
                perform(machine.bluetoothReady(attempt, now: now))
            case .admit(.caller(let waiter)):
                powerWaiters.removeValue(forKey: waiter)?.resume()
            case .refuse(.attempt(let attempt)):
                perform(machine.bluetoothRefused(attempt, BLEError(bluetoothState)))
            case .refuse(.caller(let waiter)):
                powerWaiters.removeValue(forKey: waiter)?
                    .resume(throwing: BLEError(bluetoothState))
            case .setTimer(let instant):
                gateTimer = schedule(at: instant) { $0.perform($0.gate.timerFired(now: $0.now)) }
            }
        }
    }

    /// A timer for an instant; nil for none.
    func schedule(
        at instant: Duration?,
        _ work: @escaping @Sendable (isolated BLEStateMachine) -> Void
    ) -> ScheduledTimer? {
        guard let instant, let clock = engine?.client.clock else { return nil }
        return clock.schedule(after: instant - clock.now) { [weak self] in
            self?.assumeIsolated { work($0) }
        }
    }

    // MARK: Scanning

    func updateScan() {
        guard isScanWanted, let engine, let adapter = selector.usableAdapter else {
            scan = nil
            return pin()
        }
        guard scan == nil else { return }
        // With duplicates bluetoothd would be given a least strength, and hide what has none.
        scan = engine.arbiter(adapter).scan(ScanWish(services: [NordicUART.serviceUUID])) {
            [weak self] report in
            let (address, rssi) = (report.address, report.rssi)
            self?.assumeIsolated { $0.discovered(address, rssi) }
        } failed: { [weak self] failure in
            self?.assumeIsolated { $0.scanFailed(failure) }
        }
        pin()
    }

    private func discovered(_ address: DeviceAddress, _ rssi: Int?) {
        handlers.discovered?(PeripheralIdentifier(address: address, name: nil).uuid, rssi)
    }

    // It goes on when Bluetooth is there again.
    private func scanFailed(_ failure: BlueZFailure) {
        scan = nil
        log.warning("the scan has ended", ["error": "\(failure)"])
    }

    // MARK: The state file

    private var file: StateFile<KeptRadio>? {
        settings.restoreIdentifier.map { StateFile($0, in: settings.stateDirectory) }
    }

    func loadKept() {
        guard kept == nil, let file, let identifier = settings.restoreIdentifier else { return }
        let found = file.load(log: log) ?? KeptRadio(identifier: identifier)
        kept = found
        machine.knows(found.device)
    }

    func remember(_ device: UUID?) {
        guard let file, kept?.device != device else { return }
        kept?.device = device
        if let kept { file.save(kept, log: log) }
    }
}
