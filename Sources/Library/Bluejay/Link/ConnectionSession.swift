/// The peripheral of the current connection or attempt, and the reason for its end.
struct ConnectionSession: Equatable {
    /// The connected peripheral, until observers are notified of its disconnection.
    private(set) var peripheral: PeripheralIdentifier?
    /// The peripheral being connected to.
    private(set) var attempted: PeripheralIdentifier?
    /// Whether an attempt is searching for its peripheral.
    private(set) var isSearching = false
    /// The peripheral to reconnect to.
    private(set) var reconnectTarget: PeripheralIdentifier?
    /// BlueZ's reason for the end of the connection or of the attempt.
    private(set) var error: BluejayError?
    /// Whether observers are notified of the current connection.
    private(set) var isAnnounced = false
    /// The filter that found `reconnectTarget`, or the peripheral being connected to.
    private(set) var filter: ScanFilter?
    /// The identifiers of `reconnectTarget` before pairing revealed its address.
    private var formerIdentifiers: [PeripheralIdentifier] = []

    /// Records that an attempt starts with a search, without a peripheral yet.
    mutating func searchStarted() {
        isSearching = true
        error = nil
    }

    /// Records the start of an attempt.
    mutating func attemptStarted(_ identifier: PeripheralIdentifier) {
        if !isReconnectTarget(identifier) { filter = nil }
        attempted = identifier
        isSearching = false
        error = nil
    }

    /// Records the filter that found the peripheral of the attempt.
    mutating func found(by filter: ScanFilter) {
        self.filter = filter
    }

    /// Returns whether an identifier means the last connected peripheral.
    func isReconnectTarget(_ identifier: PeripheralIdentifier) -> Bool {
        reconnectTarget == identifier || formerIdentifiers.contains(identifier)
    }

    /// Records a reason for the failed attempt that is more specific than its error.
    mutating func attemptFailed(_ reason: BluejayError) {
        error = reason
    }

    /// Records the end of the attempt; its details stay until the end is announced.
    mutating func attemptEnded() {
        attempted = nil
        isSearching = false
    }

    /// Records a connection, and returns whether its peripheral is that of the lost connection.
    mutating func connected(_ identifier: PeripheralIdentifier) -> Bool {
        let isSame = reconnectTarget == identifier
        if !isSame { formerIdentifiers = [] }
        if let attempted, attempted != identifier { formerIdentifiers.append(attempted) }
        peripheral = identifier
        attempted = nil
        reconnectTarget = identifier
        error = nil
        isAnnounced = false
        return isSame
    }

    mutating func announced() {
        isAnnounced = true
    }

    mutating func lost(_ reason: DisconnectReason) {
        error = .linkLost(reason)
    }

    /// Records the address that pairing has revealed, under which the peripheral can now be found.
    mutating func addressChanged(to identifier: PeripheralIdentifier) {
        if let peripheral { formerIdentifiers.append(peripheral) }
        peripheral = identifier
        if reconnectTarget != nil { reconnectTarget = identifier }
    }

    /// Records another peripheral to reconnect to.
    mutating func setReconnectTarget(to identifier: PeripheralIdentifier) {
        if !isReconnectTarget(identifier) { (filter, formerIdentifiers) = (nil, []) }
        reconnectTarget = identifier
    }

    /// Ends the session, and returns the disconnection to announce, or `nil` without a peripheral.
    mutating func ended(_ end: QueueStateMachine.ConnectionEndReason) -> Disconnection? {
        let disconnected: PeripheralIdentifier?
        var reason: BluejayError?
        switch end {
        case .requested:
            disconnected = peripheral ?? attempted ?? (isSearching ? nil : reconnectTarget)
        case .lost:
            disconnected = peripheral
            reason = error ?? .linkLost(.unknown)
        case .unavailable(let state):
            disconnected = peripheral
            reason = .bluetoothUnavailable(state)
        case .attempt(let failure):
            disconnected = attempted
            reason = error ?? failure
        }
        peripheral = nil
        attempted = nil
        isSearching = false
        error = nil
        isAnnounced = false
        return disconnected.map { Disconnection(endReason: end, peripheral: $0, error: reason) }
    }
}
