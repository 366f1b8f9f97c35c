import ArgumentParser
import BluejayCommandLine
import BluejayDeviceFile
import BluejayGLib
import BluejayStreams
import BluejayYAML
import Foundation

/// `bluejay replay`: runs a program on a private bus with the device from a file.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a program with the simulated device of a file, without Bluetooth.",
        usage: usage(of: "replay", "<file> -- <program>..."),
        discussion: """
            The program runs with a private system bus and a simulated BlueZ, which has the device of the \
            file in range. The command equals `bluez-simulator --device FILE -- PROGRAM`, which has more \
            options. The exit status is that of the program.

            EXAMPLE: bluejay replay heart.yaml -- bluejay services Heart
            """
    )

    @Argument(
        help: """
            A file in YAML (.yaml, .yml) or JSON, as `bluejay record` writes it; - is standard input, in \
            JSON.
            """
    )
    var file: String

    @Argument(parsing: .postTerminator, help: "The program and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("a program is missing after --") }
    }

    func run() throws {
        do {
            try checkFile()
            let program = try CompanionProgram("bluez-simulator").path()
            // Not a child process: the other program takes over the signals, the terminal and the exit
            // status.
            let reason = replaceProcess(program, ["--device", file, "--"] + command)
            throw ToolFailure("\(program) cannot be started: \(reason)")
        } catch let failure as ToolFailure {
            Console.writeErrorLine("bluejay: \(failure.message)")
            throw ExitCode(failure.status.rawValue)
        }
    }

    // Errors in the file are then reported in this program's name.
    private func checkFile() throws {
        if file != "-" { _ = try DeviceFile.read(file) }
    }
}

extension DeviceFile {
    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: ``ToolFailure`` with the file and the position in it.
    static func read(_ path: String) throws(ToolFailure) -> DeviceFile {
        let data: Data
        do {
            data = try InputFile.read(path, upTo: maximumLengthInBytes)
        } catch {
            throw ToolFailure("\(path.printable) \(error.predicate)")
        }
        do {
            return try DeviceFile(data, DeviceFileFormat(ofFile: path))
        } catch {
            throw ToolFailure("\(path.printable): \(error.description.printable)")
        }
    }
}
