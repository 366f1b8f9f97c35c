internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

// The link of an attempt: dialled, found out about, subscribed to, given up.

extension BLEStateMachine {
    func dial(_ attempt: PhaseMachine.Attempt, _ device: UUID) {
        guard let engine, let adapter = tracker?.adapter,
            let address = Self.address(of: device)
        else { return perform(machine.linkFailed(attempt, BLEError(bluetoothState))) }
        let link = engine.link(to: address, over: adapter)
        let lease = link.connect { [weak self] result in
            self?.assumeIsolated { $0.linked(attempt, result) }
        }
        lease.onProgress = { [weak self] progress in
            self?.assumeIsolated { $0.progressed(attempt, progress) }
        }
        lease.onEnd = { [weak self] end in
            self?.assumeIsolated { $0.ended(attempt, end) }
        }
        lease.onAddressChanged = { [weak self] address in
            self?.assumeIsolated { $0.moved(attempt, to: address) }
        }
        lease.onDeviceChanged = { [weak self] in
            self?.assumeIsolated { $0.deviceChanged(attempt) }
        }
        held = HeldLink(
            attempt: attempt,
            lease: lease,
            wasPaired: link.device?.isPaired == true
        )
        followPairing()
    }

    private func progressed(_ attempt: PhaseMachine.Attempt, _ progress: LinkProgress) {
        switch progress {
        case .searching: perform(machine.progressed(attempt, .searching, now: now))
        case .dialling: perform(machine.progressed(attempt, .dialling, now: now))
        case .up: perform(machine.progressed(attempt, .up, now: now))
        // The completion follows.
        case .resolved: break
        }
    }

    private func linked(_ attempt: PhaseMachine.Attempt, _ result: Result<Void, LinkFailure>) {
        if cutting?.attempt == attempt {
            cutting = nil
            return perform(machine.isCut(attempt))
        }
        guard held?.attempt == attempt else { return }
        switch result {
        case .success:
            held?.isUp = true
            deviceChanged(attempt)
            perform(machine.linkUp(attempt, now: now))
        case .failure(let failure):
            held = nil
            // What has become of Bluetooth is told first.
            tracker?.update()
            perform(machine.linkFailed(attempt, error(failure)))
        }
    }

    private func error(_ failure: LinkFailure) -> BLEError {
        switch failure {
        case .timedOut: .connectionTimeout
        case .cancelled: .connectionFailed("the attempt was taken back")
        case .unavailable:
            tracker?.adapter == nil
                ? BLEError(bluetoothState) : .connectionFailed("Bluetooth was off meanwhile")
        case .pairing(let text): .pairingFailed(text)
        case .bluez(let failure):
            failure.unavailability(bluetoothState).map { BLEError($0) }
                ?? .connectionFailed(failure.answer ?? "\(failure)")
        case .failed(let text): .connectionFailed(BlueZAnswer.explained(text))
        }
    }

    private func ended(_ attempt: PhaseMachine.Attempt, _ end: LinkEnd) {
        guard held?.attempt == attempt else { return }
        log.debug("the link has ended", ["how": "\(end)"])
        if end == .unavailable { tracker?.update() }
        if !isConnected, endedByPairing(attempt) { return }
        perform(machine.lost(attempt, now: now))
    }

    private func moved(_ attempt: PhaseMachine.Attempt, to address: DeviceAddress) {
        let device = PeripheralIdentifier(address: address, name: nil).uuid
        if let before = machine.effort?.device { known.replaced(before, by: device) }
        perform(machine.moved(attempt, to: device))
        followPairing()
    }

    private func deviceChanged(_ attempt: PhaseMachine.Attempt) {
        guard let held, held.attempt == attempt, held.lease.link.device?.isPaired == true else {
            return
        }
        self.held?.wasPaired = true
    }

    // MARK: What the radio has

    func findService(_ attempt: PhaseMachine.Attempt) {
        let isFound = held?.lease.link.has(NordicUART.service) == true
        perform(machine.serviceFound(attempt, isFound))
    }

