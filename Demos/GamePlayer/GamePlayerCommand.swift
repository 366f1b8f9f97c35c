import ArgumentParser
import Bluejay
import BluejayCommandLine
import Foundation
import GameHost

/// Plays a quick game; see `Documentation/GameHost.md`.
@main
struct GamePlayerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "game-player",
        abstract: "Join the game of a game-host in range.",
        discussion: """
            Type a sum to answer. The player ends when the host says goodbye, with Ctrl-C or after --for.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "the game ended, or the player left",
        failure: "the connection failed, Bluetooth is unavailable, or a second Ctrl-C"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The name that the other players see.")
    var name = "Player"

    @Flag(help: "Answer automatically, after a pause.")
    var auto = false

    @MainActor
    func run() async throws {
        let session = PlayerSession(
            name: name,
            isAuto: auto,
            isJSON: options.json,
            adapter: options.adapter
        )
        let ends = StopSignal(after: options.seconds)
        let input = StandardInput { line in MainActor.assumeIsolated { session.submitAnswer(line) }
        }
        let play = Task {
            await session.play()
            ends.stop()
        }
        await ends.wait()
        play.cancel()
        await session.disconnect()
        input.cancel()
        if let failure = session.failure {
            FileHandle.standardError.write(Data("game-player: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}
