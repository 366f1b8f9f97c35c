internal import BluejayBlueZ
internal import BluejayGLib

/// The subscriptions to the connected peripheral's characteristics, including pending ones.
struct ActiveNotifications {
    private struct Entry {
        let token: Int
        var request: LinkRequestID?
        /// Whether values arrive.
        var isOn = false
    }

    private var entries: [CharacteristicIdentifier: Entry] = [:]
    private var lastToken = 0
    /// Characteristics that were removed with their service and whose listeners are not notified yet.
    private(set) var removed: [CharacteristicIdentifier] = []
    /// Kept listens that wait for their characteristics to return.
    var moved = MovedListens<CharacteristicIdentifier>()
    var moveTimer: ScheduledTimer?
    /// The pauses of kept listens that bluetoothd refused for now.
    var retryTimers: [CharacteristicIdentifier: ScheduledTimer] = [:]

    func isOn(_ characteristic: CharacteristicIdentifier) -> Bool {
        entries[characteristic]?.isOn ?? false
    }

    /// Starts a subscription, and returns the token that identifies its reply.
    mutating func start(_ characteristic: CharacteristicIdentifier) -> Int {
        lastToken += 1
        entries[characteristic] = Entry(token: lastToken)
        return lastToken
    }

    mutating func requested(
        _ characteristic: CharacteristicIdentifier,
        _ token: Int,
        _ request: LinkRequestID
    ) {
        guard entries[characteristic]?.token == token else { return }
        entries[characteristic]?.request = request
    }

    /// Records the reply; a reply to an outdated subscription has no effect.
    mutating func replied(
        _ characteristic: CharacteristicIdentifier,
        _ token: Int,
        isOn: Bool
    ) {
        guard entries[characteristic]?.token == token else { return }
        if isOn {
            entries[characteristic]?.isOn = true
        } else {
            entries[characteristic] = nil
        }
    }

    /// Records that the characteristic was removed.
    mutating func characteristicRemoved(_ characteristic: CharacteristicIdentifier, _ token: Int) {
        guard entries[characteristic]?.token == token else { return }
        entries[characteristic] = nil
        removed.append(characteristic)
    }

    /// Removes a subscription, and returns the request to end.
    mutating func remove(_ characteristic: CharacteristicIdentifier) -> LinkRequestID? {
        entries.removeValue(forKey: characteristic)?.request
    }

    mutating func drainRemoved() -> [CharacteristicIdentifier] {
        let drained = removed
        removed = []
        return drained
    }

    mutating func removeAll() {
        entries = [:]
        removed = []
        moved = MovedListens()
        moveTimer = nil
        retryTimers = [:]
    }
}
