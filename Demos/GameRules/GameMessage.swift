package import Foundation

/// What the host of a game and its players say to each other; on the air it is JSON.
package enum GameMessage: Codable, Equatable, Swift.Sendable {
    /// A player is ready to play, and says its name.
    case ready(name: String)
    /// A player's answer.
    case answer(round: Int, sum: Int)
    /// Who sits at the table.
    case lobby([Seat])
    /// What is asked of all.
    case question(round: Int, a: Int, b: Int)
    /// Somebody was right first.
    case point(round: Int, role: String, sum: Int, points: Int)
    /// The game is over.
    case won(role: String)
    /// The host closes.
    case goodbye

    /// The bytes of it.
    package var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// Reads it; nil when it is none.
    package init?(_ data: Data) {
        guard let message = try? JSONDecoder().decode(GameMessage.self, from: data) else {
            return nil
        }
        self = message
    }
}

/// A place at the table.
package struct Seat: Codable, Equatable, Swift.Sendable {
    /// What the host calls the player.
    package let id: String
    /// What it calls itself.
    package var name: String
    package var role: String?
    package var isReady = false
    package var points = 0

    package init(id: String, name: String, role: String?) {
        self.id = id
        self.name = name
        self.role = role
    }
}
