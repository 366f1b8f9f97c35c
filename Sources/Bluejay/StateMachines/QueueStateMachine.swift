/// Orders operations: first in, first out, one at a time.
///
/// It does no input or output. Each event returns the actions to perform, in order; they are performed
/// after the event has returned, so that a completion may call back in.
///
/// Invariant: every enqueued operation is completed exactly once.
struct QueueStateMachine: Equatable {
    typealias ID = Int

    /// What the rules of the queue tell apart.
    enum Kind: Equatable {
        case scan
        case connect
        case disconnect
        /// Read, write, listen or end of a listen.
        case characteristic
    }

    enum Action: Equatable {
        /// Begin the operation; it reports `finished`.
        case start(ID)
        /// End the running operation; only a connection reports `finished` afterwards, when nothing of
        /// it is pending any more.
        case abort(ID)
        /// End the running scan as if its own action had; it reports `finished`.
        case stopScan(ID)
        /// Call the completion and forget the operation. A nil error is success.
        case complete(ID, BluejayError?)
        /// Tell the observers whether Bluetooth can be used.
        case announceAvailability(Bool)
        /// Tell the observers that the connection is there.
        case announceConnected
        /// Tell the observers that the connection has gone.
        case announceDisconnected
    }

    private enum Bluetooth: Equatable {
        /// Not known yet: operations wait. Next: `on`, `off`.
        case pending
        /// Next: `off`.
        case on
        /// Operations fail. Next: `on`.
        case off(BluetoothState)
    }

    private struct Entry: Equatable {
        let id: ID
        let kind: Kind
    }

    private enum Running: Equatable {
        /// Next: `operation`.
        case nothing
        /// Next: `nothing`, `ending`.
        case operation(Entry)
        /// A connection that is being given up. Next: `nothing`.
        case ending(Entry, BluejayError)
    }

    private var bluetooth = Bluetooth.pending
    private var running = Running.nothing
    private var waiting = EntryQueue()
    private(set) var isConnected = false
    /// An immediate disconnect that waits for the connection attempt before it to end.
    private var disconnectAfterAttempt: ID?

    // MARK: What users see

    var isConnecting: Bool {
        switch running {
        case .operation(let entry), .ending(let entry, _): entry.kind == .connect
        case .nothing: false
        }
    }

    var isDisconnecting: Bool {
        if case .operation(let entry) = running { return entry.kind == .disconnect }
        return disconnectAfterAttempt != nil
    }

    /// The scan that is running or waits.
    var scan: ID? {
        if case .operation(let entry) = running, entry.kind == .scan { return entry.id }
        return waiting.scan?.id
    }

    // MARK: Calls

    /// Takes an operation in, or completes it at once when the rules refuse it.
    mutating func enqueue(_ id: ID, _ kind: Kind) -> [Action] {
        if let refusal = refusal(of: kind) { return [.complete(id, refusal)] }
        // A scan ends for a connection, also one that has not begun.
        let ended = kind == .connect ? stopScan() : []
        waiting.append(Entry(id: id, kind: kind))
        return ended + next()
    }

    /// Ends the running or waiting scan without an error.
    mutating func stopScan() -> [Action] {
        if case .operation(let entry) = running, entry.kind == .scan {
            return [.stopScan(entry.id)]
        }
        guard let entry = waiting.removeScan() else { return [] }
        return [.complete(entry.id, nil)]
    }

