/// Decides how a connection is established, re-established and ended, and which callers are notified.
///
/// One effort runs at a time: for a caller, or to reconnect. A request to the engine carries the number of
/// its attempt, so that a late reply is discarded. Instants are arguments.
///
/// Invariants: each caller receives one result; a loss is reported once, and once more when it is final;
/// in `idle` no timer is armed and no link is held.
struct PhaseStateMachine: Equatable {
    typealias Device = BLEPhase.Device
    typealias Attempt = Int
    typealias Caller = Int

    struct Settings: Equatable {
        /// The limit until the link is up, for a caller.
        var connectionTimeout = Duration.seconds(10)
        /// The limit from the link to the subscription.
        var discoveryTimeout = Duration.seconds(40)
        /// The same limit for a reconnection.
        var returnDiscoveryTimeout = Duration.seconds(15)
        /// How much later than the end of a link the loss of Bluetooth that caused it may be reported.
        var lag = Duration.milliseconds(250)
        /// A connection that ended sooner counts as a failed attempt: the pauses keep growing.
        var steadyTime = Duration.seconds(5)
    }

    /// The result of a call.
    enum Outcome: Equatable {
        /// The stream opened last belongs to the caller.
        case connected
        case failed(BLEError)
        case cancelled
    }

    /// The progress of a link at the engine.
    enum Progress: Equatable {
        case searching, dialling, up
    }

    enum Action: Equatable {
        case enter(BLEPhase)
        /// Report `bluetoothReady` or `bluetoothRefused`.
        case awaitBluetooth(Attempt)
        case stopAwaiting(Attempt)
        /// Bring the link up; report `progressed`, `linkUp` or `linkFailed`, and `lost`.
        case dial(Attempt, Device)
        /// Report `serviceFound`.
        case findService(Attempt)
        /// Report `characteristicsFound`.
        case findCharacteristics(Attempt)
        /// Pair if need be, and subscribe; report `subscribed`.
        case subscribe(Attempt)
        /// Create the stream: it receives values, and values can be sent from now on.
        case openStream(Attempt, Device)
        /// End the stream, and fail the waiting values.
        case closeStream
        /// Release the link and all its pending requests; no caller waits.
        case letGo(Attempt)
        /// The same, and report `isCut`.
        case cut(Attempt)
        /// Report `timerFired` at the instant; `nil` disarms the timer.
        case setTimer(Duration?)
        /// Report `timerFired` after the pause for this number of consecutive failures.
        case pause(failures: Int)
        case complete(Caller, Outcome)
        case tellReconnecting(Device)
        /// The handler receives the stream opened last.
        case tellReconnected(Device)
        case tellDisconnected(Device, BLEError)
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
        var attempt: Attempt
        /// The caller that waits for the connection; `nil` for a reconnection.
        var caller: Caller?
        /// Whether the radio was connected before.
        var isReturn = false
        /// Whether the disconnection handler must be called if the loss becomes final.
        var owesEnd = false
        var failures = 0
    }

    private enum State: Equatable {
        /// Next: `waiting`, `restoring`, `dialling`.
        case idle
        /// Waits for Bluetooth, for a caller. Next: `dialling`, `idle`.
        case waiting(ConnectionAttempt)
        /// Waits for Bluetooth, to restore the radio of an earlier run. Next: `dialling`, `idle`.
        case restoring(ConnectionAttempt)
        /// Next: `discovering`, `pausing`, `leaving`, `idle`.
        case dialling(ConnectionAttempt, isSearching: Bool)
        /// The link was lost, perhaps because of Bluetooth, which shows in a moment. Next: `dialling`,
        /// `pausing`, `idle`.
        case losing(ConnectionAttempt)
        /// Waits between two reconnection attempts. Next: `dialling`, `idle`.
        case pausing(ConnectionAttempt)
        /// Next: `connected`, `dialling`, `pausing`, `leaving`, `idle`.
        case discovering(ConnectionAttempt, Step)
        /// Next: `losing`, `leaving`, `idle`.
        case connected(ConnectionAttempt, since: Duration)
        /// Next: `idle`.
        case leaving(ConnectionAttempt)
    }

    let settings: Settings
    private var state = State.idle
    /// The radio to reconnect when Bluetooth becomes usable.
    private(set) var wish: Device?
    private var lastAttempt = 0
    /// The content of the state file.
    private var remembered: Device?

