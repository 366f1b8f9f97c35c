/// Decides how a connection comes up, is kept, comes back and ends, and who is told of it.
///
/// There is one effort at a time: for somebody who called, or to come back. What is asked of the engine
/// carries the number of its attempt, so that a late answer is not taken for another's. Instants are
/// arguments.
///
/// Invariants: each caller is told once; a loss is told once when it happens, and once more when it was
/// not made good; in `idle` nothing is armed and nothing is held.
struct PhaseMachine: Equatable {
    typealias Device = BLEPhase.Device
    typealias Attempt = Int
    typealias Caller = Int

    struct Settings: Equatable {
        /// Until there is a link, for somebody who called.
        var connectionTimeout = Duration.seconds(10)
        /// From the link on, over everything up to the subscription.
        var discoveryTimeout = Duration.seconds(40)
        /// The same for a connection that comes back.
        var returnDiscoveryTimeout = Duration.seconds(15)
        /// How long the end of Bluetooth may lag behind the end of the link that it causes.
        var lag = Duration.milliseconds(250)
        /// A connection that ended sooner counts as a failed attempt: the pauses go on growing.
        var steadyTime = Duration.seconds(5)
    }

    /// What becomes of a call.
    enum Outcome: Equatable {
        /// The stream that was opened last is the caller's.
        case connected
        case failed(BLEError)
        case cancelled
    }

    /// How far the engine is with a link.
    enum Progress: Equatable {
        case searching, dialling, up
    }

