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

    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    var adapter: String?

    @Option(name: .customLong("for"), help: "End after this many seconds.")
    var seconds: Double?

    @Flag(help: "Write one JSON object a line.")
    var json = false

    @Option(help: "What the others see.")
    var name = "Somebody"

    @Flag(help: "Answer without a person, after thinking for a while.")
    var auto = false

    func validate() throws {
        if let seconds, seconds.isNaN || seconds <= 0 {
            throw ValidationError("--for takes a number of seconds above 0")
        }
    }

    @MainActor
    func run() async throws {
        let session = PlayerSession(name: name, isAuto: auto, isJSON: json, adapter: adapter)
        let ends = Ends(after: seconds)
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
