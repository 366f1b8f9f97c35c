/// Orders operations: first in, first out, one at a time.
///
/// It does no input or output. Each event returns the actions to perform, in order; they are performed
/// after the event has returned, so that a completion may call back in.
///
/// Invariant: every enqueued operation is completed exactly once.
struct QueueStateMachine: Equatable {
    typealias ID = Int

    private var bluetooth = Bluetooth.pending
    private var running = Running.nothing
    private var waiting = OperationEntryQueue()
    var beside = ConcurrentScans()
    private var shared = SharedAttempts()
    private(set) var isConnected = false
    /// An immediate disconnect that waits for the connection attempt before it to end.
    private var disconnectAfterAttempt: ID?
    /// Calls that were given up before their answer came: the peripheral may still be busy with them, or
    /// carry them out, and is asked for nothing more until they report `finished`.
    private var unanswered: Set<ID> = []
    /// Whether `idle` is to be told.
    private var awaitsIdle = false

    // MARK: Calls

    /// Takes an operation in, or completes it at once when the rules refuse it.
    mutating func enqueue(_ id: ID, _ kind: Kind) -> [Action] {
        // Most calls come while one like them has its turn: they wait, and nothing else changes.
        if kind == .characteristic, case .operation(let entry) = running,
            entry.kind == .characteristic, !waiting.hasDisconnect
        {
            waiting.append(QueueEntry(id: id, kind: kind))
            return []
        }
        if let refusal = refusal(of: kind) { return [.complete(id, refusal)] }
        if kind.isBeside { return beside.add(id, kind, isAvailable: bluetooth == .on) }
        // What the user asks for is stronger than an attempt that nobody asked for.
        if kind == .reconnect, running != .nothing || !waiting.isEmpty {
            awaitsIdle = true
            return [.complete(id, .cancelled), .reconnectYielded]
        }
        if kind == .disconnect, case .operation(let entry) = running, entry.kind == .reconnect {
            running = .ending(entry, .explicitDisconnect)
            disconnectAfterAttempt = id
            return [.abort(entry.id)]
        }
        var actions = yieldReconnect()
        // A scan ends for a connection, also one that has not begun.
        if kind.makesLink { actions += stopScan() }
        waiting.append(QueueEntry(id: id, kind: kind))
        next(&actions)
        return actions
    }

    /// Takes an attempt that nobody asked for back for something else.
    private mutating func yieldReconnect() -> [Action] {
        if case .operation(let entry) = running, entry.kind == .reconnect {
            running = .yielding(entry)
            awaitsIdle = true
            return [.abort(entry.id)]
        }
        // It waits only as long as the state of Bluetooth is not known.
        guard let entry = waiting.removeReconnect() else { return [] }
        awaitsIdle = true
        return [.complete(entry.id, .cancelled), .reconnectYielded]
    }

    /// Ends the running or waiting scan without an error.
    mutating func stopScan() -> [Action] {
        if case .operation(let entry) = running, entry.kind == .scan {
            return [.stopScan(entry.id)]
        }
        guard let entry = waiting.removeScan() else { return [] }
        return [.complete(entry.id, nil)]
    }

