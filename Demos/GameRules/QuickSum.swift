/// A quick game for two to eight: who says a sum first gets a point, who has enough points wins.
///
/// It knows no Bluetooth; what it returns is for everybody.
package struct QuickSum {
    private static let roles = ["fox", "owl", "bear", "hare", "wolf", "lynx", "crow", "mole"]

    /// The players, in the order in which they came.
    package private(set) var seats: [Seat] = []
    /// The question that nobody has answered yet.
    package private(set) var question: (round: Int, a: Int, b: Int)?
    private let pointsToWin: Int
    private var round = 0

    /// A table without players.
    package init(pointsToWin: Int) {
        self.pointsToWin = max(1, pointsToWin)
    }

    /// Whether there are two, and all are ready and have a role.
    package var canStart: Bool {
        question == nil && seats.count >= 2 && seats.allSatisfy { $0.isReady && $0.role != nil }
    }

    package mutating func joined(_ id: String, _ name: String) -> [GameMessage] {
        let taken = Set(seats.compactMap(\.role))
        let role = Self.roles.first { !taken.contains($0) }
        seats.append(Seat(id: id, name: name, role: role))
        return [.lobby(seats)]
    }

    package mutating func left(_ id: String) -> [GameMessage] {
        seats.removeAll { $0.id == id }
        if seats.count < 2 { question = nil }
        return [.lobby(seats)]
    }

    /// Begins a game; does nothing unless it can.
    package mutating func start(_ numbers: inout some RandomNumberGenerator) -> [GameMessage] {
        guard canStart else { return [] }
        for index in seats.indices { seats[index].points = 0 }
        return ask(&numbers)
    }

    /// Asks something else, when nobody knows.
    package mutating func skip(_ numbers: inout some RandomNumberGenerator) -> [GameMessage] {
        question == nil ? [] : ask(&numbers)
    }

    /// Takes what a player says; what fits nothing is left out.
    package mutating func heard(
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
            return point(index, round, sum, &numbers)
        default: return []
        }
    }

    private mutating func point(
        _ index: Int,
        _ round: Int,
        _ sum: Int,
        _ numbers: inout some RandomNumberGenerator
    ) -> [GameMessage] {
        seats[index].points += 1
        let role = seats[index].role ?? ""
        let told = GameMessage.point(
            round: round,
            role: role,
            sum: sum,
            points: seats[index].points
        )
        guard seats[index].points >= pointsToWin else { return [told] + ask(&numbers) }
        question = nil
        return [told, .won(role: role)]
    }

    private mutating func ask(_ numbers: inout some RandomNumberGenerator) -> [GameMessage] {
        round += 1
        let (a, b) = (
            Int.random(in: 2...20, using: &numbers), Int.random(in: 2...20, using: &numbers)
        )
        question = (round, a, b)
        return [.question(round: round, a: a, b: b)]
    }
}
