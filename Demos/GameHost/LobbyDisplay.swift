import BluejayCommandLine
import Foundation
import GameHost
import GameRules

/// The output of the host.
@MainActor
protocol LobbyDisplay {
    func state(_ state: HostState)
    /// Shows the players, with role and readiness.
    func show(_ seats: [Seat], canStart: Bool)
    func event(_ what: String, _ player: String, _ details: [String: String])
    func report(_ message: GameMessage)
    /// Shows a hint on this machine.
    func printLine(_ text: String)
}

/// Output for people.
struct TextLobby: LobbyDisplay {
    let terminal: Terminal

    func state(_ state: HostState) {
        switch state {
        case .idle, .addingService: break
        case .advertising(let name):
            line(terminal.styled("Hosting Game \(name.printable)", .bold))
            line("Waiting for players...")
        case .waitingForBluetooth, .failed: line("\(state)")
        }
    }

    func show(_ seats: [Seat], canStart: Bool) {
        guard !seats.isEmpty else { return }
        line("\(seats.count) player(s) connected")
        for seat in seats {
            let readiness = seat.isReady ? "ready" : "not ready"
            let role = seat.role ?? "no role"
            line("  \(seat.name.printable)  \(role)  \(readiness)  \(seat.points)")
        }
        line(
            canStart ? "Start Game: type start" : "Start Game: waiting until all players are ready"
        )
    }

    func event(_ what: String, _ player: String, _ details: [String: String]) {
        if what == "joined" || what == "left" { line("\(player) \(what)") }
    }

    func report(_ message: GameMessage) {
        switch message {
        case .question(let round, let a, let b): line("\(round): \(a) + \(b) = ?")
        case .point(_, let role, let sum, let points):
            line(terminal.styled("   \(sum), says the \(role): \(points)", .green))
        case .won(let role): line(terminal.styled("The \(role) wins", .bold))
        case .goodbye: line("Goodbye")
        case .ready, .answer, .lobby: break
        }
    }

    func printLine(_ text: String) { line(text) }

    private func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}

/// Output for programs: one object a line, each with an `event`.
struct JSONLobby: LobbyDisplay {
    private let lines = JSONLines()

    func state(_ state: HostState) {
        switch state {
        case .advertising(let name): write(["event": "advertising", "name": name])
        case .idle, .addingService: break
        case .waitingForBluetooth, .failed: write(["event": "waiting", "reason": "\(state)"])
        }
    }

    func show(_ seats: [Seat], canStart: Bool) {
        struct Lobby: Encodable {
            let event = "lobby"
            let players: [Seat]
            let canStart: Bool
        }
        write(Lobby(players: seats, canStart: canStart))
    }

    func event(_ what: String, _ player: String, _ details: [String: String]) {
        write(details.merging(["event": what, "player": player]) { $1 })
    }

    func report(_ message: GameMessage) {
        switch message {
        case .question(let round, let a, let b):
            write(["event": "question", "round": "\(round)", "text": "\(a) + \(b)"])
        case .point(let round, let role, _, let points):
            write(["event": "point", "round": "\(round)", "role": role, "points": "\(points)"])
        case .won(let role): write(["event": "won", "role": role])
        case .goodbye: write(["event": "goodbye"])
        case .ready, .answer, .lobby: break
        }
    }

    func printLine(_ text: String) {}

    private func write(_ value: some Encodable) {
        guard let line = try? lines.line(value) else { return }
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
