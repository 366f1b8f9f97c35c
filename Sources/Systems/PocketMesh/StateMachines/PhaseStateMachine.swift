/// Decides how a connection is established, re-established and ended, and which callers are notified.
///
/// One effort runs at a time: for a caller, or to reconnect. A request to the engine carries the number of
/// its attempt, so that a late reply is discarded. Instants are arguments.
///
/// Invariants: each caller receives one result; a loss is reported once, and once more when it is final;
/// in `idle` no timer is armed and no link is held.
struct PhaseStateMachine: Equatable {
    typealias Device = BLEPhase.Device
    typealias AttemptID = Int
    typealias Caller = Int

    /// The result of a call.
    enum Outcome: Equatable {
        /// The stream opened last belongs to the caller.
        case connected
        case failed(BLEError)
        case cancelled
    }

    /// The progress of a link at the engine.
    enum LinkStage: Equatable {
        case discovering, connecting, connected
    }

    enum Action: Equatable {
        case enter(BLEPhase)
        /// Report `bluetoothReady` or `bluetoothFailed`.
        case awaitBluetooth(AttemptID)
        case stopAwaiting(AttemptID)
        /// Bring the link up; report `progressed`, `linkUp` or `linkFailed`, and `lost`.
        case connect(AttemptID, Device)
        /// Report `serviceFound`.
        case findService(AttemptID)
        /// Report `characteristicsFound`.
        case findCharacteristics(AttemptID)
        /// Pair if need be, and subscribe; report `subscribed`.
        case subscribe(AttemptID)
        /// Create the stream: it receives values, and values can be sent from now on.
        case openStream(AttemptID, Device)
        /// End the stream, and fail the waiting values.
        case closeStream
        /// Release the link and all its pending requests; no caller waits.
        case releaseLink(AttemptID)
        /// The same, and report `linkReleased`.
        case disconnect(AttemptID)
        /// Report `timerFired` at the instant; `nil` disarms the timer.
        case setTimer(Duration?)
        /// Report `timerFired` after the pause for this number of consecutive failures.
        case pause(failures: Int)
        case complete(Caller, Outcome)
        case reportReconnecting(Device)
        /// The handler receives the stream opened last.
        case reportReconnected(Device)
        case reportDisconnected(Device, BLEError)
        /// Save the radio for the next run.
        case remember(Device?)
        /// Complete all pending disconnects.
        case disconnected
    }

    enum Step: Equatable {
        case services, characteristics, subscription
    }

    struct ConnectionAttempt: Equatable {
        var device: Device
        /// The number of the attempt.
        var id: AttemptID
        /// The caller that waits for the connection; `nil` for a reconnection.
        var caller: Caller?
        /// Whether the radio was connected before.
        var isReconnect = false
        /// Whether the disconnection handler must be called if the loss becomes final.
        var mustReportDisconnection = false
        var failures = 0
    }

    private enum State: Equatable {
        /// Next: `waiting`, `restoring`, `connecting`.
        case idle
        /// Waits for Bluetooth, for a caller. Next: `connecting`, `idle`.
        case waiting(ConnectionAttempt)
        /// Waits for Bluetooth, to restore the radio of an earlier run. Next: `connecting`, `idle`.
        case restoring(ConnectionAttempt)
        /// Next: `discovering`, `pausing`, `disconnecting`, `idle`.
        case connecting(ConnectionAttempt, isSearching: Bool)
        /// The link was lost, perhaps because of Bluetooth, which shows in a moment. Next: `connecting`,
        /// `pausing`, `idle`.
        case linkLost(ConnectionAttempt)
        /// Waits between two reconnection attempts. Next: `connecting`, `idle`.
        case pausing(ConnectionAttempt)
        /// Next: `connected`, `connecting`, `pausing`, `disconnecting`, `idle`.
        case discovering(ConnectionAttempt, Step)
        /// Next: `linkLost`, `disconnecting`, `idle`.
        case connected(ConnectionAttempt, since: Duration)
        /// Next: `idle`.
        case disconnecting(ConnectionAttempt)
    }

