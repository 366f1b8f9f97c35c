/// Decides which way the values go that one link's users write without response: each by a `WriteValue`,
/// or through a socket that `AcquireWrite` gave, which costs no message on the bus.
///
/// A socket is asked for when a user writes to one characteristic several times in a row, and only one
/// user's row counts: who goes from one characteristic to another gives the socket of the first back.
/// While there is a socket bluetoothd refuses every `WriteValue` to its characteristic, so it goes as soon
/// as one is needed. A row that was short makes the next one have to be longer.
///
/// The values of one user reach bluetoothd in the order in which they were written, whichever way they go:
/// whoever runs the machine waits, before anything that does not go through the same socket, until
/// bluetoothd has read what is in it.
///
/// The calls on one characteristic come one at a time, as `AttributeStateMachine` lets them.
struct WriteSocketStateMachine: Equatable {
    typealias Attribute = AttributeStateMachine.Attribute
    typealias User = AttributeStateMachine.User

    /// One value that is about to be written.
    struct Value: Equatable {
        let user: User
        let attribute: Attribute
        /// In bytes.
        let length: Int
        /// Whether it goes without response to a characteristic that takes that.
        let isCommand: Bool
    }

    /// Which way a value goes.
    enum Way: Equatable {
        /// By `WriteValue`.
        case call
        /// Through the socket.
        case packet
        /// Ask for a socket, and report `acquired`, which says how it goes on.
        case acquire
        /// Give the socket of its own characteristic back, and then by `WriteValue`.
        case release
    }

    /// What is to be done with a value.
    struct Decision: Equatable {
        var way: Way
        /// A characteristic whose socket is not used any more.
        var left: Attribute?
    }

    /// After so many values in a row a socket is asked for.
    static let shortestRow = 2
    /// The most values in a row that a socket is ever asked for after.
    static let longestRow = 64

    private enum Phase: Equatable {
        /// Next: `acquiring`.
        case direct
        /// Next: `open`, `refused`.
        case acquiring
        /// Takes values of this length. Next: `direct`, `refused`.
        case open(limit: Int)
        /// No socket is to be had while the link stands. Next: none.
        case refused
    }

    private struct Line: Equatable {
        var phase = Phase.direct
        /// How many values there were in a row.
        var row = 0
        /// After how many a socket is asked for.
        var needed = WriteSocketStateMachine.shortestRow
    }

    /// The longest packet that bluetoothd reads; it cuts off the rest of a longer one.
    private let longestValue: Int
    private var lines: [Attribute: Line] = [:]
    /// Where each user's last value without response went.
    private var last: [User: Attribute] = [:]
    /// Who does not want sockets.
    private var unwilling: Set<User> = []

    init(longestValue: Int) {
        self.longestValue = longestValue
    }

    /// Whether no value went without response on this link.
    var isUnused: Bool { last.isEmpty }

    /// A user does not want sockets, or wants them again; one that is there stays.
    mutating func setWilling(_ isWilling: Bool, _ user: User) {
        if isWilling { unwilling.remove(user) } else { unwilling.insert(user) }
    }

    /// Whether a value without response that has its turn goes through the socket that is there; when it
    /// does not, ask for its `way`.
    mutating func goesOn(_ attribute: Attribute, _ user: User, length: Int) -> Bool {
        guard case .open(let limit) = lines[attribute]?.phase, last[user] == attribute,
            length > 0, length <= limit
        else { return false }
        lines[attribute]?.row += 1
        return true
    }

    /// A value has its turn.
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

    /// `AcquireWrite` was answered, with the longest value that the socket takes or with a refusal.
    mutating func acquired(_ value: Value, limit: Int?) -> Way {
        guard lines[value.attribute]?.phase == .acquiring else { return .call }
        guard let limit, limit > 0 else {
            lines[value.attribute]?.phase = .refused
            return .call
        }
        lines[value.attribute]?.phase = .open(limit: min(limit, longestValue))
        return take(value)
    }

    /// bluetoothd has closed a socket; what was not sent goes by `WriteValue`.
    mutating func hungUp(_ attribute: Attribute) {
        lines[attribute]?.phase = .refused
    }

    /// A socket was not used for a while, and was given back for others to have one.
    mutating func idled(_ attribute: Attribute) {
        guard case .open = lines[attribute]?.phase else { return }
        lines[attribute]?.phase = .direct
        lines[attribute]?.row = 0
    }

    /// The characteristic has gone, and its socket with it.
    mutating func removed(_ attribute: Attribute) {
        lines[attribute] = nil
    }

    /// The link has gone, and all sockets with it.
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
            // An empty packet stops bluetoothd's reading.
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

    /// Gives up the socket of a characteristic, if it has one.
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
