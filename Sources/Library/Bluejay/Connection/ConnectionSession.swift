/// Which peripheral is connected, or being connected to, and what is known of why that ended.
struct ConnectionSession: Equatable {
    /// The connected peripheral, until the observers have heard that it is gone.
    private(set) var peripheral: PeripheralIdentifier?
    /// The peripheral that is being connected to.
    private(set) var attempted: PeripheralIdentifier?
    /// Whether an attempt is under way that has found nobody yet.
    private(set) var isSearching = false
    /// What a lost connection is made again to.
    private(set) var last: PeripheralIdentifier?
    /// What BlueZ tells of why the connection or the attempt ended.
    private(set) var error: BluejayError?
    /// Whether the observers have heard of the present connection.
    private(set) var isAnnounced = false
    /// The filter by which `last`, or the peripheral that is being connected to, was found.
    private(set) var filter: ScanFilter?
    /// The identifiers that `last` had before pairing revealed its address.
    private var formerIdentifiers: [PeripheralIdentifier] = []

    /// An attempt begins with a search: there is nobody yet whose attempt it is.
    mutating func searches() {
        isSearching = true
        error = nil
    }

    /// An attempt begins.
    mutating func attempts(_ identifier: PeripheralIdentifier) {
        if !isLast(identifier) { filter = nil }
        attempted = identifier
        isSearching = false
        error = nil
    }

    /// The peripheral that is being connected to was found by a search.
    mutating func found(by filter: ScanFilter) {
        self.filter = filter
    }

    /// Whether an identifier means the last connected peripheral.
    func isLast(_ identifier: PeripheralIdentifier) -> Bool {
        last == identifier || formerIdentifiers.contains(identifier)
    }

    /// The attempt that is under way failed, for a reason that says more than its error.
    mutating func attemptFailed(_ reason: BluejayError) {
        error = reason
    }

    /// The attempt has ended; what is known of it stays until its end is told.
    mutating func attemptEnded() {
        attempted = nil
        isSearching = false
    }

    /// The connection is there; gives whether it is the one that was lost.
    mutating func connected(_ identifier: PeripheralIdentifier) -> Bool {
        let isSame = last == identifier
        if !isSame { formerIdentifiers = [] }
        if let attempted, attempted != identifier { formerIdentifiers.append(attempted) }
        peripheral = identifier
        attempted = nil
        last = identifier
        error = nil
        isAnnounced = false
        return isSame
    }

    /// The observers hear of the connection.
    mutating func announced() {
        isAnnounced = true
    }

    /// The connection went by itself.
    mutating func lost(_ reason: DisconnectReason) {
        error = .linkLost(reason)
    }

    /// Pairing has told the address under which the peripheral is found from now on.
    mutating func moved(to identifier: PeripheralIdentifier) {
        if let peripheral { formerIdentifiers.append(peripheral) }
        peripheral = identifier
        if last != nil { last = identifier }
    }

    /// Another peripheral is what is connected again.
    mutating func willReturn(to identifier: PeripheralIdentifier) {
        if !isLast(identifier) { (filter, formerIdentifiers) = (nil, []) }
        last = identifier
    }

    /// The end of the connection or of the attempt is told; nil when there is nobody to tell of.
    mutating func ended(_ end: QueueStateMachine.End) -> Disconnection? {
        let gone: PeripheralIdentifier?
        var reason: BluejayError?
        switch end {
        case .requested: gone = peripheral ?? attempted ?? (isSearching ? nil : last)
        case .lost:
            gone = peripheral
            reason = error ?? .linkLost(.unknown)
        case .unavailable(let state):
            gone = peripheral
            reason = .bluetoothUnavailable(state)
        case .attempt(let failure):
            gone = attempted
            reason = error ?? failure
        }
        peripheral = nil
        attempted = nil
        isSearching = false
        error = nil
        isAnnounced = false
        return gone.map { Disconnection(end: end, peripheral: $0, error: reason) }
    }
}
