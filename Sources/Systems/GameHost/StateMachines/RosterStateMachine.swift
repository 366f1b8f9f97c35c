/// Who plays, by which id and number.
///
/// Invariants: nobody joins who is there, nobody leaves who is not; ids and numbers of those who are
/// there, or may come back to theirs, are unique.
struct RosterStateMachine<Central: Hashable> {
    enum Action: Equatable {
        case joined(Central, id: String, number: Int)
        case left(Central, id: String)
    }

    struct PeripheralProcess: Equatable {
        let central: Central
        let id: String
        let number: Int
        /// bluetoothd has closed its socket, and its link is up.
        var isMute = false
    }

    private struct Reservation {
        let central: Central
        let id: String
        let number: Int
        let end: Duration
    }

    /// In the order in which they came.
    private(set) var players: [PeripheralProcess] = []
    private let maximumPeers: Int
    private let window: Duration
    private let digest: (Central) -> UInt32
    private var reservations: [Reservation] = []
    /// Who would play, had there been a place.
    private var waiting: [Central] = []
    private var subscribed: Set<Central> = []

    /// - Parameters:
    ///   - maximumPeers: The most that play at once.
    ///   - window: How long the id and number of one that left are kept for it.
    ///   - digest: What an id is made of.
    init(maximumPeers: Int, window: Duration, digest: @escaping (Central) -> UInt32) {
        self.maximumPeers = maximumPeers
        self.window = window
        self.digest = digest
    }

    func player(_ central: Central) -> PeripheralProcess? {
        players.first { $0.central == central }
    }
    func player(id: String) -> PeripheralProcess? { players.first { $0.id == id } }

    // MARK: Events

    /// A central has subscribed, perhaps again.
    mutating func subscribed(_ central: Central, at time: Duration) -> [Action] {
        subscribed.insert(central)
        return join(central, at: time)
    }

    /// The centrals with a socket are these now.
    ///
    /// - Parameters:
    ///   - now: In the order of their subscriptions.
    ///   - tellsEach: Whether BlueZ tells of each; it tells of the first one only, otherwise, and a socket
    ///     that has gone says nothing of anybody.
    ///   - time: The present time.
    /// - Returns: Who has joined.
    mutating func subscribersChanged(
        _ now: [Central],
        tellsEach: Bool,
        at time: Duration
    ) -> [Action] {
        let gone = subscribed.subtracting(now)
        let new = now.filter { !subscribed.contains($0) }
        subscribed = Set(now)
        if tellsEach {
            for index in players.indices where gone.contains(players[index].central) {
                players[index].isMute = true
            }
            waiting.removeAll { gone.contains($0) }
        }
        return new.flatMap { join($0, at: time) }
    }

    /// A central has written or read where BlueZ does not tell of each subscriber, and somebody is
    /// subscribed.
    mutating func used(by central: Central, at time: Duration) -> [Action] {
        join(central, at: time)
    }

    /// The program takes a link for lost: it is back with its next subscription.
    mutating func lost(_ central: Central, at time: Duration) -> [Action] {
        leave(central, at: time) + admitWaiting(at: time)
    }

    /// A link has ended.
    mutating func left(_ central: Central, at time: Duration) -> [Action] {
        subscribed.remove(central)
        waiting.removeAll { $0 == central }
        return leave(central, at: time) + admitWaiting(at: time)
    }

    /// Nobody is subscribed any more, or nobody can be.
    mutating func allLeft(at time: Duration) -> [Action] {
        subscribed = []
        waiting = []
        return players.flatMap { leave($0.central, at: time) }
    }

    /// Pairing has replaced an address: it is the same central as before.
    mutating func identified(_ old: Central, as new: Central) {
        if subscribed.remove(old) != nil { subscribed.insert(new) }
        waiting = waiting.map { $0 == old ? new : $0 }
        players = players.map { player in
            guard player.central == old else { return player }
            return PeripheralProcess(
                central: new,
                id: player.id,
                number: player.number,
                isMute: player.isMute
            )
        }
    }

    /// Nobody plays, and nobody finds an old id: the next game is another one.
    mutating func reset() {
        players = []
        reservations = []
        waiting = []
        subscribed = []
    }

    // MARK: Coming and going

    private mutating func join(_ central: Central, at time: Duration) -> [Action] {
        if let index = players.firstIndex(where: { $0.central == central }) {
            players[index].isMute = false
            return []
        }
        guard players.count < maximumPeers else {
            if !waiting.contains(central) { waiting.append(central) }
            return []
        }
        reservations.removeAll { $0.end <= time }
        let player: PeripheralProcess
        if let place = reservations.firstIndex(where: { $0.central == central }) {
            let old = reservations.remove(at: place)
            player = PeripheralProcess(central: central, id: old.id, number: old.number)
        } else {
            player = PeripheralProcess(
                central: central,
                id: freeID(for: central),
                number: freeNumber
            )
        }
        players.append(player)
        return [.joined(central, id: player.id, number: player.number)]
    }

    private mutating func leave(_ central: Central, at time: Duration) -> [Action] {
        guard let index = players.firstIndex(where: { $0.central == central }) else { return [] }
        let player = players.remove(at: index)
        reservations.removeAll { $0.end <= time }
        reservations.append(
            Reservation(
                central: central,
                id: player.id,
                number: player.number,
                end: time + window
            )
        )
        return [.left(central, id: player.id)]
    }

    private mutating func admitWaiting(at time: Duration) -> [Action] {
        guard players.count < maximumPeers, !waiting.isEmpty else { return [] }
        return join(waiting.removeFirst(), at: time)
    }

    private var freeNumber: Int {
        let taken = Set(players.map(\.number) + reservations.map(\.number))
        var number = 1
        while taken.contains(number) { number += 1 }
        return number
    }

    private func freeID(for central: Central) -> String {
        let taken = Set(players.map(\.id) + reservations.map(\.id))
        var digest = digest(central)
        while taken.contains(Self.id(digest)) { digest &+= 1 }
        return Self.id(digest)
    }

    static func id(_ digest: UInt32) -> String {
        let digits = String(digest, radix: 16)
        return "peer-" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
