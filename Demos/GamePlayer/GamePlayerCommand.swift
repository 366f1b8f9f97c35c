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
        abstract: "Plays the game of a game-host that is near.",
        discussion: """
            Type a sum to answer. It ends when the host says goodbye, with Ctrl-C or after --for.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "it ended by itself, or was ended",
        failure: "its connection failed, Bluetooth cannot be used, or a second Ctrl-C came"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "What the others see.")
    var name = "Somebody"

    @Flag(help: "Answer without a person, after thinking for a while.")
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
