// From the first attempt to the connection, and what becomes of it.

extension PhaseMachine {
    // MARK: What the engine reports

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
            // The link broke, and is dialled again: who called has one limit for all of it.
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
        // On a link that was up there is no progress to be told.
        case .dialling: return discover(effort, now) + [.findService(attempt)]
        case .discovering(_, .services): return [.findService(attempt)]
        case .idle, .waiting, .restoring, .losing, .pausing, .discovering, .connected, .leaving:
            return []
        }
    }

    /// There is no link, and nothing of it is pending.
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

    /// The radio sends what it has from now on; or why not.
    mutating func subscribed(
        _ attempt: Attempt,
        _ error: BLEError?,
        now: Duration
    ) -> [Action] {
        guard case .discovering(var effort, .subscription) = state, effort.attempt == attempt
        else { return [] }
        if let error {
            // Its link has gone: the radio itself refused nothing.
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
        // Who is told of the way back has the stream before it is connected.
        let told: [Action] = caller == nil ? [.tellReconnected(device)] : []
        // Who is killed once it is connected has it in the file.
        return open + told + remember(device) + [.enter(phase)]
            + (caller.map { [.complete($0, .connected)] } ?? [])
    }

    /// The link has gone by itself, or what was subscribed to has.
    mutating func lost(_ attempt: Attempt, now: Duration) -> [Action] {
        guard let effort, effort.attempt == attempt else { return [] }
        switch state {
        case .discovering: return failed(effort, .connectionFailed("the link was lost"))
        case .connected(_, let since): return lose(effort, after: now - since, now)
        case .idle, .waiting, .restoring, .dialling, .losing, .pausing, .leaving: return []
        }
    }

    /// The radio has ended the link because it was asked to pair: it is dialled again, and not asked again.
    mutating func redial(_ attempt: Attempt, now: Duration) -> [Action] {
        guard case .discovering(let effort, .subscription) = state, effort.attempt == attempt
        else { return [] }
        return [.letGo(attempt)] + dial(effort, now)
    }

    /// The radio wants a pairing that is not there, or cannot be used for another reason.
    mutating func givenUp(_ attempt: Attempt, _ error: BLEError) -> [Action] {
        guard case .connected(var effort, _) = state, effort.attempt == attempt else { return [] }
        effort.owesEnd = true
        return [.closeStream] + end(effort, error)
    }

    /// Pairing has told the identifier that the radio has from now on.
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
        // What comes back is remembered already, by the identifier that it had.
        return [.enter(phase)] + (effort.isReturn ? remember(device) : [])
    }

    /// The time is over, or the pause.
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

    // MARK: Steps

    mutating func dial(_ effort: Effort, _ now: Duration) -> [Action] {
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

    private mutating func discover(_ effort: Effort, _ now: Duration) -> [Action] {
        state = .discovering(effort, .services)
        let isReturn = effort.isReturn && effort.caller == nil
        let limit = isReturn ? settings.returnDiscoveryTimeout : settings.discoveryTimeout
        return [.enter(phase), .setTimer(now + limit)]
    }

    /// An attempt has failed: who comes back by itself tries again, unless the radio does not want it.
    private mutating func failed(_ effort: Effort, _ error: BLEError) -> [Action] {
        guard effort.isReturn, effort.caller == nil, !error.isOfPairing else {
            return end(effort, error)
        }
        return retry(effort)
    }

    private mutating func retry(_ effort: Effort) -> [Action] {
        var effort = effort
        effort.failures += 1
        return [.letGo(effort.attempt)] + pause(effort)
    }

    private mutating func pause(_ effort: Effort) -> [Action] {
        let before = phase
        state = .pausing(effort)
        let entered: [Action] = phase == before ? [] : [.enter(phase)]
        return entered + [.pause(failures: effort.failures)]
    }

    private mutating func lose(
        _ effort: Effort,
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

    /// Nothing more is tried: the caller is told, or those who heard of the loss.
    private mutating func end(_ effort: Effort, _ error: BLEError) -> [Action] {
        if effort.caller != nil { return fail(effort, .failed(error)) }
        let actions = release(effort) + remember(nil)
        return actions + (effort.owesEnd ? [.tellDisconnected(effort.device, error)] : [])
    }

    mutating func fail(_ effort: Effort, _ outcome: Outcome) -> [Action] {
        // Who took a return over had it for themselves.
        let forgotten = effort.isReturn ? remember(nil) : []
        return release(effort) + forgotten + complete(effort, outcome)
    }

    /// Frees what the state has, and is idle.
    mutating func release(_ effort: Effort) -> [Action] {
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

    func complete(_ effort: Effort, _ outcome: Outcome) -> [Action] {
        effort.caller.map { [.complete($0, outcome)] } ?? []
    }
}

extension BLEError {
    /// Whether trying again by itself would not help.
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
