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
    enum Bluetooth: Equatable {
        /// Not known yet: operations wait. Next: `on`, `off`.
        case pending
        /// Next: `off`.
        case on
        /// Operations fail. Next: `on`.
        case off(BluetoothState)
    }

    /// What has its turn.
    enum Running: Equatable {
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
