import ArgumentParser
import BluejayCommandLine
import BluejayExplainer
import BluejayStreams
import Foundation

/// `bluejay explain`: runs a subcommand and shows what took its time.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Run a subcommand, and show why it was slow or failed.",
        usage: usage(of: "explain", "<subcommand> ..."),
        discussion: """
            After the subcommand, a table on standard error shows its parts: the start, the queue, scans, \
            connections, the discovery of services, reads, writes, subscriptions and pairing. Between them \
            it shows what BlueZ and other programs did. Sentences below it name the failed and the longest \
            part, and the likely reason. The exit status is that of the subcommand.

            The system bus shows the calls of other programs to root only. Without root, the table shows \
            their effects, such as a connection that the subcommand did not request.

            https://ui.perfetto.dev opens the file of --trace, which contains names and addresses, but no \
            values. An existing file is replaced.

            EXAMPLE: bluejay explain read "Heart Rate Sensor" body-sensor-location
            """
    )

    /// The subcommands that do not use Bluetooth, or that another program runs.
    private static let refused: Set = [
        "replay", "generate", "doctor", "explain", "device-json", "help",
    ]

    @Option(
        help: ArgumentHelp("Also write a trace file for Perfetto, in JSON.", valueName: "file"),
        completion: .file()
    )
    var trace: String?

    @Argument(
        parsing: .captureForPassthrough,
        help: "The subcommand and its arguments; -- before it is optional."
    )
    var command: [String] = []

    /// The subcommand with its arguments.
    private var words: [String] {
        command.first == "--" ? Array(command.dropFirst()) : command
    }

    func validate() throws {
        guard let name = words.first else { throw ValidationError("specify a subcommand") }
        if Self.refused.contains(name) {
            throw ValidationError("explain takes a subcommand that uses Bluetooth, not \(name)")
        }
        if trace == "-" {
            throw ValidationError("--trace takes a file; standard output is the subcommand's")
        }
        guard ShellTask.session == nil else {
            throw ValidationError("a shell is explained as a whole: bluejay explain shell <device>")
        }
    }

    @MainActor
    func run() async throws {
        // The parser passes on the option because of the argument that takes all others.
        if words.first == "--help" || words.first == "-h" { throw CleanExit.helpRequest(self) }
        let file = try traceFile()
        let recording = await Recording.start()
        var failure: (any Error)?
        do {
            try await BluejayCommand.perform(words)
        } catch {
            failure = error
        }
        let timeline = recording.finish()
        // Other errors are those of the command line, which end a subcommand before it begins.
        if failure == nil || failure is ExitCode {
            report(timeline)
            do {
                let name = (["bluejay"] + words).joined(separator: " ").printable
                try file?.write(PerfettoTrace(timeline, of: name).json())
            } catch {
                // A failure of the subcommand has its own exit status.
                failure = failure ?? Self.reported(error)
            }
        }
        if let failure { throw failure }
    }

    /// Returns the file, which can be written before the subcommand runs.
    private func traceFile() throws -> OutputFile? {
        do {
            return try trace.map { try OutputFile($0) }
        } catch {
            throw Self.reported(error)
        }
    }

    /// Writes the reason of a failure, and returns its exit status.
    private static func reported(_ error: any Error) -> any Error {
        let failure = ToolFailure(error)
        Console.writeErrorLine("bluejay: \(failure.message)")
        return ExitCode(failure.status.rawValue)
    }

    private func report(_ timeline: Timeline) {
        let width = StandardStreams.terminalSize(of: STDERR_FILENO).map { $0.columns - 1 }
        let lines = TimelineTable(timeline).lines(width: width) + Conclusion(timeline).sentences
        Console.writeErrorLine(lines.map(\.printable).joined(separator: "\n"))
    }
}
