import ArgumentParser
import DemoSupport
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
            """
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
        let ends = Ends(after: options.seconds)
        let input = StandardInput { line in MainActor.assumeIsolated { session.answer(line) } }
        let play = Task {
            await session.play()
            ends.end()
        }
        await ends.wait()
        play.cancel()
        await session.leave()
        input.cancel()
        if let failure = session.failure {
            FileHandle.standardError.write(Data("game-player: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}
