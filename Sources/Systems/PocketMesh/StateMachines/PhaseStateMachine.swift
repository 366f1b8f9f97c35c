/// Decides how a connection is established, re-established and ended, and which callers are notified.
///
/// One attempt runs at a time: for a caller, or to reconnect. A request to the engine carries the number of
/// its attempt, so that a late reply is discarded. Instants are arguments.
///
/// Invariants: each caller receives one result; a loss is reported once, and once more when it is final;
/// in `idle` no timer is armed and no link is held.
struct PhaseStateMachine: Equatable {
    typealias Device = BLEPhase.Device
    typealias AttemptID = Int
    typealias Caller = Int
    typealias Event = @Sendable (inout PhaseStateMachine, _ now: Duration) -> [Action]

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

    private enum Stage: Equatable {
        /// Waits for Bluetooth, for a caller. Next: `connecting`.
        case waiting
        /// Waits for Bluetooth, to restore the radio of an earlier run. Next: `connecting`.
        case restoring
        /// Next: `discovering`, `pausing`, `disconnecting`.
        case connecting(isSearching: Bool)
        /// The link was lost, perhaps because of Bluetooth, which shows in a moment. Next: `connecting`,
        /// `pausing`.
        case linkLost
        /// Waits between two reconnection attempts. Next: `connecting`.
        case pausing
        /// Next: `connected`, `connecting`, `pausing`, `disconnecting`.
        case discovering(Step)
        /// Next: `linkLost`, `disconnecting`.
        case connected(since: Duration)
        /// Next: none.
        case disconnecting
    }

    private enum State: Equatable {
        /// Next: `active` in the stages `waiting`, `restoring` and `connecting`.
        case idle
        /// Next: `idle`, from each stage.
        case active(ConnectionAttempt, Stage)
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
        guard case .active(let attempt, let stage) = state else { return .idle }
        let device = attempt.device
        return switch stage {
        case .waiting: .waitingForBluetooth
        case .restoring: .restoringState(device)
        case .connecting where !attempt.isReconnect: .connecting(device)
        case .connecting, .linkLost, .pausing: .autoReconnecting(device)
        case .discovering(.services): .discoveringServices(device)
        case .discovering(.characteristics): .discoveringCharacteristics(device)
        case .discovering(.subscription): .subscribingToNotifications(device)
        case .connected: .connected(device)
        case .disconnecting: .disconnecting(device)
        }
    }

    /// Whether a lost connection is being re-established.
    var isReconnecting: Bool {
        guard case .active(let attempt, let stage) = state else { return false }
        return switch stage {
        case .waiting, .restoring, .connected, .disconnecting: false
        case .linkLost: true
        case .connecting, .pausing, .discovering: attempt.isReconnect
        }
    }

    var attempt: ConnectionAttempt? {
        if case .active(let attempt, _) = state { attempt } else { nil }
    }