    init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    var phase: BLEPhase {
        switch state {
        case .idle: .idle
        case .waiting: .waitingForBluetooth
        case .restoring(let effort): .restoringState(effort.device)
        case .dialling(let effort, _):
            effort.isReturn ? .autoReconnecting(effort.device) : .connecting(effort.device)
        case .losing(let effort), .pausing(let effort): .autoReconnecting(effort.device)
        case .discovering(let effort, .services): .discoveringServices(effort.device)
        case .discovering(let effort, .characteristics):
            .discoveringCharacteristics(effort.device)
        case .discovering(let effort, .subscription):
            .subscribingToNotifications(effort.device)
        case .connected(let effort, _): .connected(effort.device)
        case .leaving(let effort): .disconnecting(effort.device)
        }
    }

    /// Whether a lost connection is being re-established.
    var isReturning: Bool {
        switch state {
        case .idle, .waiting, .restoring, .connected, .leaving: false
        case .losing: true
        case .dialling(let effort, _), .pausing(let effort), .discovering(let effort, _):
            effort.isReturn
        }
    }

    var effort: ConnectionAttempt? {
        switch state {
        case .idle: nil
        case .waiting(let effort), .restoring(let effort), .dialling(let effort, _),
            .losing(let effort), .pausing(let effort), .discovering(let effort, _),
            .connected(let effort, _), .leaving(let effort):
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
            return [.awaitBluetooth(effort.attempt)]
        }
        if isReturning, let effort, effort.device == device, effort.caller == nil {
            return takeOver(effort, caller, now)
        }
        guard state == .idle else {
            let text = "the phase is \(phase.name); disconnect() or switchDevice(to:) ends it"
            return [.complete(caller, .failed(.connectionFailed(text)))]
        }
        var actions: [Action] = []
        if remembered != device {
            wish = nil
            actions += remember(nil)
        }
        lastAttempt += 1
        let effort = ConnectionAttempt(device: device, attempt: lastAttempt, caller: caller)
        if isOn { return actions + dial(effort, now) }
        state = .waiting(effort)
        return actions + [.enter(phase), .awaitBluetooth(effort.attempt)]
    }

    mutating func cancel(_ caller: Caller) -> [Action] {
        guard var effort, effort.caller == caller else { return [] }
        if case .restoring = state {
            effort.caller = nil
            state = .restoring(effort)
            return [.stopAwaiting(effort.attempt), .complete(caller, .cancelled)]
        }
        return fail(effort, .cancelled)
    }

    /// Ends the connection or the attempt.
    ///
    /// - Parameter isForgotten: Whether to clear the state file.
    /// - Returns: The actions; the last one is `disconnected`, now or after `isCut`.
    mutating func disconnect(isForgotten: Bool) -> [Action] {
        wish = nil
        let actions = isForgotten ? remember(nil) : []
        switch state {
        case .idle: return actions + [.disconnected]
        case .leaving: return actions
        case .waiting(let effort):
            return actions + fail(effort, .failed(Self.asked)) + [.disconnected]
        case .restoring(let effort):
            state = .idle
            return actions + stopAwaiting(effort) + [.enter(.idle)]
                + complete(effort, .failed(Self.asked)) + [.disconnected]
        case .losing, .pausing:
            state = .idle
            return actions + [.setTimer(nil), .enter(.idle), .disconnected]
        case .dialling(var effort, _), .discovering(var effort, _):
            let told = complete(effort, .failed(Self.asked))
            // The caller was notified: a later cancellation must have no effect.
            effort.caller = nil
            state = .leaving(effort)
            return actions + [.setTimer(nil), .enter(phase), .cut(effort.attempt)] + told
        case .connected(let effort, _):
            state = .leaving(effort)
            return actions + [.closeStream, .enter(phase), .cut(effort.attempt)]
        }
    }

    private static let asked = BLEError.connectionFailed("disconnect() was called")

    mutating func isCut(_ attempt: Attempt) -> [Action] {
        guard case .leaving(let effort) = state, effort.attempt == attempt else { return [] }
        state = .idle
        return [.enter(.idle), .disconnected]
    }

    /// Sets the content of the state file, before any request.
    mutating func knows(_ device: Device?) {
        remembered = device
    }

