internal import BluejayBlueZ
internal import BluejayGLib

/// The subscriptions of the connected peripheral's characteristics, from the asking on.
struct ActiveNotifications {
    private struct Entry {
        let token: Int
        var request: LinkRequestID?
        /// Whether values come.
        var isOn = false
    }

    private var entries: [CharacteristicIdentifier: Entry] = [:]
    private var lastToken = 0
    /// Characteristics that have gone with their service and whose listeners have not been told.
    private(set) var vanished: [CharacteristicIdentifier] = []
    /// Kept listens that wait for their characteristics to return.
    var moved = MovedListens<CharacteristicIdentifier>()
    var moveTimer: ScheduledTimer?

    func isOn(_ characteristic: CharacteristicIdentifier) -> Bool {
        entries[characteristic]?.isOn ?? false
    }

    /// A subscription is asked for; the token tells its answer from that of an earlier one.
    mutating func begin(_ characteristic: CharacteristicIdentifier) -> Int {
        lastToken += 1
        entries[characteristic] = Entry(token: lastToken)
        return lastToken
    }

    mutating func asked(
        _ characteristic: CharacteristicIdentifier,
        _ token: Int,
        _ request: LinkRequestID
    ) {
        guard entries[characteristic]?.token == token else { return }
        entries[characteristic]?.request = request
    }

    /// The answer has come; nothing happens when the subscription is not that of now any more.
    mutating func answered(
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

    /// The characteristic has gone.
    mutating func ended(_ characteristic: CharacteristicIdentifier, _ token: Int) {
        guard entries[characteristic]?.token == token else { return }
        entries[characteristic] = nil
        vanished.append(characteristic)
    }

    /// Values are not wanted any more; gives the subscription to end.
    mutating func remove(_ characteristic: CharacteristicIdentifier) -> LinkRequestID? {
        entries.removeValue(forKey: characteristic)?.request
    }

    mutating func takeVanished() -> [CharacteristicIdentifier] {
        let taken = vanished
        vanished = []
        return taken
    }

    mutating func removeAll() {
        entries = [:]
        vanished = []
        moved = MovedListens()
        moveTimer = nil
    }
}
