import ArgumentParser
import Bluejay
import BluejayAsync
import BluejayCommandLine
import BluejayCurses
import Foundation

/// `bluejay inspect`: a full-screen program for devices and their values.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show devices and their values on the whole terminal.",
        usage: usage(of: "inspect", "[<device>]"),
        discussion: """
            bluejay without arguments on a terminal does the same. Enter connects to the selected device \
            and shows its attributes with their values; the last rows list the keys. Each write and each \
            pairing asks first. While a device is open, the inspector does not scan.

            EXAMPLE: bluejay inspect "Heart Rate Sensor"
            """
    )

    @OptionGroup var selection: AdapterOption
    @OptionGroup var search: SearchOption

    @Argument(
        help: ArgumentHelp(
            "The device to open first, as for read. Left out: the list of devices.",
            valueName: "device"
        ),
        completion: .devices
    )
    var device: String?

    /// Whether the terminal can show the inspector.
    static var isPossible: Bool {
        isatty(STDIN_FILENO) == 1 && Terminal().isInteractive && TerminalScreen.isPossible
    }

    @MainActor
    func run() async throws {
        guard ShellTask.session == nil else {
            throw ValidationError("a shell cannot start the inspector; exit first")
        }
        guard Self.isPossible else {
            throw ValidationError(
                "the inspector needs a terminal for its input and its output; `bluejay scan` does not"
            )
        }
        try await runTool(on: selection.nameOrAddress) { session in
            var first: PeripheralIdentifier?
            if let device { first = try await session.find(device, within: search.timeout) }
            let inspector = try Inspector(
                session,
                on: selection.nameOrAddress,
                timeout: search.timeout
            )
            await inspector.run(opening: first)
        }
    }
}