    /// Restores the radio of an earlier run.
    mutating func restore(_ device: Device, isOn: Bool, now: Duration) -> [Action] {
        guard state == .idle, wish == nil else { return [] }
        lastAttempt += 1
        state = .restoring(
            ConnectionAttempt(device: device, attempt: lastAttempt, isReturn: true, owesEnd: true)
        )
        return [.enter(phase)] + (isOn ? becameAvailable(now: now) : [])
    }

    mutating func becameAvailable(now: Duration) -> [Action] {
        if case .restoring(let effort) = state {
            let actions = stopAwaiting(effort) + dial(effort, now)
            // The earlier run could not report its loss.
            return actions + [.tellReconnecting(effort.device)]
        }
        guard state == .idle, let wish else { return [] }
        lastAttempt += 1
        return dial(ConnectionAttempt(device: wish, attempt: lastAttempt, isReturn: true), now)
    }

    mutating func becameUnavailable(_ error: BLEError) -> [Action] {
        switch state {
        case .idle, .waiting, .restoring, .leaving: return []
        case .losing(let effort): return waitForBluetooth(effort, error)
        case .dialling(let effort, _), .pausing(let effort), .discovering(let effort, _):
            guard effort.isReturn else { return fail(effort, .failed(error)) }
            return waitForBluetooth(effort, error)
        case .connected(var effort, _):
            effort.owesEnd = true
            return [.closeStream] + waitForBluetooth(effort, error)
        }
    }

    /// Bluetooth became usable for a waiting attempt.
    mutating func bluetoothReady(_ attempt: Attempt, now: Duration) -> [Action] {
        guard case .waiting(let effort) = state, effort.attempt == attempt else { return [] }
        return dial(effort, now)
    }

    /// Bluetooth does not become usable for a waiting attempt.
    mutating func bluetoothRefused(_ attempt: Attempt, _ error: BLEError) -> [Action] {
        guard var effort, effort.attempt == attempt else { return [] }
        switch state {
        case .waiting:
            state = .idle
            return [.enter(.idle)] + complete(effort, .failed(error))
        case .restoring:
            let actions = complete(effort, .failed(error))
            effort.caller = nil
            state = .restoring(effort)
            return actions
        case .idle, .dialling, .losing, .pausing, .discovering, .connected, .leaving: return []
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
        case .dialling(_, let isSearching):
            state = .dialling(effort, isSearching: isSearching)
            return [.setTimer(now + settings.connectionTimeout)]
        case .discovering(_, let step):
            state = .discovering(effort, step)
            return [.setTimer(now + settings.discoveryTimeout)]
        case .losing: return dial(effort, now) + [.tellReconnecting(effort.device)]
        case .idle, .waiting, .restoring, .pausing, .connected, .leaving:
            return dial(effort, now)
        }
    }

    private mutating func waitForBluetooth(_ effort: ConnectionAttempt, _ error: BLEError)
        -> [Action]
    {
        let actions = release(effort)
        wish = effort.device
        // A caller that took over the attempt receives the error; the reconnection itself continues.
        if effort.caller != nil { return actions + complete(effort, .failed(error)) }
        guard effort.owesEnd else { return actions }
        return actions + [.tellDisconnected(effort.device, error)]
    }

    private func stopAwaiting(_ effort: ConnectionAttempt) -> [Action] {
        effort.caller == nil ? [] : [.stopAwaiting(effort.attempt)]
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
        _ attempt: Attempt,
        _ progress: Progress,
        now: Duration
    ) -> [Action] {
        guard let effort, effort.attempt == attempt else { return [] }
        switch (state, progress) {
        case (.dialling, .up): return discover(effort, now)
        case (.dialling, _):
            state = .dialling(effort, isSearching: progress == .searching)
            return []
        case (.discovering(_, .services), .dialling), (.discovering(_, .services), .searching):
            // The link broke and is dialled again: one limit covers all attempts of a caller.
            guard effort.caller == nil else { return [] }
            state = .dialling(effort, isSearching: progress == .searching)
            return [.setTimer(nil), .enter(phase)]
        case (.idle, _), (.waiting, _), (.restoring, _), (.losing, _), (.pausing, _),
            (.discovering, _), (.connected, _), (.leaving, _):
            return []
        }
    }

