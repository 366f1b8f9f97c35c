/// The players, with their ids and numbers.
///
/// Invariants: only an absent central joins, only a present one leaves; the ids and numbers of present
/// players and of reservations are unique.
struct RosterStateMachine<Central: Hashable> {
    enum Action: Equatable {
        case playerJoined(Central, id: String, number: Int)
        case playerLeft(Central, id: String)
    }

    struct Player: Equatable {
        let central: Central
        let id: String
        let number: Int
        /// Whether the player has unsubscribed although its link is up.
        var isUnsubscribed = false
    }

    private struct Reservation {
        let central: Central
        let id: String
        let number: Int
        let end: Duration
    }

    /// The players in the order in which they joined.
    private(set) var players: [Player] = []
    private let maximumPeers: Int
    private let window: Duration
    private let idHash: (Central) -> UInt32
    private var reservations: [Reservation] = []
    /// The centrals that wait for a free place.
    private var waitingCentrals: [Central] = []

    /// - Parameters:
    ///   - maximumPeers: The maximum number of simultaneous players.
    ///   - window: How long the id and number of a player that left are reserved for it.
    ///   - idHash: Returns the hash from which an id is made.
    init(maximumPeers: Int, window: Duration, idHash: @escaping (Central) -> UInt32) {
        self.maximumPeers = maximumPeers
        self.window = window
        self.idHash = idHash
    }

    func player(_ central: Central) -> Player? {
        players.first { $0.central == central }
    }
    func player(id: String) -> Player? { players.first { $0.id == id } }

    // MARK: Events

    /// Handles a subscription, which may be a repeated one.
    mutating func subscribed(_ central: Central, at time: Duration) -> [Action] {
        addPlayer(central, at: time)
    }

    /// Handles a central that unsubscribed and is still connected.
    mutating func unsubscribed(_ central: Central) {
        waitingCentrals.removeAll { $0 == central }
        guard let index = players.firstIndex(where: { $0.central == central }) else { return }
        players[index].isUnsubscribed = true
    }

    /// Handles a write or read of a central, where BlueZ does not report each subscriber and at least one
    /// central is subscribed.
    mutating func attributeAccessed(by central: Central, at time: Duration) -> [Action] {
        addPlayer(central, at: time)
    }

    /// Handles a link that the program considers lost; the player returns with its next subscription.
    mutating func lost(_ central: Central, at time: Duration) -> [Action] {
        removePlayer(central, at: time) + joinWaiting(at: time)
    }

    mutating func disconnected(_ central: Central, at time: Duration) -> [Action] {
        waitingCentrals.removeAll { $0 == central }
        return removePlayer(central, at: time) + joinWaiting(at: time)
    }

    mutating func allLeft(at time: Duration) -> [Action] {
        waitingCentrals = []
        return players.flatMap { removePlayer($0.central, at: time) }
    }

    /// Updates the address of a central, which pairing has replaced.
    mutating func identified(_ old: Central, as new: Central) {
        waitingCentrals = waitingCentrals.map { $0 == old ? new : $0 }
        players = players.map { player in
            guard player.central == old else { return player }
            return Player(
                central: new,
                id: player.id,
                number: player.number,
                isUnsubscribed: player.isUnsubscribed
            )
        }
    }

    /// Removes all players and reservations, for the next game.
    mutating func reset() {
        players = []
        reservations = []
        waitingCentrals = []
    }

    // MARK: Joining and leaving

    private mutating func addPlayer(_ central: Central, at time: Duration) -> [Action] {
        if let index = players.firstIndex(where: { $0.central == central }) {
            players[index].isUnsubscribed = false
            return []
        }
        guard players.count < maximumPeers else {
            if !waitingCentrals.contains(central) { waitingCentrals.append(central) }
            return []
        }
        reservations.removeAll { $0.end <= time }
        let player: Player
        if let index = reservations.firstIndex(where: { $0.central == central }) {
            let old = reservations.remove(at: index)
            player = Player(central: central, id: old.id, number: old.number)
        } else {
            player = Player(
                central: central,
                id: freeID(for: central),
                number: freeNumber
            )
        }
        players.append(player)
        return [.playerJoined(central, id: player.id, number: player.number)]
    }

    private mutating func removePlayer(_ central: Central, at time: Duration) -> [Action] {
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
        return [.playerLeft(central, id: player.id)]
    }

    private mutating func joinWaiting(at time: Duration) -> [Action] {
        guard players.count < maximumPeers, !waitingCentrals.isEmpty else { return [] }
        return addPlayer(waitingCentrals.removeFirst(), at: time)
    }

    private var freeNumber: Int {
        let used = Set(players.map(\.number) + reservations.map(\.number))
        var number = 1
        while used.contains(number) { number += 1 }
        return number
    }

    private func freeID(for central: Central) -> String {
        let used = Set(players.map(\.id) + reservations.map(\.id))
        var hash = idHash(central)
        while used.contains(Self.id(hash)) { hash &+= 1 }
        return Self.id(hash)
    }

    static func id(_ hash: UInt32) -> String {
        let digits = String(hash, radix: 16)
        return "peer-" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
