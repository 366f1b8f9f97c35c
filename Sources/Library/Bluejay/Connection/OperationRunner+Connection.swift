internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib

/// The end of a connection or of an attempt, as the observers and the handler hear of it.
struct EndOfConnection {
    let end: QueueStateMachine.End
    let peripheral: PeripheralIdentifier
    let error: BluejayError?
    /// Whether everything was cancelled before it could be told: it is not made again by itself.
    var isGivenUp = false

    /// The call that failed, when there was no connection.
    fileprivate var call: BluejayError.Call? {
        if case .attempt = end { return .connect }
        return nil
    }

    fileprivate func write(to log: Log) {
        let details: LogDetails = [
            "peripheral": "\(peripheral)", "error": error.map { "\($0)" } ?? "",
        ]
        switch end {
        case .requested: log.debug("disconnected, as expected", details)
        case .lost, .unavailable: log.debug("disconnected unexpectedly", details)
        case .attempt: log.debug("not connected", details)
        }
    }
}

extension OperationRunner {
    // MARK: The link

    /// The link came up.
    func took(_ lease: LinkLease, _ identifier: PeripheralIdentifier) {
        link.attach(lease)
        lease.onEnd = { [weak self] in self?.lost($0) }
        lease.onServicesChanged = { [weak self] in self?.servicesChanged(gone: $0) }
        lease.onAddressChanged = { [weak self] in self?.addressChanged($0) }
        follow(lease)
        perform(reconnecting.connected())
        let isSame = changeSession { $0.connected(identifier) }
        listens.connected(isSame: isSame)
    }

    /// An attempt begins with a search.
    func searches() {
        changeSession { $0.searches() }
    }

    /// The search has ended without anybody to connect to.
    func searchEnded() {
        changeSession { $0.attemptEnded() }
        // There is nobody whose end is told: what waited for a lost connection ends here.
        guard !reconnecting.isPending else { return }
        listens.endKept()
        restoration.save(nil, [])
    }

    /// An attempt to connect begins.
    func attempts(_ identifier: PeripheralIdentifier) {
        changeSession { $0.attempts(identifier) }
    }

    /// The attempt failed, for a reason that says more than its error.
    func attemptFailed(_ reason: BluejayError) {
        changeSession { $0.attemptFailed(reason) }
    }

    /// Nothing of the attempt is to be told any more.
    func attemptEnded() {
        changeSession { $0.attemptEnded() }
    }

    /// The link is being cut because the user asked for it.
    func letGo() -> LinkLease? {
        link.detach()
    }

    private func lost(_ end: LinkEnd) {
        log.connection.debug("the link has ended", ["reason": "\(end)"])
        link.detach()
        // Another user of the link may hear of its end before we hear that Bluetooth went.
        if end == .unavailable { adapters.update() }
        if case .lost(let reason) = end {
            changeSession { $0.lost(DisconnectReason(bluezName: reason)) }
        }
        queue.connectionLost()
    }

    // Pairing has told who the peripheral is: it is found again under this address only.
    private func addressChanged(_ address: DeviceAddress) {
        guard let old = link.peripheral else { return }
        let new = PeripheralIdentifier(address: address, name: old.name)
        log.connection.debug(
            "has another address from now on",
            ["peripheral": "\(old)", "address": "\(address)"]
        )
        changeSession { $0.moved(to: new) }
        listens.save()
    }

    private func servicesChanged(gone invalidated: [ServiceIdentifier]) {
        listens.servicesChanged()
        state.publishPeripheral()
        guard let peripheral = link.peripheral else { return }
        log.connection.debug("the services have changed", ["peripheral": "\(peripheral)"])
        observers.notifyServices {
            $0.didModifyServices(from: peripheral, invalidatedServices: invalidated)
        }
    }

    // MARK: Handing over

    /// Begins with what another library has set up.
    func begin(with manager: CentralManager, _ present: ConnectedPeripheral?) {
        adapters.take(manager)
        begin()
        guard let present else { return }
        guard let path = ObjectPath(present.devicePath) else {
            return log.connection.warning(
                "start: what is to be taken over is no object path",
                ["path": present.devicePath]
            )
        }
        queue.enqueue(
            ConnectOperation(.present(path), self, .adopt, timeout: Restoration.timeLimit) {
                [weak self] result in
                guard case .failure(let error) = result else { return }
                self?.log.connection.warning(
                    "start: the peripheral could not be taken over",
                    ["path": present.devicePath, "error": "\(error)"]
                )
            }
        )
    }