    let settings: RadioSettings
    private var state = State.idle
    /// The radio to reconnect when Bluetooth becomes usable.
    private(set) var desiredDevice: Device?
    private var lastAttempt = 0
    /// The content of the state file.
    private var remembered: Device?

    init(_ settings: RadioSettings = RadioSettings()) {
        self.settings = settings
    }

    var phase: BLEPhase {
        switch state {
        case .idle: .idle
        case .waiting: .waitingForBluetooth
        case .restoring(let effort): .restoringState(effort.device)
        case .connecting(let effort, _):
            effort.isReconnect ? .autoReconnecting(effort.device) : .connecting(effort.device)
        case .linkLost(let effort), .pausing(let effort): .autoReconnecting(effort.device)
        case .discovering(let effort, .services): .discoveringServices(effort.device)
        case .discovering(let effort, .characteristics):
            .discoveringCharacteristics(effort.device)
        case .discovering(let effort, .subscription):
            .subscribingToNotifications(effort.device)
        case .connected(let effort, _): .connected(effort.device)
        case .disconnecting(let effort): .disconnecting(effort.device)
        }
    }

    /// Whether a lost connection is being re-established.
    var isReconnecting: Bool {
        switch state {
        case .idle, .waiting, .restoring, .connected, .disconnecting: false
        case .linkLost: true
        case .connecting(let effort, _), .pausing(let effort), .discovering(let effort, _):
            effort.isReconnect
        }
    }

    var effort: ConnectionAttempt? {
        switch state {
        case .idle: nil
        case .waiting(let effort), .restoring(let effort), .connecting(let effort, _),
            .linkLost(let effort), .pausing(let effort), .discovering(let effort, _),
            .connected(let effort, _), .disconnecting(let effort):
            effort
        }
    }

    // MARK: Requests

    /// Starts a connection for a caller.
    ///
    /// If the state machine is reconnecting to this radio, or will, the caller takes over that attempt.
    mutating func connect(
        _ caller: Caller,
        to device: Device,
        isOn: Bool,
        now: Duration
    ) -> [Action] {
        if case .restoring(var effort) = state, effort.device == device, effort.caller == nil {
            effort.caller = caller
            state = .restoring(effort)
            return [.awaitBluetooth(effort.id)]
        }
        if isReconnecting, let effort, effort.device == device, effort.caller == nil {
            return takeOver(effort, caller, now)
        }
        guard state == .idle else {
            let text = "the phase is \(phase.name); disconnect() or switchDevice(to:) ends it"
            return [.complete(caller, .failed(.connectionFailed(text)))]
        }
        var actions: [Action] = []
        if remembered != device {
            desiredDevice = nil
            actions += remember(nil)
        }
        lastAttempt += 1
        let effort = ConnectionAttempt(device: device, id: lastAttempt, caller: caller)
        if isOn { return actions + startConnecting(effort, now) }
        state = .waiting(effort)
        return actions + [.enter(phase), .awaitBluetooth(effort.id)]
    }

    mutating func cancel(_ caller: Caller) -> [Action] {
        guard var effort, effort.caller == caller else { return [] }
        if case .restoring = state {
            effort.caller = nil
            state = .restoring(effort)
            return [.stopAwaiting(effort.id), .complete(caller, .cancelled)]
        }
        return fail(effort, .cancelled)
    }