    /// The attempt with a number, in its stage, or `nil` if it has ended.
    private func active(_ id: AttemptID) -> (ConnectionAttempt, Stage)? {
        guard case .active(let attempt, let stage) = state, attempt.id == id else { return nil }
        return (attempt, stage)
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
        if case .active(var attempt, .restoring) = state, attempt.device == device,
            attempt.caller == nil
        {
            attempt.caller = caller
            state = .active(attempt, .restoring)
            return [.awaitBluetooth(attempt.id)]
        }
        if isReconnecting, case .active(let attempt, let stage) = state, attempt.device == device,
            attempt.caller == nil
        {
            return takeOver(attempt, in: stage, for: caller, now)
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
        let attempt = ConnectionAttempt(device: device, id: lastAttempt, caller: caller)
        if isOn { return actions + startConnecting(attempt, now) }
        state = .active(attempt, .waiting)
        return actions + [.enter(phase), .awaitBluetooth(attempt.id)]
    }

    mutating func cancel(_ caller: Caller) -> [Action] {
        guard case .active(var attempt, let stage) = state, attempt.caller == caller else {
            return []
        }
        guard stage == .restoring else { return fail(attempt, .cancelled) }
        attempt.caller = nil
        state = .active(attempt, .restoring)
        return [.stopAwaiting(attempt.id), .complete(caller, .cancelled)]
    }

    /// Ends the connection or the attempt.
    ///
    /// - Parameter clearsState: Whether to clear the state file.
    /// - Returns: The actions; the last one is `disconnected`, now or after `linkReleased`.
    mutating func disconnect(clearsState: Bool) -> [Action] {
        desiredDevice = nil
        let actions = clearsState ? remember(nil) : []
        guard case .active(var attempt, let stage) = state else { return actions + [.disconnected] }
        let completions = complete(attempt, .failed(Self.disconnectRequested))
        // The caller was notified: a later cancellation must have no effect.
        attempt.caller = nil
        switch stage {
        case .disconnecting: return actions
        case .waiting:
            return actions + release(attempt) + completions + [.disconnected]
        case .restoring:
            state = .idle
            let stopped: [Action] = completions.isEmpty ? [] : [.stopAwaiting(attempt.id)]
            return actions + stopped + [.enter(.idle)] + completions + [.disconnected]
        case .linkLost, .pausing:
            state = .idle
            return actions + [.setTimer(nil), .enter(.idle), .disconnected]
        case .connecting, .discovering:
            state = .active(attempt, .disconnecting)
            return actions + [.setTimer(nil), .enter(phase), .disconnect(attempt.id)] + completions
        case .connected:
            state = .active(attempt, .disconnecting)
            return actions + [.closeStream, .enter(phase), .disconnect(attempt.id)]
        }
    }

    private static let disconnectRequested = BLEError.connectionFailed("disconnect() was called")

    mutating func linkReleased(_ id: AttemptID) -> [Action] {
        guard case (_, .disconnecting)? = active(id) else { return [] }
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
        var attempt = ConnectionAttempt(device: device, id: lastAttempt, isReconnect: true)
        attempt.mustReportDisconnection = true
        state = .active(attempt, .restoring)
        return [.enter(phase)] + (isOn ? becameAvailable(now: now) : [])
    }

    mutating func becameAvailable(now: Duration) -> [Action] {
        if case .active(let attempt, .restoring) = state {
            let stopped: [Action] = attempt.caller == nil ? [] : [.stopAwaiting(attempt.id)]
            // The earlier run could not report its loss.
            return stopped + startConnecting(attempt, now) + [.reportReconnecting(attempt.device)]
        }
        guard state == .idle, let desiredDevice else { return [] }
        lastAttempt += 1
        let attempt = ConnectionAttempt(device: desiredDevice, id: lastAttempt, isReconnect: true)
        return startConnecting(attempt, now)
    }

    mutating func becameUnavailable(_ error: BLEError) -> [Action] {
        guard case .active(var attempt, let stage) = state else { return [] }
        switch stage {
        case .waiting, .restoring, .disconnecting: return []
        case .linkLost: return waitForBluetooth(attempt, error)
        case .connecting, .pausing, .discovering:
            guard attempt.isReconnect else { return fail(attempt, .failed(error)) }
            return waitForBluetooth(attempt, error)
        case .connected:
            attempt.mustReportDisconnection = true
            return [.closeStream] + waitForBluetooth(attempt, error)
        }
    }

    /// Bluetooth became usable for a waiting attempt.
    mutating func bluetoothReady(_ id: AttemptID, now: Duration) -> [Action] {
        guard case (let attempt, .waiting)? = active(id) else { return [] }
        return startConnecting(attempt, now)
    }

    /// Bluetooth does not become usable for a waiting attempt.
    mutating func bluetoothFailed(_ id: AttemptID, _ error: BLEError) -> [Action] {
        guard case (var attempt, let stage)? = active(id) else { return [] }
        let completions = complete(attempt, .failed(error))
        switch stage {
        case .waiting:
            state = .idle
            return [.enter(.idle)] + completions
        case .restoring:
            attempt.caller = nil
            state = .active(attempt, .restoring)
            return completions
        case .connecting, .linkLost, .pausing, .discovering, .connected, .disconnecting: return []
        }
    }

    private mutating func takeOver(
        _ attempt: ConnectionAttempt,
        in stage: Stage,
        for caller: Caller,
        _ now: Duration
    ) -> [Action] {
        var attempt = attempt
        attempt.caller = caller
        state = .active(attempt, stage)
        switch stage {
        case .connecting: return [.setTimer(now + settings.connectionTimeout)]
        case .discovering: return [.setTimer(now + settings.serviceDiscoveryTimeout)]
        case .linkLost: return startConnecting(attempt, now) + [.reportReconnecting(attempt.device)]
        case .waiting, .restoring, .pausing, .connected, .disconnecting:
            return startConnecting(attempt, now)
        }
    }

    private mutating func waitForBluetooth(
        _ attempt: ConnectionAttempt,
        _ error: BLEError
    ) -> [Action] {
        let actions = release(attempt)
        desiredDevice = attempt.device
        // A caller that took over the attempt receives the error; the reconnection itself continues.
        if attempt.caller != nil { return actions + complete(attempt, .failed(error)) }
        guard attempt.mustReportDisconnection else { return actions }
        return actions + [.reportDisconnected(attempt.device, error)]
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
        _ id: AttemptID,
        _ progress: LinkStage,
        now: Duration
    ) -> [Action] {
        guard case (let attempt, let stage)? = active(id) else { return [] }
        switch (stage, progress) {
        case (.connecting, .connected): return discover(attempt, now)
        case (.connecting, _):
            state = .active(attempt, .connecting(isSearching: progress == .discovering))
            return []
        case (.discovering(.services), .connecting), (.discovering(.services), .discovering):
            // The link was lost and is being reestablished: one limit covers all attempts of a caller.
            guard attempt.caller == nil else { return [] }
            state = .active(attempt, .connecting(isSearching: progress == .discovering))
            return [.setTimer(nil), .enter(phase)]
        case (.waiting, _), (.restoring, _), (.linkLost, _), (.pausing, _), (.discovering, _),
            (.connected, _), (.disconnecting, _):
            return []
        }
    }

    /// The link is up, and the services of the radio are known.
    mutating func linkUp(_ id: AttemptID, now: Duration) -> [Action] {
        guard case (let attempt, let stage)? = active(id) else { return [] }
        switch stage {
        // A link that was already up reports no progress.
        case .connecting: return discover(attempt, now) + [.findService(id)]
        case .discovering(.services): return [.findService(id)]
        case .waiting, .restoring, .linkLost, .pausing, .discovering, .connected, .disconnecting:
            return []
        }
    }

    /// The link was not established; none of its requests is pending.
    mutating func linkFailed(_ id: AttemptID, _ error: BLEError) -> [Action] {
        guard case (let attempt, let stage)? = active(id) else { return [] }
        switch stage {
        case .connecting, .discovering: return failed(attempt, error)
        case .waiting, .restoring, .linkLost, .pausing, .connected, .disconnecting: return []
        }
    }

    mutating func serviceFound(_ id: AttemptID, _ isFound: Bool) -> [Action] {
        guard case (let attempt, .discovering(.services))? = active(id) else { return [] }
        guard isFound else { return end(attempt, .characteristicNotFound) }
        state = .active(attempt, .discovering(.characteristics))
        return [.enter(phase), .findCharacteristics(id)]
    }

    mutating func characteristicsFound(_ id: AttemptID, _ areFound: Bool) -> [Action] {
        guard case (let attempt, .discovering(.characteristics))? = active(id) else { return [] }
        guard areFound else { return end(attempt, .characteristicNotFound) }
        state = .active(attempt, .discovering(.subscription))
        return [.enter(phase), .subscribe(id)]
    }

    mutating func subscribed(
        _ id: AttemptID,
        _ error: BLEError?,
        now: Duration
    ) -> [Action] {
        guard case (var attempt, .discovering(.subscription))? = active(id) else { return [] }
        if let error {
            // The link was lost: the radio itself rejected nothing.
            return error == .notConnected ? lost(id, now: now) : end(attempt, error)
        }
        let caller = attempt.caller
        attempt.caller = nil
        attempt.mustReportDisconnection = false
        desiredDevice = nil
        state = .active(attempt, .connected(since: now))
        let device = attempt.device
        let open: [Action] = [
            .setTimer(nil), .enter(.discoveryComplete(device)), .openStream(id, device),
        ]
        // The reconnection handler receives the stream before the phase is `connected`.
        let reports: [Action] = caller == nil ? [.reportReconnected(device)] : []
        // Save the radio before the phase is `connected`, so that a process killed then restores it.
        return open + reports + remember(device) + [.enter(phase)]
            + (caller.map { [.complete($0, .connected)] } ?? [])
    }

    /// The link or the subscription was lost.
    mutating func lost(_ id: AttemptID, now: Duration) -> [Action] {
        guard case (let attempt, let stage)? = active(id) else { return [] }
        switch stage {
        case .discovering: return failed(attempt, .connectionFailed("the link was lost"))
        case .connected(let since): return handleLoss(attempt, after: now - since, now)
        case .waiting, .restoring, .connecting, .linkLost, .pausing, .disconnecting: return []
        }
    }

    /// Dials again without pairing: the radio ended the link because of the pairing request.
    mutating func reconnectWithoutPairing(_ id: AttemptID, now: Duration) -> [Action] {
        guard case (let attempt, .discovering(.subscription))? = active(id) else { return [] }
        return [.releaseLink(id)] + startConnecting(attempt, now)
    }

    /// The connection has become unusable, for example because the radio requires a pairing.
    mutating func becameUnusable(_ id: AttemptID, _ error: BLEError) -> [Action] {
        guard case (var attempt, .connected)? = active(id) else { return [] }
        attempt.mustReportDisconnection = true
        return [.closeStream] + end(attempt, error)
    }

    /// Pairing has replaced the identifier of the radio.
    mutating func identifierChanged(_ id: AttemptID, to device: Device) -> [Action] {
        guard case (var attempt, let stage)? = active(id), attempt.device != device else {
            return []
        }
        attempt.device = device
        switch stage {
        case .connecting, .discovering:
            state = .active(attempt, stage)
            // A reconnecting radio is saved already, under its old identifier.
            return [.enter(phase)] + (attempt.isReconnect ? remember(device) : [])
        case .connected:
            state = .active(attempt, stage)
            return [.enter(phase)] + remember(device)
        case .waiting, .restoring, .linkLost, .pausing, .disconnecting: return []
        }
    }

    /// The time limit or the pause has expired.
    mutating func timerFired(now: Duration) -> [Action] {
        guard case .active(let attempt, let stage) = state else { return [] }
        switch stage {
        case .connecting(let isSearching):
            return end(attempt, isSearching ? .deviceNotFound : .connectionTimeout)
        case .discovering: return end(attempt, .connectionTimeout)
        case .linkLost:
            let actions = attempt.failures == 0 ? startConnecting(attempt, now) : pause(attempt)
            return actions + [.reportReconnecting(attempt.device)]
        case .pausing: return startConnecting(attempt, now)
        case .waiting, .restoring, .connected, .disconnecting: return []
        }
    }

    mutating func startConnecting(_ attempt: ConnectionAttempt, _ now: Duration) -> [Action] {
        let before = phase
        var attempt = attempt
        lastAttempt += 1
        attempt.id = lastAttempt
        desiredDevice = nil
        state = .active(attempt, .connecting(isSearching: false))
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        let deadline = attempt.caller.map { _ in now + settings.connectionTimeout }
        return entered + [.setTimer(deadline), .connect(attempt.id, attempt.device)]
    }

    private mutating func discover(_ attempt: ConnectionAttempt, _ now: Duration) -> [Action] {
        state = .active(attempt, .discovering(.services))
        let isReturn = attempt.isReconnect && attempt.caller == nil
        let timeout =
            isReturn ? settings.autoReconnectDiscoveryTimeout : settings.serviceDiscoveryTimeout
        return [.enter(phase), .setTimer(now + timeout)]
    }

    /// Handles a failed attempt: a reconnection retries, unless the radio rejects the pairing.
    private mutating func failed(_ attempt: ConnectionAttempt, _ error: BLEError) -> [Action] {
        guard attempt.isReconnect, attempt.caller == nil, !error.isPairingError else {
            return end(attempt, error)
        }
        return retry(attempt)
    }

    private mutating func retry(_ attempt: ConnectionAttempt) -> [Action] {
        var attempt = attempt
        attempt.failures += 1
        return [.releaseLink(attempt.id)] + pause(attempt)
    }

    private mutating func pause(_ attempt: ConnectionAttempt) -> [Action] {
        let before = phase
        state = .active(attempt, .pausing)
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        return entered + [.pause(failures: attempt.failures)]
    }

    private mutating func handleLoss(
        _ attempt: ConnectionAttempt,
        after time: Duration,
        _ now: Duration
    ) -> [Action] {
        var attempt = attempt
        attempt.isReconnect = true
        attempt.mustReportDisconnection = true
        attempt.failures = time >= settings.stableConnectionInterval ? 0 : attempt.failures + 1
        state = .active(attempt, .linkLost)
        return [
            .closeStream, .releaseLink(attempt.id), .enter(phase),
            .setTimer(now + settings.linkLossSettleTime),
        ]
    }

    /// Ends the attempt with an error for the caller, or for the disconnection handler.
    private mutating func end(_ attempt: ConnectionAttempt, _ error: BLEError) -> [Action] {
        if attempt.caller != nil { return fail(attempt, .failed(error)) }
        let actions = release(attempt) + remember(nil)
        return actions
            + (attempt.mustReportDisconnection ? [.reportDisconnected(attempt.device, error)] : [])
    }

    mutating func fail(_ attempt: ConnectionAttempt, _ outcome: Outcome) -> [Action] {
        // A reconnection that a caller took over ends with the caller's failure.
        let forgotten = attempt.isReconnect ? remember(nil) : []
        return release(attempt) + forgotten + complete(attempt, outcome)
    }

    /// Releases the resources of the state, and enters `idle`.
    mutating func release(_ attempt: ConnectionAttempt) -> [Action] {
        guard case .active(_, let stage) = state else { return [.enter(.idle)] }
        let released: [Action] =
            switch stage {
            case .connecting, .discovering: [.setTimer(nil), .releaseLink(attempt.id)]
            case .connected: [.releaseLink(attempt.id)]
            case .linkLost, .pausing: [.setTimer(nil)]
            case .waiting: [.stopAwaiting(attempt.id)]
            case .restoring, .disconnecting: []
            }
        state = .idle
        return released + [.enter(.idle)]
    }

    func complete(_ attempt: ConnectionAttempt, _ outcome: Outcome) -> [Action] {
        attempt.caller.map { [.complete($0, outcome)] } ?? []
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
