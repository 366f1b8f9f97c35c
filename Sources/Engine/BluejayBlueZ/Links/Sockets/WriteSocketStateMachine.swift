/// Chooses the path of each value that users write without response: `WriteValue`, or a socket from
/// `AcquireWrite`, which costs no message on the bus.
///
/// A socket is acquired when a user writes to one characteristic several times in a row, and released when
/// that user moves to another one. While a socket is open, bluetoothd refuses every `WriteValue` to its
/// characteristic, so the socket is also released as soon as such a call is needed. After a short streak, the
/// next one must be longer.
///
/// The values of one user reach bluetoothd in the order of writing. Before any operation that does not use
/// the same socket, the owner of the machine waits until bluetoothd has read the socket's contents.
///
/// The calls on one characteristic arrive one at a time, as `AttributeStateMachine` schedules them.
struct WriteSocketStateMachine: Equatable {
    typealias AttributeID = AttributeStateMachine.AttributeID
    typealias LeaseID = AttributeStateMachine.LeaseID

    struct Value: Equatable {
        let lease: LeaseID
        let attribute: AttributeID
        /// In bytes.
        let length: Int
        /// Whether it is written without response to a characteristic that supports this.
        let isCommand: Bool
    }

    enum WriteRoute: Equatable {
        case call
        case socket
        /// Call `AcquireWrite` and report `acquired`, which returns the path.
        case acquire
        /// Release the characteristic's socket, then call `WriteValue`.
        case release
    }

    struct Decision: Equatable {
        var route: WriteRoute
        /// The characteristic of a socket that must be released first.
        var releasedAttribute: AttributeID?
    }

    /// The number of values in a row after which a socket is acquired.
    static let minimumStreak = 2
    /// The upper limit of that number, which short streaks increase.
    static let maximumStreak = 64

    private enum Phase: Equatable {
        /// Next: `acquiring`.
        case direct
        /// Next: `open`, `unavailable`.
        case acquiring
        /// The socket accepts values up to `limit` bytes. Next: `direct`, `unavailable`.
        case open(limit: Int)
        /// No socket is available while the link is up. Next: none.
        case unavailable
    }

    private struct AttributeState: Equatable {
        var phase = Phase.direct
        var streak = 0
        var requiredStreak = WriteSocketStateMachine.minimumStreak
    }

    /// The longest packet that bluetoothd reads; it truncates a longer one.
    private let longestValue: Int
    private var states: [AttributeID: AttributeState] = [:]
    /// The characteristic of each user's last value without response.
    private var lastAttributes: [LeaseID: AttributeID] = [:]
    private var leasesWithoutSockets: Set<LeaseID> = []

    init(longestValue: Int) {
        self.longestValue = longestValue
    }

    var isUnused: Bool { lastAttributes.isEmpty }

    /// Sets whether a user allows sockets; an open socket stays.
    mutating func setAllowsSockets(_ isAllowed: Bool, _ leaseID: LeaseID) {
        if isAllowed {
            leasesWithoutSockets.remove(leaseID)
        } else {
            leasesWithoutSockets.insert(leaseID)
        }
    }

    /// Whether the current value without response uses the open socket; if not, the caller requests its
    /// `route`.
    mutating func continuesThroughSocket(_ attribute: AttributeID, _ leaseID: LeaseID, length: Int)
        -> Bool
    {
        guard case .open(let limit) = states[attribute]?.phase,
            lastAttributes[leaseID] == attribute,
            length > 0, length <= limit
        else { return false }
        states[attribute]?.streak += 1
        return true
    }

    mutating func route(of value: Value) -> Decision {
        guard value.isCommand else {
            return Decision(route: releaseSocket(value.attribute))
        }
        var released: AttributeID?
        let previous = lastAttributes.updateValue(value.attribute, forKey: value.lease)
        if let previous, previous != value.attribute {
            states[value.attribute]?.streak = 0
            if releaseSocket(previous) == .release { released = previous }
        }
        return Decision(route: chooseRoute(value), releasedAttribute: released)
    }

    /// `AcquireWrite` replied with the longest value that the socket accepts, or with a refusal.
    mutating func acquired(_ value: Value, limit: Int?) -> WriteRoute {
        guard states[value.attribute]?.phase == .acquiring else { return .call }
        guard let limit, limit > 0 else {
            states[value.attribute]?.phase = .unavailable
            return .call
        }
        states[value.attribute]?.phase = .open(limit: min(limit, longestValue))
        return chooseRoute(value)
    }

    /// bluetoothd has closed a socket; unsent values use `WriteValue`.
    mutating func hungUp(_ attribute: AttributeID) {
        states[attribute]?.phase = .unavailable
    }

    /// An idle socket was released, so that other programs can acquire one.
    mutating func idled(_ attribute: AttributeID) {
        guard case .open = states[attribute]?.phase else { return }
        states[attribute]?.phase = .direct
        states[attribute]?.streak = 0
    }

    mutating func removed(_ attribute: AttributeID) {
        states[attribute] = nil
    }

    mutating func linkEnded() {
        states = [:]
        lastAttributes = [:]
        leasesWithoutSockets = []
    }

    private mutating func chooseRoute(_ value: Value) -> WriteRoute {
        var state = states[value.attribute] ?? AttributeState()
        defer { states[value.attribute] = state }
        state.streak += 1
        switch state.phase {
        case .unavailable, .acquiring: return .call
        case .open(let limit):
            // An empty packet stops bluetoothd from reading.
            if value.length > 0, value.length <= limit { return .socket }
            state.phase = .direct
            state.streak = 0
            return .release
        case .direct:
            guard state.streak >= state.requiredStreak, value.length > 0,
                !leasesWithoutSockets.contains(value.lease)
            else {
                return .call
            }
            state.phase = .acquiring
            return .acquire
        }
    }

    private mutating func releaseSocket(_ attribute: AttributeID) -> WriteRoute {
        guard var state = states[attribute] else { return .call }
        defer { states[attribute] = state }
        let streak = state.streak
        state.streak = 0
        guard case .open = state.phase else { return .call }
        state.phase = .direct
        state.requiredStreak =
            streak < Self.maximumStreak
            ? min(state.requiredStreak * 2, Self.maximumStreak) : Self.minimumStreak
        return .release
    }
}