    /// Ends the connection or the attempt.
    ///
    /// - Parameter clearsState: Whether to clear the state file.
    /// - Returns: The actions; the last one is `disconnected`, now or after `linkReleased`.
    mutating func disconnect(clearsState: Bool) -> [Action] {
        desiredDevice = nil
        let actions = clearsState ? remember(nil) : []
        switch state {
        case .idle: return actions + [.disconnected]
        case .disconnecting: return actions
        case .waiting(let effort):
            return actions + fail(effort, .failed(Self.disconnectRequested)) + [.disconnected]
        case .restoring(let effort):
            state = .idle
            return actions + stopAwaiting(effort) + [.enter(.idle)]
                + complete(effort, .failed(Self.disconnectRequested)) + [.disconnected]
        case .linkLost, .pausing:
            state = .idle
            return actions + [.setTimer(nil), .enter(.idle), .disconnected]
        case .connecting(var effort, _), .discovering(var effort, _):
            let completions = complete(effort, .failed(Self.disconnectRequested))
            // The caller was notified: a later cancellation must have no effect.
            effort.caller = nil
            state = .disconnecting(effort)
            return actions + [.setTimer(nil), .enter(phase), .disconnect(effort.id)] + completions
        case .connected(let effort, _):
            state = .disconnecting(effort)
            return actions + [.closeStream, .enter(phase), .disconnect(effort.id)]
        }
    }

    private static let disconnectRequested = BLEError.connectionFailed("disconnect() was called")

    mutating func linkReleased(_ attempt: AttemptID) -> [Action] {
        guard case .disconnecting(let effort) = state, effort.id == attempt else { return [] }
        state = .idle
        return [.enter(.idle), .disconnected]
    }

    /// Sets the content of the state file, before any request.
    mutating func loadRemembered(_ device: Device?) {
        remembered = device
    }

    /// Restores the radio of an earlier run.
    mutating func restore(_ device: Device, isOn: Bool, now: Duration) -> [Action] {
        guard state == .idle, desiredDevice == nil else { return [] }
        lastAttempt += 1
        var effort = ConnectionAttempt(device: device, id: lastAttempt, isReconnect: true)
        effort.mustReportDisconnection = true
        state = .restoring(effort)
        return [.enter(phase)] + (isOn ? becameAvailable(now: now) : [])
    }

    mutating func becameAvailable(now: Duration) -> [Action] {
        if case .restoring(let effort) = state {
            let actions = stopAwaiting(effort) + startConnecting(effort, now)
            // The earlier run could not report its loss.
            return actions + [.reportReconnecting(effort.device)]
        }
        guard state == .idle, let desiredDevice else { return [] }
        lastAttempt += 1
        let effort = ConnectionAttempt(device: desiredDevice, id: lastAttempt, isReconnect: true)
        return startConnecting(effort, now)
    }

    mutating func becameUnavailable(_ error: BLEError) -> [Action] {
        switch state {
        case .idle, .waiting, .restoring, .disconnecting: return []
        case .linkLost(let effort): return waitForBluetooth(effort, error)
        case .connecting(let effort, _), .pausing(let effort), .discovering(let effort, _):
            guard effort.isReconnect else { return fail(effort, .failed(error)) }
            return waitForBluetooth(effort, error)
        case .connected(var effort, _):
            effort.mustReportDisconnection = true
            return [.closeStream] + waitForBluetooth(effort, error)
        }
    }

    /// Bluetooth became usable for a waiting attempt.
    mutating func bluetoothReady(_ attempt: AttemptID, now: Duration) -> [Action] {
        guard case .waiting(let effort) = state, effort.id == attempt else { return [] }
        return startConnecting(effort, now)
    }

    /// Bluetooth does not become usable for a waiting attempt.
    mutating func bluetoothFailed(_ attempt: AttemptID, _ error: BLEError) -> [Action] {
        guard var effort, effort.id == attempt else { return [] }
        switch state {
        case .waiting:
            state = .idle
            return [.enter(.idle)] + complete(effort, .failed(error))
        case .restoring:
            let actions = complete(effort, .failed(error))
            effort.caller = nil
            state = .restoring(effort)
            return actions
        case .idle, .connecting, .linkLost, .pausing, .discovering, .connected, .disconnecting:
            return []
        }
    }