    /// The link is up, and the services of the radio are known.
    mutating func linkUp(_ attempt: Attempt, now: Duration) -> [Action] {
        guard let effort, effort.attempt == attempt else { return [] }
        switch state {
        // A link that was already up reports no progress.
        case .dialling: return discover(effort, now) + [.findService(attempt)]
        case .discovering(_, .services): return [.findService(attempt)]
        case .idle, .waiting, .restoring, .losing, .pausing, .discovering, .connected, .leaving:
            return []
        }
    }

    /// The link was not established; none of its requests is pending.
    mutating func linkFailed(_ attempt: Attempt, _ error: BLEError) -> [Action] {
        guard let effort, effort.attempt == attempt else { return [] }
        switch state {
        case .dialling, .discovering: return failed(effort, error)
        case .idle, .waiting, .restoring, .losing, .pausing, .connected, .leaving: return []
        }
    }

    mutating func serviceFound(_ attempt: Attempt, _ isFound: Bool) -> [Action] {
        guard case .discovering(let effort, .services) = state, effort.attempt == attempt else {
            return []
        }
        guard isFound else { return end(effort, .characteristicNotFound) }
        state = .discovering(effort, .characteristics)
        return [.enter(phase), .findCharacteristics(attempt)]
    }

    mutating func characteristicsFound(_ attempt: Attempt, _ areFound: Bool) -> [Action] {
        guard case .discovering(let effort, .characteristics) = state, effort.attempt == attempt
        else { return [] }
        guard areFound else { return end(effort, .characteristicNotFound) }
        state = .discovering(effort, .subscription)
        return [.enter(phase), .subscribe(attempt)]
    }

    mutating func subscribed(
        _ attempt: Attempt,
        _ error: BLEError?,
        now: Duration
    ) -> [Action] {
        guard case .discovering(var effort, .subscription) = state, effort.attempt == attempt
        else { return [] }
        if let error {
            // The link was lost: the radio itself rejected nothing.
            return error == .notConnected
                ? lost(attempt, now: now) : end(effort, error)
        }
        let caller = effort.caller
        effort.caller = nil
        effort.owesEnd = false
        wish = nil
        state = .connected(effort, since: now)
        let device = effort.device
        let open: [Action] = [
            .setTimer(nil), .enter(.discoveryComplete(device)), .openStream(attempt, device),
        ]
        // The reconnection handler receives the stream before the phase is `connected`.
        let told: [Action] = caller == nil ? [.tellReconnected(device)] : []
        // Save the radio before the phase is `connected`, so that a process killed then restores it.
        return open + told + remember(device) + [.enter(phase)]
            + (caller.map { [.complete($0, .connected)] } ?? [])
    }

    /// The link or the subscription was lost.
    mutating func lost(_ attempt: Attempt, now: Duration) -> [Action] {
        guard let effort, effort.attempt == attempt else { return [] }
        switch state {
        case .discovering: return failed(effort, .connectionFailed("the link was lost"))
        case .connected(_, let since): return lose(effort, after: now - since, now)
        case .idle, .waiting, .restoring, .dialling, .losing, .pausing, .leaving: return []
        }
    }

    /// Dials again without pairing: the radio ended the link because of the pairing request.
    mutating func redial(_ attempt: Attempt, now: Duration) -> [Action] {
        guard case .discovering(let effort, .subscription) = state, effort.attempt == attempt
        else { return [] }
        return [.letGo(attempt)] + dial(effort, now)
    }

    /// The connection has become unusable, for example because the radio requires a pairing.
    mutating func givenUp(_ attempt: Attempt, _ error: BLEError) -> [Action] {
        guard case .connected(var effort, _) = state, effort.attempt == attempt else { return [] }
        effort.owesEnd = true
        return [.closeStream] + end(effort, error)
    }

    /// Pairing has replaced the identifier of the radio.
    mutating func moved(_ attempt: Attempt, to device: Device) -> [Action] {
        guard var effort, effort.attempt == attempt, effort.device != device else { return [] }
        effort.device = device
        switch state {
        case .dialling(_, let isSearching): state = .dialling(effort, isSearching: isSearching)
        case .discovering(_, let step): state = .discovering(effort, step)
        case .connected(_, let since):
            state = .connected(effort, since: since)
            return [.enter(phase)] + remember(device)
        case .idle, .waiting, .restoring, .losing, .pausing, .leaving: return []
        }
        // A reconnecting radio is saved already, under its old identifier.
        return [.enter(phase)] + (effort.isReturn ? remember(device) : [])
    }

