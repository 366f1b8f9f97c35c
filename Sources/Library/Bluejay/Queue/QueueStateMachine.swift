/// Orders operations: first in, first out, one at a time.
///
/// The state machine performs no input or output. Each event returns its actions in order. The runner
/// performs them after the event has returned, so that a completion may call back in.
///
/// Invariant: every enqueued operation is completed exactly once.
struct QueueStateMachine: Equatable {
    typealias ID = Int

    private var bluetooth = Bluetooth.pending
    private var running = Running.nothing
    private var waiting = OperationEntryQueue()
    var concurrentScans = ConcurrentScans()
    private var shared = SharedAttempts()
    private(set) var isConnected = false
    /// An immediate disconnect that waits for the end of the connection attempt before it.
    private var disconnectAfterAttempt: ID?
    /// Cancelled calls without a reply.
    ///
    /// The peripheral may still be busy with them or carry them out, so it receives no other request until
    /// they report `finished`.
    private var awaitingReply: Set<ID> = []
    /// Whether to report `idle`.
    private var awaitsIdle = false

    // MARK: Calls

    /// Adds an operation, or completes it at once if the rules reject it.
    mutating func enqueue(_ id: ID, _ kind: Kind) -> [Action] {
        // Most calls arrive while a similar call runs: they wait, and nothing else changes.
        if kind == .characteristic, case .operation(let entry) = running,
            entry.kind == .characteristic, !waiting.hasDisconnect
        {
            waiting.append(QueueEntry(id: id, kind: kind))
            return []
        }
        if let rejection = rejection(of: kind) { return [.complete(id, rejection)] }
        if kind.isConcurrent { return concurrentScans.add(id, kind, isAvailable: bluetooth == .on) }
        // The user's operations take precedence over reconnection.
        if kind == .reconnect, running != .nothing || !waiting.isEmpty {
            awaitsIdle = true
            return [.complete(id, .cancelled), .reconnectDeferred]
        }
        if kind == .disconnect, case .operation(let entry) = running, entry.kind == .reconnect {
            running = .ending(entry, .explicitDisconnect)
            disconnectAfterAttempt = id
            return [.abort(entry.id)]
        }
        var actions = preemptReconnect()
        // A connection ends a scan, even a scan that has not begun.
        if kind.createsLink { actions += stopScan() }
        waiting.append(QueueEntry(id: id, kind: kind))
        next(&actions)
        return actions
    }

    /// Cancels a reconnection attempt in favor of another operation.
    private mutating func preemptReconnect() -> [Action] {
        if case .operation(let entry) = running, entry.kind == .reconnect {
            running = .preempting(entry)
            awaitsIdle = true
            return [.abort(entry.id)]
        }
        // It waits only while the state of Bluetooth is unknown.
        guard let entry = waiting.removeReconnect() else { return [] }
        awaitsIdle = true
        return [.complete(entry.id, .cancelled), .reconnectDeferred]
    }

    /// Ends the running or waiting scan without an error.
    mutating func stopScan() -> [Action] {
        if case .operation(let entry) = running, entry.kind == .scan {
            return [.stopScan(entry.id)]
        }
        guard let entry = waiting.removeScan() else { return [] }
        return [.complete(entry.id, nil)]
    }

