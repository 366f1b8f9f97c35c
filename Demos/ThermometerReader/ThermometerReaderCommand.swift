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
        abstract: "Read, calibrate and follow a thermometer, such as the program thermometer.",
        discussion: """
            The program searches for a thermometer, reads it, calibrates it with --offset, reads it again and \
            shows each update. With --remember it stores the identifier of the thermometer in a file, and the \
            next run connects without a scan. The program ends with Ctrl-C or after --for.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "a thermometer was read and sent an update",
        failure: "no thermometer responded, Bluetooth is unavailable, or a second Ctrl-C"
    )

    @OptionGroup var options: RunOptions

    @Option(help: "The offset that the thermometer adds, in degrees. Default: no calibration.")
    var offset: Double?

    @Option(help: ArgumentHelp("Store the identifier in this file.", valueName: "file"))
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