    /// Where bluetoothd and the adapter are.
    var manager: CentralManager {
        var address: String?
        if case .address(let text) = adapters.bus { address = text }
        return CentralManager(
            busAddress: address,
            adapterPath: adapters.chosenAdapter?.text
        )
    }

    // MARK: Announcements

    func announceConnected() {
        guard let peripheral = link.peripheral else { return }
        // What was kept goes before what the observers ask for.
        listens.resume()
        let announced = link.lease
        log.connection.debug("connected", ["peripheral": "\(peripheral)"])
        // Who reads the log may have stopped it, and begun anew: that has been told then.
        guard link.lease === announced else { return }
        listens.save()
        changeSession { $0.announced() }
        observers.notifyConnection { $0.connected(to: peripheral) }
    }

    func announce(_ end: QueueStateMachine.End) {
        guard let told = changeSession({ $0.ended(end) }) else { return }
        // What a task has begun it ends first; nothing happens behind its back.
        guard !gate.isRunningTask else { return endsAfterTask.append(told) }
        announce(told)
    }

    /// Tells the observers and the handler, and connects again when that is decided.
    private func announce(_ told: EndOfConnection) {
        told.write(to: log.connection)
        let reason = told.error?.during(told.call, peripheral: told.peripheral)
        observers.notifyConnection { $0.disconnected(from: told.peripheral, reason: reason) }
        let willReconnect = reconnecting.ended(told.isGivenUp ? .requested : told.end)
        let mode = observers.disconnectHandler?.didDisconnect(
            from: told.peripheral,
            with: reason,
            willReconnect: willReconnect
        )
        var decision: Bool?
        if case .change(let shouldAutoReconnect)? = mode { decision = shouldAutoReconnect }
        if decision == true, link.session.last != told.peripheral {
            // What was kept is of another peripheral.
            listens.endKept()
            changeSession { $0.willReturn(to: told.peripheral) }
        }
        perform(
            reconnecting.decided(
                told.end,
                decision,
                willReconnect: willReconnect,
                isAvailable: adapters.bluetoothState == .poweredOn
            )
        )
        guard !reconnecting.isPending else {
            return log.connection.debug(
                "it will be connected again",
                ["peripheral": "\(told.peripheral)"]
            )
        }
        listens.endKept()
        if !queue.isConnected, !queue.isConnecting { restoration.save(nil, []) }
    }

    /// What a task holds back is not to lead to a new connection.
    private func giveUpHeldEnds() {
        for index in endsAfterTask.indices { endsAfterTask[index].isGivenUp = true }
    }

    /// No background task runs any more: what it held back is told.
    func tellHeldEnds() {
        guard !gate.isRunningTask else { return }
        let held = endsAfterTask
        endsAfterTask = []
        for told in held { announce(told) }
    }

    // MARK: Connecting again

    func perform(_ actions: [ReconnectStateMachine.Action]) {
        for action in actions { perform(action) }
        state.publish()
    }

    func perform(_ action: ReconnectStateMachine.Action) {
        switch action {
        case .setTimer(let delay):
            reconnectTimer = delay.map { delay in
                clock.schedule(after: delay) { [weak self] in
                    guard let self else { return }
                    perform(reconnecting.timerFired())
                }
            }
        case .attempt: reconnect()
        case .tell(let attempt, let pause):
            guard let last = link.session.last else { return }
            observers.notifyConnection {
                $0.willReconnect(to: last, attempt: attempt, after: pause)
            }
        }
    }

    private func reconnect() {
        guard let last = link.session.last else { return perform(reconnecting.cancel()) }
        queue.enqueue(
            ConnectOperation(
                .peripheral(last),
                self,
                .reconnect,
                timeout: .seconds(reconnecting.options.attemptTimeout / .seconds(1))
            ) { [weak self] in
                // A connection of the user was quicker.
                guard let self, case .failure(let error) = $0,
                    case .multipleConnectNotSupported? = error as? BluejayError
                else { return }
                perform(reconnecting.cancel())
            }
        )
    }