    /// Fails everything with `error`; a connection attempt is given up.
    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        let rest = failWaiting(error)
        switch running {
        case .nothing, .ending: return rest
        case .operation(let entry):
            switch entry.kind {
            case .connect:
                running = .ending(entry, error)
                return [.abort(entry.id)] + rest
            case .disconnect: return rest
            case .scan, .characteristic:
                running = .nothing
                return [.abort(entry.id), .complete(entry.id, error)] + rest
            }
        }
    }

    /// Fails everything and disconnects without waiting for a turn.
    mutating func disconnectImmediately(_ id: ID) -> [Action] {
        guard !isDisconnecting else { return [.complete(id, .multipleDisconnectNotSupported)] }
        guard isConnected || isConnecting || waiting.hasConnect else {
            return [.complete(id, .notConnected)]
        }
        let cancelled = cancelAll(.explicitDisconnect)
        if case .ending = running {
            disconnectAfterAttempt = id
            return cancelled
        }
        // Only a connection that had not begun.
        guard isConnected else { return cancelled + [.complete(id, nil)] }
        waiting.append(Entry(id: id, kind: .disconnect))
        return cancelled + next()
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
        case .nothing, .operation, .ending:
            // The late end of an operation that was completed before.
            return []
        }
    }

    /// The link went down without being asked to.
    mutating func connectionLost(_ error: BluejayError = .notConnected) -> [Action] {
        guard isConnected else { return [] }
        isConnected = false
        var actions: [Action] = []
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
        if wantsDown == nil, let index = waiting.lengthBeforeDisconnect {
            actions += waiting.removeFirst(index).map { .complete($0.id, error) }
            wantsDown = waiting.removeFirst(1).first?.id
        } else if wantsDown == nil {
            actions += failWaiting(error)
        }
        actions.append(.announceDisconnected)
        if let wantsDown { actions.append(.complete(wantsDown, nil)) }
        return actions + next()
    }

    /// A link that was there before is taken over.
    mutating func adopted() -> [Action] {
        guard !isConnected else { return [] }
        isConnected = true
        return [.announceConnected]
    }

    /// Bluetooth can be used.
    mutating func becameAvailable() -> [Action] {
        bluetooth = .on
        return next() + [.announceAvailability(true)]
    }

    /// Bluetooth cannot be used; a connection went with it.
    mutating func becameUnavailable(_ state: BluetoothState) -> [Action] {
        bluetooth = .off(state)
        let error = BluejayError.bluetoothUnavailable(state)
        var actions: [Action] = []
        var downIDs: [ID] = []
        if case .operation(let entry) = running {
            if entry.kind == .disconnect {
                running = .nothing
                downIDs = [entry.id]
            } else if entry.kind != .connect {
                running = .nothing
                actions = [.abort(entry.id), .complete(entry.id, error)]
            } else {
                running = .ending(entry, error)
                actions = [.abort(entry.id)]
            }
        }
        for entry in waiting.removeAll() {
            if entry.kind == .disconnect {
                downIDs.append(entry.id)
            } else {
                actions.append(.complete(entry.id, error))
            }
        }
        actions.append(.announceAvailability(false))
        if isConnected {
            isConnected = false
            actions.append(.announceDisconnected)
        }
        return actions + downIDs.map { .complete($0, nil) }
    }

    // MARK: Rules

    private func refusal(of kind: Kind) -> BluejayError? {
        let leaves = isDisconnecting || waiting.hasDisconnect
        let connects = isConnecting || waiting.hasConnect
        if case .off(let state) = bluetooth { return .bluetoothUnavailable(state) }
        switch kind {
        case .scan: return scan == nil ? nil : .multipleScanNotSupported
        case .connect:
            // Behind a disconnect the present connection does not count any more.
            let isRefused = leaves ? waiting.hasConnect : isConnected || connects
            return isRefused ? .multipleConnectNotSupported : nil
        case .disconnect:
            if leaves { return .multipleDisconnectNotSupported }
            return isConnected || connects ? nil : .notConnected
        case .characteristic:
            if leaves { return .disconnectQueued }
            return isConnected ? nil : .notConnected
        }
    }

    private mutating func next() -> [Action] {
        guard running == .nothing, bluetooth == .on, let entry = waiting.removeFirst(1).first else {
            return []
        }
        // What it was queued for can have gone meanwhile: a connection that failed, for example.
        let needsLink = entry.kind == .characteristic || entry.kind == .disconnect
        guard !needsLink || isConnected else {
            return [.complete(entry.id, entry.kind == .disconnect ? nil : .notConnected)] + next()
        }
        running = .operation(entry)
        return [.start(entry.id)]
    }

    private mutating func end(of entry: Entry, _ error: BluejayError?) -> [Action] {
        switch entry.kind {
        case .scan, .characteristic: return [.complete(entry.id, error)] + next()
        case .connect:
            guard error == nil else { return [.complete(entry.id, error)] + next() }
            isConnected = true
            return [.complete(entry.id, nil)] + next() + [.announceConnected]
        case .disconnect:
            isConnected = false
            return [.announceDisconnected, .complete(entry.id, nil)] + next()
        }
    }

    private mutating func endOfAttempt(_ entry: Entry, _ reason: BluejayError) -> [Action] {
        var actions: [Action] = []
        if let id = disconnectAfterAttempt {
            disconnectAfterAttempt = nil
            actions.append(.complete(id, nil))
        }
        return actions + [.complete(entry.id, reason)] + next()
    }

    private mutating func failWaiting(_ error: BluejayError) -> [Action] {
        waiting.removeAll().map { .complete($0.id, error) }
    }

    /// A queue whose front is taken off, and whose kinds are counted, in constant time.
    private struct EntryQueue: Equatable {
        private var entries: [Entry] = []
        private var head = 0
        private var counts = Counts()

        private struct Counts: Equatable {
            var scans = 0
            var connects = 0
            var disconnects = 0

            mutating func add(_ kind: Kind, _ change: Int) {
                switch kind {
                case .scan: scans += change
                case .connect: connects += change
                case .disconnect: disconnects += change
                case .characteristic: break
                }
            }
        }

        static func == (left: EntryQueue, right: EntryQueue) -> Bool {
            left.entries[left.head...].elementsEqual(right.entries[right.head...])
        }

        var hasConnect: Bool { counts.connects > 0 }
        var hasDisconnect: Bool { counts.disconnects > 0 }

        var scan: Entry? {
            counts.scans > 0 ? entries[head...].first { $0.kind == .scan } : nil
        }

        /// How many entries are before the first disconnect; nil without one.
        var lengthBeforeDisconnect: Int? {
            guard hasDisconnect else { return nil }
            return entries[head...].firstIndex { $0.kind == .disconnect }.map { $0 - head }
        }

        mutating func append(_ entry: Entry) {
            entries.append(entry)
            counts.add(entry.kind, 1)
        }

        mutating func removeFirst(_ count: Int) -> [Entry] {
            let end = min(entries.count, head + count)
            let removed = Array(entries[head..<end])
            for entry in removed { counts.add(entry.kind, -1) }
            head = end
            if head == entries.count || head > 64 && head * 2 > entries.count {
                entries.removeFirst(head)
                head = 0
            }
            return removed
        }

        mutating func removeScan() -> Entry? {
            guard counts.scans > 0,
                let index = entries[head...].firstIndex(where: { $0.kind == .scan })
            else { return nil }
            counts.add(.scan, -1)
            return entries.remove(at: index)
        }

        mutating func removeAll() -> [Entry] {
            removeFirst(entries.count)
        }
    }
}
