extension QueueStateMachine {
    // MARK: What users see

    var isConnecting: Bool {
        switch running {
        case .operation(let entry), .ending(let entry, _): entry.kind.makesLink
        case .yielding: true
        case .nothing: false
        }
    }

    /// Whether an attempt that nobody asked for is being taken back.
    var isYielding: Bool {
        if case .yielding = running { return true }
        return false
    }

    var isDisconnecting: Bool {
        if case .operation(let entry) = running { return entry.kind == .disconnect }
        return disconnectAfterAttempt != nil
    }

    /// Whether nothing is connected, runs or waits.
    var isUnused: Bool { running == .nothing && waiting.isEmpty && !isConnected }

    /// The scan that is running or waits.
    var scan: ID? {
        if case .operation(let entry) = running, entry.kind == .scan { return entry.id }
        return waiting.scan?.id
    }

    // MARK: Sharing an attempt

    /// The connection attempt that refuses another connect: it runs, or waits behind a disconnect.
    var attempt: ID? {
        if !leaves {
            switch running {
            case .operation(let entry) where entry.kind.makesLink: return entry.id
            case .ending(let entry, _) where entry.kind.makesLink: return entry.id
            case .nothing, .operation, .ending, .yielding: break
            }
        }
        return waiting.lastConnect
    }

    /// Adds a connect that ends with the attempt of another call.
    ///
    /// - Parameters:
    ///   - id: The connect.
    ///   - attempt: The attempt of the other call.
    ///   - isSame: Whether both calls mean the same peripheral; false while that is unknown.
    /// - Returns: What to do.
    mutating func share(_ id: ID, attempt: ID, isSame: Bool) -> [Action] {
        var hasBegun = false
        switch running {
        case .operation(let entry), .ending(let entry, _), .yielding(let entry):
            hasBegun = entry.id == attempt
        case .nothing: break
        }
        shared.add(id, attempt: attempt, isSame: isSame)
        return hasBegun ? [.attemptBegan(id)] : []
    }

    /// An attempt was completed: the connects that share it end too, or make an attempt of their own.
    mutating func attemptEnded(_ attempt: ID, _ error: BluejayError?) -> [Action] {
        let outcome = shared.ended(attempt, error)
        var actions = outcome.completions
        if let next = outcome.next { actions += enqueue(next, .connect) }
        return actions
    }
}
