/// Chooses the path of each value that users write without response: `WriteValue`, or a socket from
/// `AcquireWrite`, which costs no message on the bus.
///
/// A socket is acquired when a user writes to one characteristic several times in a row, and released when
/// that user moves to another one. While a socket is open, bluetoothd refuses every `WriteValue` to its
/// characteristic, so the socket is also released as soon as such a call is needed. After a short row, the
/// next one must be longer.
///
/// The values of one user reach bluetoothd in the order of writing. Before any operation that does not use
/// the same socket, the owner of the machine waits until bluetoothd has read the socket's contents.
///
/// The calls on one characteristic arrive one at a time, as `AttributeStateMachine` schedules them.
struct WriteSocketStateMachine: Equatable {
    typealias Attribute = AttributeStateMachine.Attribute
    typealias User = AttributeStateMachine.User

    struct Value: Equatable {
        let user: User
        let attribute: Attribute
        /// In bytes.
        let length: Int
        /// Whether it is written without response to a characteristic that supports this.
        let isCommand: Bool
    }

    enum Way: Equatable {
        case call
        case packet
        /// Call `AcquireWrite` and report `acquired`, which returns the path.
        case acquire
        /// Release the characteristic's socket, then call `WriteValue`.
        case release
    }

    struct Decision: Equatable {
        var way: Way
        /// The characteristic of a socket that must be released first.
        var left: Attribute?
    }

    /// The number of values in a row after which a socket is acquired.
    static let shortestRow = 2
    /// The upper limit of that number, which short rows increase.
    static let longestRow = 64

    private enum Phase: Equatable {
        /// Next: `acquiring`.
        case direct
        /// Next: `open`, `refused`.
        case acquiring
        /// The socket accepts values up to `limit` bytes. Next: `direct`, `refused`.
        case open(limit: Int)
        /// No socket is available while the link is up. Next: none.
        case refused
    }

    private struct Line: Equatable {
        var phase = Phase.direct
        var row = 0
        var needed = WriteSocketStateMachine.shortestRow
    }

    /// The longest packet that bluetoothd reads; it truncates a longer one.
    private let longestValue: Int
    private var lines: [Attribute: Line] = [:]
    /// The characteristic of each user's last value without response.
    private var last: [User: Attribute] = [:]
    private var unwilling: Set<User> = []

    init(longestValue: Int) {
        self.longestValue = longestValue
    }

    var isUnused: Bool { last.isEmpty }

    /// Sets whether a user allows sockets; an open socket stays.
    mutating func setWilling(_ isWilling: Bool, _ user: User) {
        if isWilling { unwilling.remove(user) } else { unwilling.insert(user) }
    }

    /// Whether the current value without response uses the open socket; if not, the caller asks for its
    /// `way`.
    mutating func goesOn(_ attribute: Attribute, _ user: User, length: Int) -> Bool {
        guard case .open(let limit) = lines[attribute]?.phase, last[user] == attribute,
            length > 0, length <= limit
        else { return false }
        lines[attribute]?.row += 1
        return true
    }

    mutating func way(of value: Value) -> Decision {
        guard value.isCommand else {
            return Decision(way: give(value.attribute))
        }
        var left: Attribute?
        let before = last.updateValue(value.attribute, forKey: value.user)
        if let before, before != value.attribute {
            lines[value.attribute]?.row = 0
            if give(before) == .release { left = before }
        }
        return Decision(way: take(value), left: left)
    }

    /// `AcquireWrite` replied with the longest value that the socket accepts, or with a refusal.
    mutating func acquired(_ value: Value, limit: Int?) -> Way {
        guard lines[value.attribute]?.phase == .acquiring else { return .call }
        guard let limit, limit > 0 else {
            lines[value.attribute]?.phase = .refused
            return .call
        }
        lines[value.attribute]?.phase = .open(limit: min(limit, longestValue))
        return take(value)
    }

    /// bluetoothd has closed a socket; unsent values use `WriteValue`.
    mutating func hungUp(_ attribute: Attribute) {
        lines[attribute]?.phase = .refused
    }

    /// An idle socket was released, so that other programs can acquire one.
    mutating func idled(_ attribute: Attribute) {
        guard case .open = lines[attribute]?.phase else { return }
        lines[attribute]?.phase = .direct
        lines[attribute]?.row = 0
    }

    mutating func removed(_ attribute: Attribute) {
        lines[attribute] = nil
    }

    mutating func linkEnded() {
        lines = [:]
        last = [:]
        unwilling = []
    }

    private mutating func take(_ value: Value) -> Way {
        var line = lines[value.attribute] ?? Line()
        defer { lines[value.attribute] = line }
        line.row += 1
        switch line.phase {
        case .refused, .acquiring: return .call
        case .open(let limit):
            // An empty packet stops bluetoothd from reading.
            if value.length > 0, value.length <= limit { return .packet }
            line.phase = .direct
            line.row = 0
            return .release
        case .direct:
            guard line.row >= line.needed, value.length > 0, !unwilling.contains(value.user) else {
                return .call
            }
            line.phase = .acquiring
            return .acquire
        }
    }

    private mutating func give(_ attribute: Attribute) -> Way {
        guard var line = lines[attribute] else { return .call }
        defer { lines[attribute] = line }
        let row = line.row
        line.row = 0
        guard case .open = line.phase else { return .call }
        line.phase = .direct
        line.needed =
            row < Self.longestRow ? min(line.needed * 2, Self.longestRow) : Self.shortestRow
        return .release
    }
}
