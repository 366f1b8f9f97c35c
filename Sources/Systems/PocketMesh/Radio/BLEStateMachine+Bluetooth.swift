internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

// bluetoothd, its adapters, scans, and the state file.

extension BLEStateMachine {
    /// Begins with Bluetooth, once.
    func start() {
        guard tracker == nil else { return }
        let tracker = AdapterTracker(host)
        self.tracker = tracker
        loadKept()
        tracker.onChange = { [weak self] action in
            guard case .tell(let state) = action else { return }
            self?.assumeIsolated { $0.became(state) }
        }
        closer = host.mainLoop.context.onEnd { [weak self] done in
            guard let self else { return done() }
            let done = Confined(done)
            assumeIsolated { $0.close(done) }
        }
        followPairing()
        tracker.reportState()
    }

    /// The loop ends: the link is cut, and the next run goes on with it.
    private func close(_ done: Confined<() -> Void>) {
        disconnecters.append(done.value)
        perform(machine.disconnect(isForgotten: false))
    }

    private func became(_ state: BluetoothState) {
        bluetoothState = state
        handlers.stateChanged?(state)
        if state == .poweredOn {
            handlers.poweredOn?()
            perform(machine.becameAvailable(now: now))
        } else {
            perform(machine.becameUnavailable(BLEError(state)))
        }
        updateScan()
    }

    // While something of ours is on an adapter, or is to return to it, it stays with it.
    func pin() {
        let isUsed = machine.effort != nil || scan != nil
        tracker?.pin(isUsed)
    }

    // MARK: Waiting for Bluetooth

    /// Waits for a usable adapter as long as for a link; nil if `done` has already run.
    func whenUsable(
        _ done: @escaping @Sendable (isolated BLEStateMachine, _ isUsable: Bool) -> Void
    ) -> Observation? {
        tracker?.whenUsable(within: settings.connectionTimeout) { [weak self] result in
            let isUsable = (try? result.get()) != nil
            self?.assumeIsolated { done($0, isUsable) }
        }
    }

    func finishWaiting(_ attempt: PhaseMachine.Attempt, isUsable: Bool) {
        bluetoothWait = nil
        guard isUsable else {
            return perform(machine.bluetoothRefused(attempt, BLEError(bluetoothState)))
        }
        perform(machine.bluetoothReady(attempt, now: now))
    }

    func finishWaiting(caller: Int, isUsable: Bool) {
        let waiter = endWaiting(caller)
        if isUsable { waiter?.resume() } else { waiter?.resume(throwing: BLEError(bluetoothState)) }
    }

    func endWaiting(_ caller: Int) -> CheckedContinuation<Void, any Error>? {
        powerWaits[caller] = nil
        return powerWaiters.removeValue(forKey: caller)
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
        guard isScanWanted, let engine, let adapter = tracker?.adapter else {
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
