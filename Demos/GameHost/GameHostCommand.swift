import ArgumentParser
import BluejayCommandLine
import Dispatch
import Foundation
import GameHost

import enum BluejayCore.BluejayVersion

/// Hosts a quick game; see `Documentation/GameHost.md`.
@main
struct GameHostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "game-host",
        abstract: "Host a quick game for two to eight players over Bluetooth Low Energy.",
        discussion: """
            Players join with game-player. The host asks for sums; the first right answer scores a point. \
            The host ends with Ctrl-C, with quit on standard input, or after --for, and says goodbye to \
            the players.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "the game was advertised",
        failure: "Bluetooth is unavailable, or a second Ctrl-C"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The advertised name of the game.")
    var name = "Quick Sum"

    @Option(
        parsing: .unconditional,
        help: "Start when this many players are ready. Default: type start."
    )
    var players: Int?

    @Option(parsing: .unconditional, help: "The number of points required to win.")
    var points = 3

    func validate() throws {
        if let players, !(2...8).contains(players) {
            throw ValidationError("--players takes a number from 2 to 8")
        }
        guard points >= 1 else { throw ValidationError("--points takes a number from 1") }
    }

    @MainActor
    func run() async throws {
        let display: any LobbyDisplay = options.json ? JSONLobby() : TextLobby(terminal: Terminal())
        let game = DemoGame(name: name, players: players, points: points, display: display)
        let manager = BLEHostManager(sdk: game, host: BluetoothHost(adapter: options.adapter))
        manager.setGoodbyePacket { [weak game] in game?.goodbye() }
        let ends = StopSignal(after: options.seconds)
        let input = StandardInput { line in
            MainActor.assumeIsolated {
                switch line {
                case "start": game.start()
                case "quit": ends.stop()
                default: game.showHint("type start or quit")
                }
            }
        }
        let states = manager.changes
        let watcher = Task { for await state in states { display.state(state) } }
        manager.startAdvertising()
        SystemdService.startWatchdog(on: .background)
        SystemdService.notify(.ready)
        await ends.wait()
        SystemdService.notify(.stopping)
        manager.disconnectGracefully()
        for await state in manager.changes where state == .idle { break }
        input.cancel()
        watcher.cancel()
        guard game.hasHosted else {
            FileHandle.standardError.write(Data("game-host: \(manager.bluetoothState)\n".utf8))
            throw ExitCode.failure
        }
    }
}