    /// Fails one operation; a disconnect goes on.
    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        switch running {
        case .operation(let entry) where entry.id == id:
            switch entry.kind {
            case .disconnect: return []
            case .connect, .reconnect, .adopt:
                running = .ending(entry, error)
                return [.abort(id)]
            case .scan, .besideScan, .watch, .characteristic, .endOfListen:
                running = .nothing
                if entry.kind != .scan { unanswered.insert(id) }
                return [.abort(id), .complete(id, error)] + next()
            }
        case .yielding(let entry) where entry.id == id:
            running = .ending(entry, error)
            return []
        case .nothing, .operation, .ending, .yielding:
            guard waiting.remove(id) else {
                return beside.cancel(id, error) + shared.cancel(id, error)
            }
            return [.complete(id, error)]
        }
    }

    /// Fails everything with `error`; a connection attempt is given up, the connection stays.
    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        var actions: [Action] = []
        switch running {
        case .nothing, .ending: break
        case .yielding(let entry): running = .ending(entry, error)
        case .operation(let entry):
            switch entry.kind {
            case .connect, .reconnect, .adopt:
                running = .ending(entry, error)
                actions = [.abort(entry.id)]
            case .disconnect: break
            case .scan, .besideScan, .watch, .characteristic, .endOfListen:
                running = .nothing
                if entry.kind != .scan { unanswered.insert(entry.id) }
                actions = [.abort(entry.id), .complete(entry.id, error)]
            }
        }
        let waited = waiting.removeAll()
        actions.reserveCapacity(actions.count + waited.count)
        for entry in waited { actions.append(.complete(entry.id, error)) }
        // Appended in place: `+` would copy an action for each operation that waited.
        actions += shared.cancelAll(error)
        return actions
    }

    /// Fails everything with `error` and disconnects; `id` is that of the disconnect.
    ///
    /// It is completed with success, also when there is nothing to disconnect.
    mutating func cancelAll(_ error: BluejayError, disconnecting id: ID) -> [Action] {
        let wanted = waiting.removeDisconnects()
        var actions: [Action] =
            isConnected && !isDisconnecting ? [.endListens(error, mayReturn: false)] : []
        actions += cancelAll(error)
        if isDisconnecting { return actions + ([id] + wanted).map { .complete($0, nil) } }
        if case .ending = running {
            disconnectAfterAttempt = id
            return actions + wanted.map { .complete($0, nil) }
        }
        guard isConnected else { return actions + ([id] + wanted).map { .complete($0, nil) } }
        for id in [id] + wanted { waiting.append(QueueEntry(id: id, kind: .disconnect)) }
        actions += next()
        return actions
    }

    /// Fails everything and disconnects without waiting for a turn.
    mutating func disconnectImmediately(_ id: ID) -> [Action] {
        guard !isDisconnecting else { return [.complete(id, .multipleDisconnectNotSupported)] }
        guard isConnected || isConnecting || waiting.hasLinkMaker else {
            return [.complete(id, .notConnected)]
        }
        return cancelAll(.explicitDisconnect, disconnecting: id)
    }

    /// Fails everything and forgets the connection, which stays.
    mutating func stop() -> [Action] {
        var actions: [Action] = isConnected ? [.endListens(.stopped, mayReturn: false)] : []
        switch running {
        case .nothing: break
        case .operation(let entry):
            actions += [.abort(entry.id), .complete(entry.id, .stopped)]
        case .ending(let entry, _), .yielding(let entry):
            actions.append(.complete(entry.id, .stopped))
        }
        if let id = disconnectAfterAttempt { actions.append(.complete(id, .stopped)) }
        actions += waiting.removeAll().map { .complete($0.id, .stopped) }
        actions += beside.cancelAll(.stopped) + shared.cancelAll(.stopped)
        self = QueueStateMachine()
        return actions
    }

    // MARK: Events

    /// An operation ended by itself, or an aborted connection has been taken back.
    mutating func finished(_ id: ID, error: BluejayError? = nil) -> [Action] {
        switch running {
        case .operation(let entry) where entry.id == id:
            running = .nothing
            return end(of: entry, error)
        case .ending(let entry, let reason) where entry.id == id:
            running = .nothing
            return endOfAttempt(entry, reason)
        case .yielding(let entry) where entry.id == id:
            running = .nothing
            return [.complete(id, .cancelled), .reconnectYielded] + next()
        case .nothing, .operation, .ending, .yielding:
            // The late end of an operation that was completed before.
            return unanswered.remove(id) == nil ? beside.finished(id, error) : next()
        }
    }

    /// The link went down without being asked to.
    mutating func connectionLost(_ error: BluejayError = .notConnected) -> [Action] {
        guard isConnected else { return [] }
        isConnected = false
        unanswered = []
        var actions: [Action] = [.endListens(error, mayReturn: !waiting.hasDisconnect)]
        var wantsDown: ID?
        if case .operation(let entry) = running {
            running = .nothing
            if entry.kind == .disconnect {
                wantsDown = entry.id
            } else {
                actions += [.abort(entry.id), .complete(entry.id, error)]
            }
        }
        // A queued disconnect has what it wants, and what waits behind it has its turn.
        if wantsDown == nil {
            actions += failBeforeDisconnect(error)
            if waiting.hasDisconnect { wantsDown = waiting.popFirst()?.id }
        }
        actions.append(.announceDisconnected(wantsDown == nil ? .lost : .requested))
        if let wantsDown { actions.append(.complete(wantsDown, nil)) }
        next(&actions)
        return actions
    }

    /// Bluetooth can be used.
    mutating func becameAvailable() -> [Action] {
        bluetooth = .on
        return next() + beside.becameAvailable() + [.announceAvailability(true)]
    }

    /// Bluetooth cannot be used; a connection went with it.
    mutating func becameUnavailable(_ state: BluetoothState) -> [Action] {
        bluetooth = .off(state)
        let error = BluejayError.bluetoothUnavailable(state)
        var actions: [Action] = isConnected ? [.endListens(error, mayReturn: true)] : []
        var downIDs: [ID] = []
        switch running {
        case .nothing: break
        case .operation(let entry) where entry.kind == .disconnect: downIDs = [entry.id]
        case .operation(let entry):
            actions += [.abort(entry.id), .complete(entry.id, error)]
            if entry.kind == .reconnect { actions.append(.reconnectInterrupted) }
        // Nothing of the attempt can be pending any more.
        case .ending(let entry, let reason): actions.append(.complete(entry.id, reason))
        case .yielding(let entry): actions += [.complete(entry.id, error), .reconnectInterrupted]
        }
        running = .nothing
        awaitsIdle = false
        unanswered = []
        if let id = disconnectAfterAttempt { downIDs.append(id) }
        disconnectAfterAttempt = nil
        for entry in waiting.removeAll() {
            if entry.kind == .disconnect {
                downIDs.append(entry.id)
            } else {
                actions.append(.complete(entry.id, error))
            }
        }
        actions += beside.becameUnavailable(error)
        actions.append(.announceAvailability(false))
        if isConnected {
            isConnected = false
            let end: End = downIDs.isEmpty ? .unavailable(state) : .requested
            actions.append(.announceDisconnected(end))
        }
        return actions + downIDs.map { .complete($0, nil) }
    }

    // MARK: Rules

    /// Whether a disconnect is under way or waits.
    var leaves: Bool { isDisconnecting || waiting.hasDisconnect }

    /// Why an operation would be refused now; nil when it would be taken in.
    func refusal(of kind: Kind) -> BluejayError? {
        if case .off(let state) = bluetooth { return .bluetoothUnavailable(state) }
        switch kind {
        case .scan: return scan == nil ? nil : .multipleScanNotSupported
        case .besideScan, .watch: return nil
        case .connect, .reconnect, .adopt:
            // Behind a disconnect the present connection does not count any more.
            let isRefused =
                leaves
                ? waiting.hasLinkMaker : isConnected || isConnectingForUser || waiting.hasLinkMaker
            return isRefused ? .multipleConnectNotSupported : nil
        case .disconnect:
            if leaves { return .multipleDisconnectNotSupported }
            return isConnected || isConnecting || waiting.hasLinkMaker ? nil : .notConnected
        case .characteristic, .endOfListen:
            // A connection behind the disconnect is the one that the call is for.
            if leaves { return waiting.endsConnected ? nil : .disconnectQueued }
            return isConnected || isAdopting ? nil : .notConnected
        }
    }

    /// Whether an attempt is under way that a second one may not replace.
    private var isConnectingForUser: Bool {
        switch running {
        case .operation(let entry), .ending(let entry, _):
            entry.kind.makesLink && entry.kind != .reconnect
        case .nothing, .yielding: false
        }
    }

    private var isAdopting: Bool {
        if case .operation(let entry) = running, entry.kind == .adopt { return true }
        return waiting.hasAdopt
    }

    private mutating func next() -> [Action] {
        var actions: [Action] = []
        next(&actions)
        return actions
    }

    private mutating func next(_ actions: inout [Action]) {
        while running == .nothing, bluetooth == .on, let entry = waiting.first {
            if entry.kind == .characteristic, !unanswered.isEmpty { break }
            _ = waiting.popFirst()
            // What it was queued for can have gone meanwhile: a connection that failed, for example.
            let needsLink = entry.kind != .scan && !entry.kind.makesLink
            guard !needsLink || isConnected else {
                let isDone = entry.kind == .disconnect
                actions.append(.complete(entry.id, isDone ? nil : .notConnected))
                continue
            }
            running = .operation(entry)
            // Nobody hears values of a connection that is being ended.
            if entry.kind == .disconnect {
                actions.append(.endListens(.explicitDisconnect, mayReturn: false))
            }
            actions.append(.start(entry.id))
            if entry.kind.makesLink { actions += shared.began(entry.id) }
        }
        if awaitsIdle, running == .nothing, waiting.isEmpty, bluetooth == .on {
            awaitsIdle = false
            actions.append(.idle)
        }
    }

    private mutating func end(of entry: QueueEntry, _ error: BluejayError?) -> [Action] {
        switch entry.kind {
        case .scan, .besideScan, .watch, .characteristic, .endOfListen:
            var actions: [Action] = [.complete(entry.id, error)]
            next(&actions)
            return actions
        case .connect, .reconnect, .adopt:
            guard let error else {
                isConnected = true
                awaitsIdle = false
                return [.complete(entry.id, nil)] + next() + [.announceConnected]
            }
            // Who waits behind an attempt that takes too long does not wait for nothing either.
            let failed = error == .connectionTimedOut ? failBeforeDisconnect(error) : []
            return failed + endOfAttempt(entry, error)
        case .disconnect:
            isConnected = false
            unanswered = []
            return [.announceDisconnected(.requested), .complete(entry.id, nil)] + next()
        }
    }

    private mutating func endOfAttempt(_ entry: QueueEntry, _ reason: BluejayError) -> [Action] {
        var actions: [Action] = []
        if entry.kind != .adopt {
            let isRequested = disconnectAfterAttempt != nil
            actions.append(.announceDisconnected(isRequested ? .requested : .attempt(reason)))
        }
        if let id = disconnectAfterAttempt {
            disconnectAfterAttempt = nil
            actions.append(.complete(id, nil))
        }
        return actions + [.complete(entry.id, reason)] + next()
    }

    /// Fails what waits, up to the first disconnect.
    private mutating func failBeforeDisconnect(_ error: BluejayError) -> [Action] {
        waiting.removeBeforeDisconnect().map { .complete($0.id, error) }
    }
}