    private mutating func takeOver(
        _ effort: ConnectionAttempt,
        _ caller: Caller,
        _ now: Duration
    ) -> [Action] {
        var effort = effort
        effort.caller = caller
        switch state {
        case .connecting(_, let isSearching):
            state = .connecting(effort, isSearching: isSearching)
            return [.setTimer(now + settings.connectionTimeout)]
        case .discovering(_, let step):
            state = .discovering(effort, step)
            return [.setTimer(now + settings.serviceDiscoveryTimeout)]
        case .linkLost: return startConnecting(effort, now) + [.reportReconnecting(effort.device)]
        case .idle, .waiting, .restoring, .pausing, .connected, .disconnecting:
            return startConnecting(effort, now)
        }
    }

    private mutating func waitForBluetooth(_ effort: ConnectionAttempt, _ error: BLEError)
        -> [Action]
    {
        let actions = release(effort)
        desiredDevice = effort.device
        // A caller that took over the attempt receives the error; the reconnection itself continues.
        if effort.caller != nil { return actions + complete(effort, .failed(error)) }
        guard effort.mustReportDisconnection else { return actions }
        return actions + [.reportDisconnected(effort.device, error)]
    }

    private func stopAwaiting(_ effort: ConnectionAttempt) -> [Action] {
        effort.caller == nil ? [] : [.stopAwaiting(effort.id)]
    }

    mutating func remember(_ device: Device?) -> [Action] {
        guard device != remembered else { return [] }
        remembered = device
        return [.remember(device)]
    }
}

// MARK: Reports of the engine

extension PhaseStateMachine {
    mutating func progressed(
        _ attempt: AttemptID,
        _ progress: LinkStage,
        now: Duration
    ) -> [Action] {
        guard let effort, effort.id == attempt else { return [] }
        switch (state, progress) {
        case (.connecting, .connected): return discover(effort, now)
        case (.connecting, _):
            state = .connecting(effort, isSearching: progress == .discovering)
            return []
        case (.discovering(_, .services), .connecting), (.discovering(_, .services), .discovering):
            // The link was lost and is being reestablished: one limit covers all attempts of a caller.
            guard effort.caller == nil else { return [] }
            state = .connecting(effort, isSearching: progress == .discovering)
            return [.setTimer(nil), .enter(phase)]
        case (.idle, _), (.waiting, _), (.restoring, _), (.linkLost, _), (.pausing, _),
            (.discovering, _), (.connected, _), (.disconnecting, _):
            return []
        }
    }

    /// The link is up, and the services of the radio are known.
    mutating func linkUp(_ attempt: AttemptID, now: Duration) -> [Action] {
        guard let effort, effort.id == attempt else { return [] }
        switch state {
        // A link that was already up reports no progress.
        case .connecting: return discover(effort, now) + [.findService(attempt)]
        case .discovering(_, .services): return [.findService(attempt)]
        case .idle, .waiting, .restoring, .linkLost, .pausing, .discovering, .connected,
            .disconnecting:
            return []
        }
    }

    /// The link was not established; none of its requests is pending.
    mutating func linkFailed(_ attempt: AttemptID, _ error: BLEError) -> [Action] {
        guard let effort, effort.id == attempt else { return [] }
        switch state {
        case .connecting, .discovering: return failed(effort, error)
        case .idle, .waiting, .restoring, .linkLost, .pausing, .connected, .disconnecting: return []
        }
    }

    mutating func serviceFound(_ attempt: AttemptID, _ isFound: Bool) -> [Action] {
        guard case .discovering(let effort, .services) = state, effort.id == attempt else {
            return []
        }
        guard isFound else { return end(effort, .characteristicNotFound) }
        state = .discovering(effort, .characteristics)
        return [.enter(phase), .findCharacteristics(attempt)]
    }