    /// Fails one operation; a running disconnect continues.
    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        switch running {
        case .operation(let entry) where entry.id == id:
            switch entry.kind {
            case .disconnect: return []
            case .connect, .reconnect, .adopt:
                running = .ending(entry, error)
                return [.abort(id)]
            case .scan, .concurrentScan, .watch, .characteristic, .endOfListen:
                running = .nothing
                if entry.kind != .scan { awaitingReply.insert(id) }
                return [.abort(id), .complete(id, error)] + next()
            }
        case .preempting(let entry) where entry.id == id:
            running = .ending(entry, error)
            return []
        case .nothing, .operation, .ending, .preempting:
            guard waiting.remove(id) else {
                return concurrentScans.cancel(id, error) + shared.cancel(id, error)
            }
            return [.complete(id, error)]
        }
    }

    /// Fails all operations with `error`; a connection attempt ends, and the connection stays.
    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        var actions: [Action] = []
        switch running {
        case .nothing, .ending: break
        case .preempting(let entry): running = .ending(entry, error)
        case .operation(let entry):
            switch entry.kind {
            case .connect, .reconnect, .adopt:
                running = .ending(entry, error)
                actions = [.abort(entry.id)]
            case .disconnect: break
            case .scan, .concurrentScan, .watch, .characteristic, .endOfListen:
                running = .nothing
                if entry.kind != .scan { awaitingReply.insert(entry.id) }
                actions = [.abort(entry.id), .complete(entry.id, error)]
            }
        }
        let waited = waiting.removeAll()
        actions.reserveCapacity(actions.count + waited.count)
        for entry in waited { actions.append(.complete(entry.id, error)) }
        // Appended in place, because `+` would copy the actions of all waiting operations.
        actions += shared.cancelAll(error)
        return actions
    }

    /// Fails all operations with `error`, and disconnects with the operation `id`.
    ///
    /// The disconnect succeeds, even without a connection.
    mutating func cancelAll(_ error: BluejayError, disconnecting id: ID) -> [Action] {
        let disconnects = waiting.removeDisconnects()
        var actions: [Action] =
            isConnected && !isDisconnecting ? [.endListens(error, mayReconnect: false)] : []
        actions += cancelAll(error)
        if isDisconnecting { return actions + ([id] + disconnects).map { .complete($0, nil) } }
        if case .ending = running {
            disconnectAfterAttempt = id
            return actions + disconnects.map { .complete($0, nil) }
        }
        guard isConnected else { return actions + ([id] + disconnects).map { .complete($0, nil) } }
        for id in [id] + disconnects { waiting.append(QueueEntry(id: id, kind: .disconnect)) }
        actions += next()
        return actions
    }

    /// Fails all operations and disconnects at once.
    mutating func disconnectImmediately(_ id: ID) -> [Action] {
        guard !isDisconnecting else { return [.complete(id, .multipleDisconnectNotSupported)] }
        guard isConnected || isConnecting || waiting.hasConnect else {
            return [.complete(id, .notConnected)]
        }
        return cancelAll(.explicitDisconnect, disconnecting: id)
    }

    /// Fails all operations and forgets the connection, which stays open.
    mutating func stop() -> [Action] {
        var actions: [Action] = isConnected ? [.endListens(.stopped, mayReconnect: false)] : []
        switch running {
        case .nothing: break
        case .operation(let entry):
            actions += [.abort(entry.id), .complete(entry.id, .stopped)]
        case .ending(let entry, _), .preempting(let entry):
            actions.append(.complete(entry.id, .stopped))
        }
        if let id = disconnectAfterAttempt { actions.append(.complete(id, .stopped)) }
        actions += waiting.removeAll().map { .complete($0.id, .stopped) }
        actions += concurrentScans.cancelAll(.stopped) + shared.cancelAll(.stopped)
        self = QueueStateMachine()
        return actions
    }

    // MARK: Events

    /// Completes an operation that has ended, or an aborted connection attempt.
    mutating func finished(_ id: ID, error: BluejayError? = nil) -> [Action] {
        switch running {
        case .operation(let entry) where entry.id == id:
            running = .nothing
            return end(of: entry, error)
        case .ending(let entry, let reason) where entry.id == id:
            running = .nothing
            return endOfAttempt(entry, reason)
        case .preempting(let entry) where entry.id == id:
            running = .nothing
            return [.complete(id, .cancelled), .reconnectDeferred] + next()
        case .nothing, .operation, .ending, .preempting:
            // The late end of an operation that was completed earlier.
            return awaitingReply.remove(id) == nil ? concurrentScans.finished(id, error) : next()
        }
    }

    /// Ends operations and listens after an unexpected loss of the link.
    mutating func connectionLost(_ error: BluejayError = .notConnected) -> [Action] {
        guard isConnected else { return [] }
        isConnected = false
        awaitingReply = []
        var actions: [Action] = [.endListens(error, mayReconnect: !waiting.hasDisconnect)]
        var disconnectID: ID?
        if case .operation(let entry) = running {
            running = .nothing
            if entry.kind == .disconnect {
                disconnectID = entry.id
            } else {
                actions += [.abort(entry.id), .complete(entry.id, error)]
            }
        }
        // The loss completes a queued disconnect, and operations after the disconnect have their turn.
        if disconnectID == nil {
            actions += failBeforeDisconnect(error)
            if waiting.hasDisconnect { disconnectID = waiting.popFirst()?.id }
        }
        actions.append(.announceDisconnected(disconnectID == nil ? .lost : .requested))
        if let disconnectID { actions.append(.complete(disconnectID, nil)) }
        next(&actions)
        return actions
    }

    /// Starts waiting operations, because Bluetooth is available.
    mutating func becameAvailable() -> [Action] {
        bluetooth = .on
        return next() + concurrentScans.becameAvailable() + [.announceAvailability(true)]
    }

    /// Fails operations and ends the connection, because Bluetooth is unavailable.
    mutating func becameUnavailable(_ state: BluetoothState) -> [Action] {
        bluetooth = .off(state)
        let error = BluejayError.bluetoothUnavailable(state)
        var actions: [Action] = isConnected ? [.endListens(error, mayReconnect: true)] : []
        var downIDs: [ID] = []
        switch running {
        case .nothing: break
        case .operation(let entry) where entry.kind == .disconnect: downIDs = [entry.id]
        case .operation(let entry):
            actions += [.abort(entry.id), .complete(entry.id, error)]
            if entry.kind == .reconnect { actions.append(.reconnectSuspended) }
        // No request of the attempt can be pending now.
        case .ending(let entry, let reason): actions.append(.complete(entry.id, reason))
        case .preempting(let entry): actions += [.complete(entry.id, error), .reconnectSuspended]
        }
        running = .nothing
        awaitsIdle = false
        awaitingReply = []
        if let id = disconnectAfterAttempt { downIDs.append(id) }
        disconnectAfterAttempt = nil
        for entry in waiting.removeAll() {
            if entry.kind == .disconnect {
                downIDs.append(entry.id)
            } else {
                actions.append(.complete(entry.id, error))
            }
        }
        actions += concurrentScans.becameUnavailable(error)
        actions.append(.announceAvailability(false))
        if isConnected {
            isConnected = false
            let end: ConnectionEndReason = downIDs.isEmpty ? .unavailable(state) : .requested
            actions.append(.announceDisconnected(end))
        }
        return actions + downIDs.map { .complete($0, nil) }
    }

    // MARK: Rules

    /// Whether a disconnect is running or waiting.
    var willDisconnect: Bool { isDisconnecting || waiting.hasDisconnect }

    /// The error that would reject an operation now, or `nil`.
    func rejection(of kind: Kind) -> BluejayError? {
        if case .off(let state) = bluetooth { return .bluetoothUnavailable(state) }
        switch kind {
        case .scan: return scan == nil ? nil : .multipleScanNotSupported
        case .concurrentScan, .watch: return nil
        case .connect, .reconnect, .adopt:
            // After a disconnect, the current connection no longer counts.
            let isRefused =
                willDisconnect
                ? waiting.hasConnect : isConnected || isConnectingForUser || waiting.hasConnect
            return isRefused ? .multipleConnectNotSupported : nil
        case .disconnect:
            if willDisconnect { return .multipleDisconnectNotSupported }
            return isConnected || isConnecting || waiting.hasConnect ? nil : .notConnected
        case .characteristic, .endOfListen:
            // The call belongs to the connection after the disconnect.
            if willDisconnect { return waiting.endsConnected ? nil : .disconnectQueued }
            return isConnected || isAdopting ? nil : .notConnected
        }
    }

    /// Whether a running attempt excludes a second one.
    private var isConnectingForUser: Bool {
        switch running {
        case .operation(let entry), .ending(let entry, _):
            entry.kind.createsLink && entry.kind != .reconnect
        case .nothing, .preempting: false
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
            if entry.kind == .characteristic, !awaitingReply.isEmpty { break }
            _ = waiting.popFirst()
            // Its connection may be lost, for example because an attempt failed.
            let needsLink = entry.kind != .scan && !entry.kind.createsLink
            guard !needsLink || isConnected else {
                let isDone = entry.kind == .disconnect
                actions.append(.complete(entry.id, isDone ? nil : .notConnected))
                continue
            }
            running = .operation(entry)
            // Listeners must not receive values while the connection ends.
            if entry.kind == .disconnect {
                actions.append(.endListens(.explicitDisconnect, mayReconnect: false))
            }
            actions.append(.start(entry.id))
            if entry.kind.createsLink { actions += shared.attemptStarted(entry.id) }
        }
        if awaitsIdle, running == .nothing, waiting.isEmpty, bluetooth == .on {
            awaitsIdle = false
            actions.append(.idle)
        }
    }

    private mutating func end(of entry: QueueEntry, _ error: BluejayError?) -> [Action] {
        switch entry.kind {
        case .scan, .concurrentScan, .watch, .characteristic, .endOfListen:
            var actions: [Action] = [.complete(entry.id, error)]
            next(&actions)
            return actions
        case .connect, .reconnect, .adopt:
            guard let error else {
                isConnected = true
                awaitsIdle = false
                return [.complete(entry.id, nil)] + next() + [.announceConnected]
            }
            // Operations that wait for a timed-out attempt fail with it.
            let failed = error == .connectionTimedOut ? failBeforeDisconnect(error) : []
            return failed + endOfAttempt(entry, error)
        case .disconnect:
            isConnected = false
            awaitingReply = []
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

    private mutating func failBeforeDisconnect(_ error: BluejayError) -> [Action] {
        waiting.removeBeforeDisconnect().map { .complete($0.id, error) }
    }
}

extension QueueStateMachine {
    /// The kinds of operations that the rules of the queue distinguish.
    enum Kind: Equatable {
        case scan
        /// A scan outside the queue.
        case concurrentScan
        /// A watch outside the queue, which restarts when Bluetooth returns.
        case watch
        case connect
        /// A reconnection attempt, which starts only if the queue is idle and yields to all other operations.
        case reconnect
        /// The takeover of an existing connection, or of the connection before a restart.
        case adopt
        case disconnect
        /// A read, a write or a listen.
        case characteristic
        /// The end of a listen; unlike the others it may run while a cancelled call has no reply.
        case endOfListen

        var isConcurrent: Bool { self == .concurrentScan || self == .watch }
        var isScan: Bool { self == .scan || isConcurrent }
        var createsLink: Bool { self == .connect || self == .reconnect || self == .adopt }
    }

    /// The reason for the end of a connection.
    enum ConnectionEndReason: Equatable {
        /// The user requested the end.
        case requested
        /// The link was lost.
        case lost
        /// Bluetooth became unavailable.
        case unavailable(BluetoothState)
        /// An attempt ended without a connection.
        case attempt(BluejayError)
    }

    enum Action: Equatable {
        /// Start the operation; it reports `finished`.
        case start(ID)
        /// End the running operation; only a connection attempt reports `finished` afterwards, once none of
        /// its requests is pending.
        case abort(ID)
        /// Start the limit of a connect that shares the attempt of another call.
        case attemptStarted(ID)
        /// Interrupt a watch that will restart.
        case interrupt(ID)
        /// End the running scan as its own action would; it reports `finished`.
        case stopScan(ID)
        /// Call the completion and forget the operation; a `nil` error means success.
        case complete(ID, BluejayError?)
        /// Notify observers of the availability of Bluetooth.
        case announceAvailability(Bool)
        /// Notify observers of the connection.
        case announceConnected
        /// Notify observers of the end of the connection or of an attempt.
        case announceDisconnected(ConnectionEndReason)
        /// End the listens, with an error for listeners that receive it; kept listens stay if the connection
        /// may return.
        case endListens(BluejayError, mayReconnect: Bool)
        /// A reconnection attempt ended because Bluetooth became unavailable.
        case reconnectSuspended
        /// A reconnection attempt ended, or did not start, in favor of the user's operation; `idle` follows.
        case reconnectDeferred
        /// The queue is empty, after a `reconnectDeferred`.
        case idle
    }
}

extension QueueStateMachine {
    /// Whether Bluetooth is available.
    private enum Bluetooth: Equatable {
        /// Unknown: operations wait. Next: `on`, `off`.
        case pending
        /// Next: `off`.
        case on
        /// Operations fail. Next: `on`.
        case off(BluetoothState)
    }

    /// The operation that has its turn.
    private enum Running: Equatable {
        /// Next: `operation`.
        case nothing
        /// Next: `nothing`, `ending`.
        case operation(QueueEntry)
        /// A connection attempt that is being cancelled. Next: `nothing`.
        case ending(QueueEntry, BluejayError)
        /// A reconnection attempt that is being cancelled for the user. Next: `nothing`, `ending`.
        case preempting(QueueEntry)
    }
}

extension QueueStateMachine {
    /// The part of the state that any thread may read.
    struct Status: Equatable {
        var isConnecting = false
        var isConnected = false
        var isDisconnecting = false
        var isScanning = false
    }

    var status: Status {
        Status(
            isConnecting: isConnecting,
            isConnected: isConnected,
            isDisconnecting: isDisconnecting,
            isScanning: isScanning
        )
    }

    /// Whether a scan is running or waiting.
    var isScanning: Bool { scan != nil || !concurrentScans.isEmpty }

    /// Ends all running and waiting scans, without an error.
    mutating func stopScanning() -> [Action] { stopScan() + concurrentScans.stopAll() }
}

extension QueueStateMachine.Action {
    func isFailure(of id: QueueStateMachine.ID) -> Bool {
        if case .complete(id, let error) = self { return error != nil }
        return false
    }
}

extension QueueStateMachine {
    // MARK: Public state

    var isConnecting: Bool {
        switch running {
        case .operation(let entry), .ending(let entry, _): entry.kind.createsLink
        case .preempting: true
        case .nothing: false
        }
    }

    /// Whether a reconnection attempt is being cancelled for another operation.
    var isPreempting: Bool {
        if case .preempting = running { return true }
        return false
    }

    var isDisconnecting: Bool {
        if case .operation(let entry) = running { return entry.kind == .disconnect }
        return disconnectAfterAttempt != nil
    }

    /// Whether no connection exists and no operation runs or waits.
    var isUnused: Bool { running == .nothing && waiting.isEmpty && !isConnected }

    var scan: ID? {
        if case .operation(let entry) = running, entry.kind == .scan { return entry.id }
        return waiting.scan?.id
    }

    // MARK: Sharing an attempt

    /// The connection attempt that excludes another connect: it runs, or waits after a disconnect.
    var attempt: ID? {
        if !willDisconnect {
            switch running {
            case .operation(let entry) where entry.kind.createsLink: return entry.id
            case .ending(let entry, _) where entry.kind.createsLink: return entry.id
            case .nothing, .operation, .ending, .preempting: break
            }
        }
        return waiting.lastConnect
    }

    /// Adds a connect that shares another call's attempt.
    ///
    /// `isSame` is whether both calls mean the same peripheral; false while that is unknown.
    mutating func share(_ id: ID, attempt: ID, isSame: Bool) -> [Action] {
        var hasStarted = false
        switch running {
        case .operation(let entry), .ending(let entry, _), .preempting(let entry):
            hasStarted = entry.id == attempt
        case .nothing: break
        }
        shared.add(id, attempt: attempt, isSame: isSame)
        return hasStarted ? [.attemptStarted(id)] : []
    }

    /// Completes the connects that share a finished attempt, or starts their own attempt.
    mutating func attemptEnded(_ attempt: ID, _ error: BluejayError?) -> [Action] {
        let outcome = shared.attemptEnded(attempt, error)
        var actions = outcome.completions
        if let next = outcome.next { actions += enqueue(next, .connect) }
        return actions
    }
}