    /// What to do.
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
        /// Make the stream: values go into it, and what is sent is taken from now on.
        case openStream(Attempt, Device)
        /// End the stream, and fail what waits to be sent.
        case closeStream
        /// Give the link up, whatever is pending of it; nobody waits.
        case letGo(Attempt)
        /// The same, and report `isCut`.
        case cut(Attempt)
        /// Report `timerFired` at the instant; nil disarms the one timer.
        case setTimer(Duration?)
        /// Report `timerFired` after the pause that follows so many failures in a row.
        case pause(failures: Int)
        case complete(Caller, Outcome)
        case tellReconnecting(Device)
        /// The stream that was opened last is whose it concerns.
        case tellReconnected(Device)
        case tellDisconnected(Device, BLEError)
        /// What the next run goes on with.
        case remember(Device?)
        /// Everybody who waits for a disconnect can go on.
        case disconnected
    }

    enum Step: Equatable {
        case services, characteristics, subscription
    }

    struct Effort: Equatable {
        var device: Device
        /// Counts the attempts of the machine.
        var attempt: Attempt
        /// Who waits for the connection; nil when it comes back by itself.
        var caller: Caller?
        /// Whether it was connected before.
        var isReturn = false
        /// Whether the end of the loss has to be told if it is not made good.
        var owesEnd = false
        var failures = 0
    }

    enum State: Equatable {
        /// Next: `waiting`, `restoring`, `dialling`.
        case idle
        /// For Bluetooth, on somebody's behalf. Next: `dialling`, `idle`.
        case waiting(Effort)
        /// What a former run had, until Bluetooth can be used. Next: `dialling`, `idle`.
        case restoring(Effort)
        /// Next: `discovering`, `pausing`, `leaving`, `idle`.
        case dialling(Effort, isSearching: Bool)
        /// The link has gone by itself, or with Bluetooth, which shows in a moment. Next: `dialling`,
        /// `pausing`, `idle`.
        case losing(Effort)
        /// Between two attempts to come back. Next: `dialling`, `idle`.
        case pausing(Effort)
        /// Next: `connected`, `dialling`, `pausing`, `leaving`, `idle`.
        case discovering(Effort, Step)
        /// Next: `losing`, `leaving`, `idle`.
        case connected(Effort, since: Duration)
        /// Next: `idle`.
        case leaving(Effort)
    }

    let settings: Settings
    var state = State.idle
    /// What is connected again when Bluetooth is back.
    var wish: Device?
    var lastAttempt = 0
    /// What the state file has.
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

    /// Whether a connection that was there is being made again.
    var isReturning: Bool {
        switch state {
        case .idle, .waiting, .restoring, .connected, .leaving: false
        case .losing: true
        case .dialling(let effort, _), .pausing(let effort), .discovering(let effort, _):
            effort.isReturn
        }
    }

    var effort: Effort? {
        switch state {
        case .idle: nil
        case .waiting(let effort), .restoring(let effort), .dialling(let effort, _),
            .losing(let effort), .pausing(let effort), .discovering(let effort, _),
            .connected(let effort, _), .leaving(let effort):
            effort
        }
    }

    // MARK: What users ask for

    /// Somebody wants a connection.
    ///
    /// Who wants the one that is coming back, or will, takes it over: it is theirs from now on.
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
        let effort = Effort(device: device, attempt: lastAttempt, caller: caller)
        if isOn { return actions + dial(effort, now) }
        state = .waiting(effort)
        return actions + [.enter(phase), .awaitBluetooth(effort.attempt)]
    }

    /// A caller waits no more.
    mutating func cancel(_ caller: Caller) -> [Action] {
        guard var effort, effort.caller == caller else { return [] }
        if case .restoring = state {
            effort.caller = nil
            state = .restoring(effort)
            return [.stopAwaiting(effort.attempt), .complete(caller, .cancelled)]
        }
        return fail(effort, .cancelled)
    }

    /// Nobody wants a connection any more.
    ///
    /// - Parameter isForgotten: Whether the next run has nothing to go on with either.
    /// - Returns: What to do; at last `disconnected`, now or behind `isCut`.
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
            // Whose task is cancelled from now on has been told.
            effort.caller = nil
            state = .leaving(effort)
            return actions + [.setTimer(nil), .enter(phase), .cut(effort.attempt)] + told
        case .connected(let effort, _):
            state = .leaving(effort)
            return actions + [.closeStream, .enter(phase), .cut(effort.attempt)]
        }
    }

    private static let asked = BLEError.connectionFailed("disconnect() was called")

    /// The link that was to be cut is.
    mutating func isCut(_ attempt: Attempt) -> [Action] {
        guard case .leaving(let effort) = state, effort.attempt == attempt else { return [] }
        state = .idle
        return [.enter(.idle), .disconnected]
    }

    /// What the state file has, before anything is begun.
    mutating func knows(_ device: Device?) {
        remembered = device
    }

    /// A former run was connected to a radio.
    mutating func restore(_ device: Device, isOn: Bool, now: Duration) -> [Action] {
        guard state == .idle, wish == nil else { return [] }
        lastAttempt += 1
        state = .restoring(
            Effort(device: device, attempt: lastAttempt, isReturn: true, owesEnd: true)
        )
        return [.enter(phase)] + (isOn ? becameAvailable(now: now) : [])
    }

    // MARK: Bluetooth

    /// Bluetooth can be used now.
    mutating func becameAvailable(now: Duration) -> [Action] {
        if case .restoring(let effort) = state {
            let actions = stopAwaiting(effort) + dial(effort, now)
            // The former run could not be told of what it lost.
            return actions + [.tellReconnecting(effort.device)]
        }
        guard state == .idle, let wish else { return [] }
        lastAttempt += 1
        return dial(Effort(device: wish, attempt: lastAttempt, isReturn: true), now)
    }

    /// Bluetooth cannot be used any more.
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

    /// What was awaited is there.
    mutating func bluetoothReady(_ attempt: Attempt, now: Duration) -> [Action] {
        guard case .waiting(let effort) = state, effort.attempt == attempt else { return [] }
        return dial(effort, now)
    }

    /// What was awaited does not come.
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

    // MARK: Steps of users

    private mutating func takeOver(
        _ effort: Effort,
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

    private mutating func waitForBluetooth(_ effort: Effort, _ error: BLEError) -> [Action] {
        let actions = release(effort)
        wish = effort.device
        // Who has taken it over hears it; that it comes back nobody has taken back.
        if effort.caller != nil { return actions + complete(effort, .failed(error)) }
        guard effort.owesEnd else { return actions }
        return actions + [.tellDisconnected(effort.device, error)]
    }

    private func stopAwaiting(_ effort: Effort) -> [Action] {
        effort.caller == nil ? [] : [.stopAwaiting(effort.attempt)]
    }

    mutating func remember(_ device: Device?) -> [Action] {
        guard device != remembered else { return [] }
        remembered = device
        return [.remember(device)]
    }
}