    mutating func characteristicsFound(_ attempt: AttemptID, _ areFound: Bool) -> [Action] {
        guard case .discovering(let effort, .characteristics) = state, effort.id == attempt
        else { return [] }
        guard areFound else { return end(effort, .characteristicNotFound) }
        state = .discovering(effort, .subscription)
        return [.enter(phase), .subscribe(attempt)]
    }

    mutating func subscribed(
        _ attempt: AttemptID,
        _ error: BLEError?,
        now: Duration
    ) -> [Action] {
        guard case .discovering(var effort, .subscription) = state, effort.id == attempt
        else { return [] }
        if let error {
            // The link was lost: the radio itself rejected nothing.
            return error == .notConnected
                ? lost(attempt, now: now) : end(effort, error)
        }
        let caller = effort.caller
        effort.caller = nil
        effort.mustReportDisconnection = false
        desiredDevice = nil
        state = .connected(effort, since: now)
        let device = effort.device
        let open: [Action] = [
            .setTimer(nil), .enter(.discoveryComplete(device)), .openStream(attempt, device),
        ]
        // The reconnection handler receives the stream before the phase is `connected`.
        let reports: [Action] = caller == nil ? [.reportReconnected(device)] : []
        // Save the radio before the phase is `connected`, so that a process killed then restores it.
        return open + reports + remember(device) + [.enter(phase)]
            + (caller.map { [.complete($0, .connected)] } ?? [])
    }

    /// The link or the subscription was lost.
    mutating func lost(_ attempt: AttemptID, now: Duration) -> [Action] {
        guard let effort, effort.id == attempt else { return [] }
        switch state {
        case .discovering: return failed(effort, .connectionFailed("the link was lost"))
        case .connected(_, let since): return handleLoss(effort, after: now - since, now)
        case .idle, .waiting, .restoring, .connecting, .linkLost, .pausing, .disconnecting:
            return []
        }
    }

    /// Dials again without pairing: the radio ended the link because of the pairing request.
    mutating func reconnectWithoutPairing(_ attempt: AttemptID, now: Duration) -> [Action] {
        guard case .discovering(let effort, .subscription) = state, effort.id == attempt
        else { return [] }
        return [.releaseLink(attempt)] + startConnecting(effort, now)
    }

    /// The connection has become unusable, for example because the radio requires a pairing.
    mutating func becameUnusable(_ attempt: AttemptID, _ error: BLEError) -> [Action] {
        guard case .connected(var effort, _) = state, effort.id == attempt else { return [] }
        effort.mustReportDisconnection = true
        return [.closeStream] + end(effort, error)
    }

    /// Pairing has replaced the identifier of the radio.
    mutating func identifierChanged(_ attempt: AttemptID, to device: Device) -> [Action] {
        guard var effort, effort.id == attempt, effort.device != device else { return [] }
        effort.device = device
        switch state {
        case .connecting(_, let isSearching): state = .connecting(effort, isSearching: isSearching)
        case .discovering(_, let step): state = .discovering(effort, step)
        case .connected(_, let since):
            state = .connected(effort, since: since)
            return [.enter(phase)] + remember(device)
        case .idle, .waiting, .restoring, .linkLost, .pausing, .disconnecting: return []
        }
        // A reconnecting radio is saved already, under its old identifier.
        return [.enter(phase)] + (effort.isReconnect ? remember(device) : [])
    }

