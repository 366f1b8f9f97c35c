import Foundation
import GameRules
import TestSupport
import Testing

@Suite("Rules of the quick game")
struct QuickSumTests {
    private var numbers = SeededGenerator(seed: 1)

    @Test("The game starts with two ready players that have roles")
    mutating func starts() {
        var table = QuickSum(pointsToWin: 2)
        _ = table.playerJoined("a", "Player 1")
        _ = table.received(.ready(name: "Ann"), from: "a", &numbers)
        #expect(!table.canStart)
        _ = table.playerJoined("b", "Player 2")
        #expect(!table.canStart && table.start(&numbers).isEmpty)
        _ = table.received(.ready(name: "Ben"), from: "b", &numbers)
        #expect(table.canStart)
        #expect(table.seats.map(\.role) == ["fox", "owl"])
        #expect(table.seats.map(\.name) == ["Ann", "Ben"])
        #expect(table.start(&numbers).count == 1)
        #expect(!table.canStart)
    }

    @Test("The first right answer scores a point, and enough points win the game")
    mutating func points() throws {
        var table = try table()
        for points in 1...2 {
            let question = try #require(table.question)
            let wrong = GameMessage.answer(round: question.round, sum: question.a + question.b + 1)
            #expect(table.received(wrong, from: "b", &numbers).isEmpty)
            let right = GameMessage.answer(round: question.round, sum: question.a + question.b)
            #expect(table.received(right, from: "stranger", &numbers).isEmpty)
            let said = table.received(right, from: "a", &numbers)
            #expect(said.count == 2)
            #expect(said.last == .won(role: "fox") || points == 1)
            #expect(table.received(right, from: "b", &numbers).isEmpty)
        }
        #expect(table.question == nil && table.canStart)
    }

    @Test("A game with one remaining player ends, and a free role is assigned again")
    mutating func leaves() throws {
        var table = try table()
        #expect(table.playerLeft("a").count == 1)
        #expect(table.question == nil && !table.canStart)
        _ = table.playerJoined("c", "Player 1")
        #expect(table.seats.map(\.role) == ["owl", "fox"])
    }

    @Test("Skipping a question asks another one")
    mutating func skips() throws {
        var table = try table()
        let round = try #require(table.question?.round)
        #expect(table.skip(&numbers).count == 1)
        #expect(table.question?.round == round + 1)
    }

    @Test("An encoded message decodes to the same message, and other bytes do not decode")
    func messages() {
        let message = GameMessage.point(round: 3, role: "fox", sum: 12, points: 2)
        #expect(GameMessage(message.data) == message)
        #expect(GameMessage(.init([1, 2, 3])) == nil)
    }

    private mutating func table() throws -> QuickSum {
        var table = QuickSum(pointsToWin: 2)
        for id in ["a", "b"] {
            _ = table.playerJoined(id, id)
            _ = table.received(.ready(name: id), from: id, &numbers)
        }
        _ = table.start(&numbers)
        return table
    }
}
