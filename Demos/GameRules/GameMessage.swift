package import Foundation

/// A message between the host and its players; sent as JSON.
package enum GameMessage: Codable, Equatable, Swift.Sendable {
    /// A player is ready and sends its name.
    case ready(name: String)
    case answer(round: Int, sum: Int)
    /// The seats at the table.
    case lobby([Seat])
    case question(round: Int, a: Int, b: Int)
    /// A player was the first with the right sum.
    case point(round: Int, role: String, sum: Int, points: Int)
    case won(role: String)
    case goodbye

    /// The message as JSON.
    package var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// Decodes a message; `nil` if the data is not one.
    package init?(_ data: Data) {
        guard let message = try? JSONDecoder().decode(GameMessage.self, from: data) else {
            return nil
        }
        self = message
    }
}

package struct Seat: Codable, Equatable, Swift.Sendable {
    /// The id that the host gives the player.
    package let id: String
    /// The name that the player sent.
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
