import ArgumentParser
import BluejayCore
import BluejayStreams

/// The command `bluejay`.
package enum ToolProgram {
    /// Occupies the standard streams that the parent has closed.
    package static func reserveStandardStreams() { StandardStreams.reserve() }

    /// Runs the command of the process.
    package static func main() async { await BluejayCommand.main() }
}

/// `bluejay`: Bluetooth Low Energy from a terminal.
struct BluejayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluejay",
        abstract: "Bluetooth Low Energy from a terminal.",
        discussion: """
            A device is specified by its name or the beginning of it, its address, or its identifier. If it \
            is omitted or -, the command uses the last device on this bus, stored in \
            $XDG_STATE_HOME/bluejay/last-device. write, pair, forget, uart, channel, record and shell require the \
            whole name, an address, an identifier or -. A characteristic is specified by its UUID (2A37) \
            or its whole assigned name (heart-rate-measurement), if necessary after its service \
            (180F/2A19).

            Without arguments on a terminal, the command is inspect.

            The command disconnects at the end, also after Ctrl-C and SIGTERM; an existing connection \
            stays. Colors appear on terminals only, and not with NO_COLOR. `bluejay \
            --generate-completion-script bash` (zsh, fish) prints a completion script.

            EXIT STATUS
              0    success; also if the reader of the output has ended
              1    failure, with the reason on standard error; doctor: problems found
              2    Bluetooth is not available
              3    the device was not found or does not respond; scan --for: no device
              64   invalid command line
              129  the terminal was closed
              130  Ctrl-C
              143  SIGTERM
            """,
        version: BluejayVersion.current,
        subcommands: [
            ScanCommand.self, AdaptersCommand.self, ServicesCommand.self, ReadCommand.self,
            WriteCommand.self, ListenCommand.self, BatteryCommand.self, InfoCommand.self,
            PairCommand.self, ForgetCommand.self, UartCommand.self, ChannelCommand.self,
            ServeCommand.self, RecordCommand.self, ReplayCommand.self, GenerateCommand.self,
            ShellCommand.self, InspectCommand.self, ExplainCommand.self, DoctorCommand.self,
            DeviceJSONCommand.self,
        ]
    )

    /// Runs the command; the help, the version and the completion scripts must reach their reader, too.
    static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let isInspector = arguments.isEmpty && InspectCommand.isPossible
            try await perform(isInspector ? ["inspect"] : arguments)
        } catch let failure as InvalidArgument {
            Console.writeErrorLine(failure.text)
            exit(withError: failure.status)
        } catch {
            guard exitCode(for: error).isSuccess else { exit(withError: error) }
            let text = fullMessage(for: error)
            do {
                if !text.isEmpty { try StandardStreams.writeOutput(text + "\n") }
            } catch {
                Console.writeErrorLine("bluejay: \(error.message)")
                exit(withError: ExitCode(error.status.rawValue))
            }
        }
    }

    /// Parses and runs a subcommand.
    ///
    /// - Throws: ``InvalidArgument`` for an invalid value, and otherwise the error of the parser or of the
    ///   subcommand.
    static func perform(_ arguments: [String]) async throws {
        try SubcommandSuggestion.check(arguments)
        var command = try await asyncParseAsRoot(arguments)
        let type = Swift.type(of: command)
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError where type != Self.self {
            throw InvalidArgument(error, of: type)
        }
    }
}

/// An invalid value of a subcommand.
struct InvalidArgument: Error {
    /// The error and the usage of the subcommand.
    let text: String
    let status: ExitCode

    init(_ error: ValidationError, of type: any ParsableCommand.Type) {
        let name = type.configuration.commandName ?? ""
        // The type does not know that it is a subcommand.
        text = type.fullMessage(for: error).replacing(
            "See '\(name) ",
            with: "See 'bluejay \(name) "
        )
        status = type.exitCode(for: error)
    }
}