extension QueueStateMachine {
    /// What the rules of the queue tell apart.
    enum Kind: Equatable {
        case scan
        /// A scan that is in no queue: it runs beside whatever the queue does.
        case besideScan
        /// The same without an end: it begins anew when Bluetooth returns.
        case watch
        case connect
        /// A connection that was lost is made again. Nothing of the user waits for it: it begins when
        /// there is nothing else to do, and is taken back for whatever is asked for meanwhile.
        case reconnect
        /// A connection that is there, or was before a restart, is taken over.
        case adopt
        case disconnect
        /// Read, write or listen.
        case characteristic
        /// The end of a listen; unlike the others it may be asked for beside a call without an answer.
        case endOfListen

        var isBeside: Bool { self == .besideScan || self == .watch }
        var isScan: Bool { self == .scan || isBeside }
        var makesLink: Bool { self == .connect || self == .reconnect || self == .adopt }
    }

    /// Why the observers are told of the end of a connection.
    enum End: Equatable {
        /// The user asked for it.
        case requested
        /// It went by itself.
        case lost
        /// Bluetooth went, and the connection with it.
        case unavailable(BluetoothState)
        /// An attempt ended without a connection.
        case attempt(BluejayError)
    }

    enum Action: Equatable {
        /// Begin the operation; it reports `finished`.
        case start(ID)
        /// End the running operation; only a connection reports `finished` afterwards, when nothing of
        /// it is pending any more.
        case abort(ID)
        /// Start the limit of a connect that shares the attempt of another call.
        case attemptBegan(ID)
        /// End a watch that is to be started again.
        case interrupt(ID)
        /// End the running scan as if its own action had; it reports `finished`.
        case stopScan(ID)
        /// Call the completion and forget the operation. A nil error is success.
        case complete(ID, BluejayError?)
        /// Tell the observers whether Bluetooth can be used.
        case announceAvailability(Bool)
        /// Tell the observers that the connection is there.
        case announceConnected
        /// Tell the observers that the connection, or an attempt, has ended.
        case announceDisconnected(End)
        /// End what listens; the error is for those who want to be told. A listen that asked to be kept
        /// is, when the connection may return.
        case endListens(BluejayError, mayReturn: Bool)
        /// An attempt to connect again has ended because Bluetooth went.
        case reconnectInterrupted
        /// An attempt to connect again has ended, or did not begin, because the user asks for something
        /// else; `idle` follows when that is done.
        case reconnectYielded
        /// Nothing runs or waits any more, after a `reconnectYielded`.
        case idle
    }
}