    /// The time limit or the pause has expired.
    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .connecting(let effort, let isSearching):
            return end(effort, isSearching ? .deviceNotFound : .connectionTimeout)
        case .discovering(let effort, _): return end(effort, .connectionTimeout)
        case .linkLost(let effort):
            let actions = effort.failures == 0 ? startConnecting(effort, now) : pause(effort)
            return actions + [.reportReconnecting(effort.device)]
        case .pausing(let effort): return startConnecting(effort, now)
        case .idle, .waiting, .restoring, .connected, .disconnecting: return []
        }
    }

    mutating func startConnecting(_ effort: ConnectionAttempt, _ now: Duration) -> [Action] {
        let before = phase
        var effort = effort
        lastAttempt += 1
        effort.id = lastAttempt
        desiredDevice = nil
        state = .connecting(effort, isSearching: false)
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        let deadline = effort.caller.map { _ in now + settings.connectionTimeout }
        return entered + [.setTimer(deadline), .connect(effort.id, effort.device)]
    }

    private mutating func discover(_ effort: ConnectionAttempt, _ now: Duration) -> [Action] {
        state = .discovering(effort, .services)
        let isReturn = effort.isReconnect && effort.caller == nil
        let timeout =
            isReturn ? settings.autoReconnectDiscoveryTimeout : settings.serviceDiscoveryTimeout
        return [.enter(phase), .setTimer(now + timeout)]
    }

    /// Handles a failed attempt: a reconnection retries, unless the radio rejects the pairing.
    private mutating func failed(_ effort: ConnectionAttempt, _ error: BLEError) -> [Action] {
        guard effort.isReconnect, effort.caller == nil, !error.isPairingError else {
            return end(effort, error)
        }
        return retry(effort)
    }

    private mutating func retry(_ effort: ConnectionAttempt) -> [Action] {
        var effort = effort
        effort.failures += 1
        return [.releaseLink(effort.id)] + pause(effort)
    }

    private mutating func pause(_ effort: ConnectionAttempt) -> [Action] {
        let before = phase
        state = .pausing(effort)
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        return entered + [.pause(failures: effort.failures)]
    }

    private mutating func handleLoss(
        _ effort: ConnectionAttempt,
        after time: Duration,
        _ now: Duration
    ) -> [Action] {
        var effort = effort
        effort.isReconnect = true
        effort.mustReportDisconnection = true
        effort.failures = time >= settings.stableConnectionInterval ? 0 : effort.failures + 1
        state = .linkLost(effort)
        return [
            .closeStream, .releaseLink(effort.id), .enter(phase),
            .setTimer(now + settings.linkLossSettleTime),
        ]
    }

    /// Ends the effort with an error for the caller, or for the disconnection handler.
    private mutating func end(_ effort: ConnectionAttempt, _ error: BLEError) -> [Action] {
        if effort.caller != nil { return fail(effort, .failed(error)) }
        let actions = release(effort) + remember(nil)
        return actions
            + (effort.mustReportDisconnection ? [.reportDisconnected(effort.device, error)] : [])
    }

    mutating func fail(_ effort: ConnectionAttempt, _ outcome: Outcome) -> [Action] {
        // A reconnection that a caller took over ends with the caller's failure.
        let forgotten = effort.isReconnect ? remember(nil) : []
        return release(effort) + forgotten + complete(effort, outcome)
    }

    /// Releases the resources of the state, and enters `idle`.
    mutating func release(_ effort: ConnectionAttempt) -> [Action] {
        let held: [Action] =
            switch state {
            case .connecting, .discovering: [.setTimer(nil), .releaseLink(effort.id)]
            case .connected: [.releaseLink(effort.id)]
            case .linkLost, .pausing: [.setTimer(nil)]
            case .waiting: [.stopAwaiting(effort.id)]
            case .idle, .restoring, .disconnecting: []
            }
        state = .idle
        return held + [.enter(.idle)]
    }

    func complete(_ effort: ConnectionAttempt, _ outcome: Outcome) -> [Action] {
        effort.caller.map { [.complete($0, outcome)] } ?? []
    }
}

extension BLEError {
    /// Whether a retry cannot succeed.
    fileprivate var isPairingError: Bool {
        switch self {
        case .pairingFailed, .pairingCancelled: true
        case .connectionTimeout, .operationTimeout, .characteristicNotFound,
            .bluetoothUnavailable, .bluetoothUnauthorized, .bluetoothPoweredOff, .deviceNotFound,
            .connectionFailed, .notConnected, .writeError:
            false
        }
    }
}
