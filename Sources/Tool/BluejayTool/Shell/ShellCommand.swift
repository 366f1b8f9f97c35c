import ArgumentParser
import Bluejay
import Foundation

/// `bluejay shell`: runs several subcommands over one connection.
struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Run several subcommands over one connection.",
        usage: usage(of: "shell", "<device>"),
        discussion: """
            Type the subcommands without the device: read 2A19. Tab completes subcommands and \
            characteristics, the arrow keys recall earlier lines, Ctrl-C ends the running subcommand, and \
            exit or Ctrl-D ends the shell. If the connection is lost, the next subcommand connects again.

            If standard input is not a terminal, its lines are a script. The shell then ends at the first \
            subcommand that fails, with its exit status; # starts a comment.

            EXAMPLE: bluejay shell Lock <script
            """
    )

    @OptionGroup var selection: AdapterOption
    @OptionGroup var search: SearchOption

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String

    @MainActor
    func run() async throws {
        try await runTool(on: selection.nameOrAddress) { session in
            let peripheral = try await session.connect(
                device,
                within: search.timeout,
                for: .changing
            )
            try await Shell(session, peripheral).run()
        }
    }
}