    /// The time limit or the pause has expired.
    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .dialling(let effort, let isSearching):
            return end(effort, isSearching ? .deviceNotFound : .connectionTimeout)
        case .discovering(let effort, _): return end(effort, .connectionTimeout)
        case .losing(let effort):
            let actions = effort.failures == 0 ? dial(effort, now) : pause(effort)
            return actions + [.tellReconnecting(effort.device)]
        case .pausing(let effort): return dial(effort, now)
        case .idle, .waiting, .restoring, .connected, .leaving: return []
        }
    }

    mutating func dial(_ effort: ConnectionAttempt, _ now: Duration) -> [Action] {
        let before = phase
        var effort = effort
        lastAttempt += 1
        effort.attempt = lastAttempt
        wish = nil
        state = .dialling(effort, isSearching: false)
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        let limit = effort.caller.map { _ in now + settings.connectionTimeout }
        return entered + [.setTimer(limit), .dial(effort.attempt, effort.device)]
    }

    private mutating func discover(_ effort: ConnectionAttempt, _ now: Duration) -> [Action] {
        state = .discovering(effort, .services)
        let isReturn = effort.isReturn && effort.caller == nil
        let limit = isReturn ? settings.returnDiscoveryTimeout : settings.discoveryTimeout
        return [.enter(phase), .setTimer(now + limit)]
    }

    /// Handles a failed attempt: a reconnection retries, unless the radio rejects the pairing.
    private mutating func failed(_ effort: ConnectionAttempt, _ error: BLEError) -> [Action] {
        guard effort.isReturn, effort.caller == nil, !error.isOfPairing else {
            return end(effort, error)
        }
        return retry(effort)
    }

    private mutating func retry(_ effort: ConnectionAttempt) -> [Action] {
        var effort = effort
        effort.failures += 1
        return [.letGo(effort.attempt)] + pause(effort)
    }

    private mutating func pause(_ effort: ConnectionAttempt) -> [Action] {
        let before = phase
        state = .pausing(effort)
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        return entered + [.pause(failures: effort.failures)]
    }

    private mutating func lose(
        _ effort: ConnectionAttempt,
        after time: Duration,
        _ now: Duration
    ) -> [Action] {
        var effort = effort
        effort.isReturn = true
        effort.owesEnd = true
        effort.failures = time >= settings.steadyTime ? 0 : effort.failures + 1
        state = .losing(effort)
        return [
            .closeStream, .letGo(effort.attempt), .enter(phase), .setTimer(now + settings.lag),
        ]
    }

    /// Ends the effort with an error for the caller, or for the disconnection handler.
    private mutating func end(_ effort: ConnectionAttempt, _ error: BLEError) -> [Action] {
        if effort.caller != nil { return fail(effort, .failed(error)) }
        let actions = release(effort) + remember(nil)
        return actions + (effort.owesEnd ? [.tellDisconnected(effort.device, error)] : [])
    }

    mutating func fail(_ effort: ConnectionAttempt, _ outcome: Outcome) -> [Action] {
        // A reconnection that a caller took over ends with the caller's failure.
        let forgotten = effort.isReturn ? remember(nil) : []
        return release(effort) + forgotten + complete(effort, outcome)
    }

    /// Releases the resources of the state, and enters `idle`.
    mutating func release(_ effort: ConnectionAttempt) -> [Action] {
        let held: [Action] =
            switch state {
            case .dialling, .discovering: [.setTimer(nil), .letGo(effort.attempt)]
            case .connected: [.letGo(effort.attempt)]
            case .losing, .pausing: [.setTimer(nil)]
            case .waiting: [.stopAwaiting(effort.attempt)]
            case .idle, .restoring, .leaving: []
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
    fileprivate var isOfPairing: Bool {
        switch self {
        case .pairingFailed, .pairingCancelled: true
        case .connectionTimeout, .operationTimeout, .characteristicNotFound,
            .bluetoothUnavailable, .bluetoothUnauthorized, .bluetoothPoweredOff, .deviceNotFound,
            .connectionFailed, .notConnected, .writeError:
            false
        }
    }
}