    /// The user connects: what was to be made again is not wanted any more.
    func connect(
        to peripheral: PeripheralIdentifier,
        timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        guard peripheral.deviceAddress != nil else {
            return scheduler.completeOnNextIteration {
                completion(.failure(BluejayError.unexpectedPeripheral(peripheral)))
            }
        }
        connect(
            ConnectOperation(
                .peripheral(peripheral),
                self,
                timeout: timeout,
                completion: completion
            )
        )
    }

    /// Takes in an attempt of the user's.
    func connect(_ operation: any LinkMaker) {
        if let refusal = connectRefusal(operation.aim) {
            let named = operation.subject.named(refusal)
            return scheduler.completeOnNextIteration { operation.complete(named) }
        }
        queue.enqueue(operation) { replaceReconnection() }
    }

    /// An attempt of the user's replaces the reconnection.
    func replaceReconnection() {
        if reconnecting.isPending { perform(reconnecting.cancel()) }
    }

    /// Ends what waits for the connection to return; false when nothing does.
    func cancelReconnecting() -> Bool {
        guard reconnecting.isPending, !queue.isConnecting || queue.isYielding else { return false }
        perform(reconnecting.disconnected())
        listens.endKept()
        restoration.save(nil, [])
        return true
    }

    // MARK: Cancelling

    /// Fails everything with `error`.
    func cancelEverything(_ error: any Error, shouldDisconnect: Bool) {
        let reason = error as? BluejayError ?? .cancelled
        if !(error is BluejayError) { queue.overrideErrors(with: error) }
        // One that waits for Bluetooth is in no queue.
        defer { restoration.failPending(error) }
        let target = target
        let isWaiting = cancelReconnecting()
        // An attempt that nobody asked for is not tried again either.
        if reconnecting.isPending { perform(reconnecting.cancel()) }
        queue.cancelScansBeside(reason)
        guard shouldDisconnect else {
            queue.cancelAll(reason) { listens.broadcast(error) }
            // Others go on to listen, but a task that waits for values is not to wait on.
            listens.endTaskListens(error)
            return
        }
        if isWaiting { log.connection.debug("connecting again is given up") }
        giveUpHeldEnds()
        if queue.isConnected, !queue.isDisconnecting { listens.overrideEnd(with: error) }
        queue.cancelAll(reason, disconnecting: DisconnectOperation(self, target, completion: nil))
    }

    /// The loop is about to end: the link is cut, unless it is left to the next run of the program.
    func close(_ done: @escaping () -> Void) {
        let isOpen = queue.isConnected || queue.isConnecting || reconnecting.isPending
        giveUpHeldEnds()
        queue.cancelScansBeside(.stopped)
        scheduler.fail(adapters.endRequests(), .stopped)
        guard isOpen, !restoration.isEnabled else {
            queue.cancelAll(.stopped)
            return done()
        }
        log.connection.debug("the loop ends: disconnecting")
        gate.beginClosing()
        let target = target
        _ = cancelReconnecting()
        if reconnecting.isPending { perform(reconnecting.cancel()) }
        let disconnect = DisconnectOperation(self, target) { [weak self] _ in
            // The loop may be run again.
            self?.gate.endClosing()
            done()
        }
        queue.cancelAll(.stopped, disconnecting: disconnect)
    }

    /// Ends everything as `shutDown` does, but the link stays and a new start is possible.
    ///
    /// - Returns: The connected peripheral.
    func detach() -> ConnectedPeripheral? {
        let handedOver = link.lease?.link.path.flatMap { path in
            link.peripheral.map { ConnectedPeripheral(devicePath: path.text, identifier: $0) }
        }
        // What bluetoothd answers from here on, or the bus that is closed, ends none of them again.
        let calls = adapters.endRequests()
        perform(reconnecting.cancel())
        restoration.end()
        let actions = queue.stop()
        let notifications = stopFollowing()
        link.detach()?.release(cutting: .never)
        changeSession { $0 = ConnectionSession() }
        endsAfterTask = []
        observers.removeConnectionObservers()
        // First, because a completion may start anew.
        adapters.notify(notifications)
        queue.finishStop(actions)
        scheduler.fail(calls, .stopped)
        return handedOver
    }
}
