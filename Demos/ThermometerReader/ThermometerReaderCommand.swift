import ArgumentParser
import Bleu
import BluejayCommandLine
import Foundation
import ThermometerActor

import enum BluejayCore.BluejayVersion

/// Reads a thermometer; see `Documentation/Bleu.md`.
@main
struct ThermometerReaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thermometer-reader",
        abstract: "Reads, calibrates and follows a thermometer, such as the program thermometer.",
        discussion: """
            It looks for a thermometer, reads it, calibrates it with --offset, reads it again and shows \
            each update. With --remember it keeps the identifier of the thermometer in a file, and the next \
            run connects to it without a search. It ends with Ctrl-C or after --for.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "a thermometer was read, and has sent an update",
        failure: "none answered, Bluetooth cannot be used, or a second Ctrl-C came"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "What the thermometer adds to its values, in degrees. Default: no calibration.")
    var offset: Double?

    @Option(help: ArgumentHelp("Keep the identifier in this file.", valueName: "file"))
    var remember: String?

    @MainActor
    func run() async throws {
        let ends = StopSignal(after: options.seconds)
        let output = Output { ends.stop() }
        let display = ReaderDisplay(isJSON: options.json, output)
        let session = ReaderSession(
            adapter: options.adapter,
            offset: offset,
            file: remember.map { URL(filePath: $0) },
            display
        )
        let play = Task {
            await session.play()
            ends.stop()
        }
        await ends.wait()
        play.cancel()
        await play.value
        await session.disconnect()
        if let failure = session.failure, !output.isClosed {
            FileHandle.standardError.write(Data("thermometer-reader: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}