    func findCharacteristics(_ attempt: PhaseMachine.Attempt) {
        let link = held?.lease.link
        let tx = link?.characteristic(NordicUART.tx)
        let rx = link?.characteristic(NordicUART.rx)
        held?.tx = tx
        held?.rx = rx
        perform(machine.characteristicsFound(attempt, tx != nil && rx != nil))
    }

    func subscribe(_ attempt: PhaseMachine.Attempt) {
        guard let held, held.attempt == attempt, held.rx != nil else { return }
        guard handlers.passkey != nil, !held.wasPaired else { return listen(attempt) }
        if let refusal = machine.effort.flatMap({ known.refusals[$0.device] }) {
            self.held?.pairingFailure = refusal
            return listen(attempt)
        }
        pair(attempt, held.lease)
    }

    /// Asks for what the radio has to say.
    func listen(_ attempt: PhaseMachine.Attempt) {
        guard let held, held.attempt == attempt, let rx = held.rx else { return }
        let inbox = ReceivedValues.receivedValues()
        self.inbox = inbox
        let (values, log) = (inbox.continuation, log)
        self.held?.requests.began(HeldLink.subscriptionNumber, now: now)
        self.held?.subscription = held.lease.subscribe(
            rx,
            value: { values.receive($0, log) },
            ended: { [weak self] _ in
                self?.assumeIsolated { $0.perform($0.machine.lost(attempt, now: $0.now)) }
            },
            completion: { [weak self] result in
                self?.assumeIsolated { $0.subscribed(attempt, result) }
            }
        )
    }

    private func subscribed(_ attempt: PhaseMachine.Attempt, _ result: Result<Void, BlueZFailure>) {
        noteAnswer(to: HeldLink.subscriptionNumber, attempt, result)
        guard case .failure(let failure) = result else {
            return perform(machine.subscribed(attempt, nil, now: now))
        }
        judge(failure, attempt) { radio, verdict in
            let error = verdict == .operationTimeout ? .connectionTimeout : verdict
            if verdict == .notConnected, radio.endedByPairing(attempt) { return }
            radio.forgetRefusal(behind: verdict)
            radio.perform(
                radio.machine.subscribed(attempt, Self.refusal(error), now: radio.now)
            )
        }
    }

    /// A subscription that is refused is a connection that did not come about.
    private static func refusal(_ error: BLEError) -> BLEError {
        if case .writeError(let text) = error {
            .connectionFailed("the radio does not send its values: \(text)")
        } else {
            error
        }
    }

    // MARK: The end

    /// Gives the share in the link back; nobody waits for that.
    func letGo(_ attempt: PhaseMachine.Attempt) {
        guard let taken = take(attempt), taken.isUp else { return }
        taken.lease.link.disconnect(taken.lease) {}
    }

    /// Gives the share in the link back, and reports when nothing of it is pending.
    func cut(_ attempt: PhaseMachine.Attempt) {
        guard let taken = take(attempt) else { return perform(machine.isCut(attempt)) }
        let link = taken.lease.link
        guard taken.isUp else {
            cutting = taken
            return link.cancel(taken.lease, .cancelled)
        }
        link.disconnect(taken.lease) { [weak self] in
            self?.assumeIsolated { $0.perform($0.machine.isCut(attempt)) }
        }
    }

    private func take(_ attempt: PhaseMachine.Attempt) -> HeldLink? {
        guard let taken = held, taken.attempt == attempt else { return nil }
        // Of a subscription that was under way.
        closeInbox()
        held = nil
        followPairing()
        taken.lease.onEnd = nil
        taken.lease.onProgress = nil
        taken.lease.onAddressChanged = nil
        taken.lease.onDeviceChanged = nil
        return taken
    }

    func closeInbox() {
        guard let inbox else { return }
        inbox.continuation.finish()
        lostBefore += inbox.lostCount + (held?.lostCount ?? 0)
        self.inbox = nil
        held?.subscription = nil
    }
}
