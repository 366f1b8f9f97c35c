/// A game for two to eight players: the first right sum scores a point, and enough points win.
///
/// The game is independent of Bluetooth; it returns the messages to all players.
package struct QuickSum {
    private static let roles = ["fox", "owl", "bear", "hare", "wolf", "lynx", "crow", "mole"]

    /// The players, in the order in which they joined.
    package private(set) var seats: [Seat] = []
    package private(set) var question: (round: Int, a: Int, b: Int)?
    private let pointsToWin: Int
    private var round = 0

    package init(pointsToWin: Int) {
        self.pointsToWin = max(1, pointsToWin)
    }

    /// Whether at least two players are present, and all are ready and have a role.
    package var canStart: Bool {
        question == nil && seats.count >= 2 && seats.allSatisfy { $0.isReady && $0.role != nil }
    }

    package mutating func playerJoined(_ id: String, _ name: String) -> [GameMessage] {
        let taken = Set(seats.compactMap(\.role))
        let role = Self.roles.first { !taken.contains($0) }
        seats.append(Seat(id: id, name: name, role: role))
        return [.lobby(seats)]
    }

    package mutating func playerLeft(_ id: String) -> [GameMessage] {
        seats.removeAll { $0.id == id }
        if seats.count < 2 { question = nil }
        return [.lobby(seats)]
    }

    /// Starts a game if ``canStart`` is true.
    package mutating func start(_ numbers: inout some RandomNumberGenerator) -> [GameMessage] {
        guard canStart else { return [] }
        for index in seats.indices { seats[index].points = 0 }
        return makeQuestion(&numbers)
    }

    /// Asks the next question, if a question is open.
    package mutating func skip(_ numbers: inout some RandomNumberGenerator) -> [GameMessage] {
        question == nil ? [] : makeQuestion(&numbers)
    }

    /// Handles a message of a player; a message that does not fit is ignored.
    package mutating func received(
        _ message: GameMessage,
        from id: String,
        _ numbers: inout some RandomNumberGenerator
    ) -> [GameMessage] {
        guard let index = seats.firstIndex(where: { $0.id == id }) else { return [] }
        switch message {
        case .ready(let name):
            seats[index].name = String(name.prefix(20))
            seats[index].isReady = true
            return [.lobby(seats)]
        case .answer(let round, let sum):
            guard let question, question.round == round, sum == question.a + question.b else {
                return []
            }
            return score(index, round, sum, &numbers)
        default: return []
        }
    }

    private mutating func score(
        _ index: Int,
        _ round: Int,
        _ sum: Int,
        _ numbers: inout some RandomNumberGenerator
    ) -> [GameMessage] {
        seats[index].points += 1
        let role = seats[index].role ?? ""
        let point = GameMessage.point(
            round: round,
            role: role,
            sum: sum,
            points: seats[index].points
        )
        guard seats[index].points >= pointsToWin else { return [point] + makeQuestion(&numbers) }
        question = nil
        return [point, .won(role: role)]
    }

    private mutating func makeQuestion(_ numbers: inout some RandomNumberGenerator) -> [GameMessage]
    {
        round += 1
        let (a, b) = (
            Int.random(in: 2...20, using: &numbers), Int.random(in: 2...20, using: &numbers)
        )
        question = (round, a, b)
        return [.question(round: round, a: a, b: b)]
    }
}