extension QueueStateMachine {
    /// Whether Bluetooth can be used.
    private enum Bluetooth: Equatable {
        /// Not known yet: operations wait. Next: `on`, `off`.
        case pending
        /// Next: `off`.
        case on
        /// Operations fail. Next: `on`.
        case off(BluetoothState)
    }

    /// What has its turn.
    private enum Running: Equatable {
        /// Next: `operation`.
        case nothing
        /// Next: `nothing`, `ending`.
        case operation(QueueEntry)
        /// A connection that is being given up. Next: `nothing`.
        case ending(QueueEntry, BluejayError)
        /// A connection that is made again is being given up for the user. Next: `nothing`, `ending`.
        case yielding(QueueEntry)
    }
}

extension QueueStateMachine {
    /// What the users see of it, in so far as they read it from any thread.
    struct Glance: Equatable {
        var isConnecting = false
        var isConnected = false
        var isDisconnecting = false
        var isScanning = false
    }

    var glance: Glance {
        Glance(
            isConnecting: isConnecting,
            isConnected: isConnected,
            isDisconnecting: isDisconnecting,
            isScanning: isScanning
        )
    }

    /// Whether something scans, or waits to.
    var isScanning: Bool { scan != nil || !beside.isEmpty }

    /// Ends whatever scans or waits to, without an error.
    mutating func stopScanning() -> [Action] { stopScan() + beside.stopAll() }
}

extension QueueStateMachine.Action {
    func isFailure(of id: QueueStateMachine.ID) -> Bool {
        if case .complete(id, let error) = self { return error != nil }
        return false
    }
}

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
