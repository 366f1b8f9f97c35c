internal import BluejaySimulator

/// The texts of the command line: the help, and the errors with the usage.
enum SimulatorHelp {
    static let kinds = SimulatedBlueZVersion.allCases.map(\.rawValue).joined(separator: ", ")
    static let kernels = SimulatedKernel.allCases.map(\.rawValue).joined(separator: ", ")

    private static let usage = """
        bluez-simulator [--adapters <adapters>] [--no-adapter] [--powered-off] [--time-scale <time-scale>] \
        [--kind <kind>] [--kernel <kernel>] [--extended-advertising] [--heart-rate-sensor] [--passkey-lock] \
        [--device <file> ...] [--central <script> ...] -- [<command> ...]
        """

    static let text = """
        OVERVIEW: Runs a command on a system bus of its own with a simulated BlueZ.

        The command gets DBUS_SYSTEM_BUS_ADDRESS and the terminal; its exit status
        becomes this program's. Without a command the address is printed, and the bus
        is there until Ctrl-C.

          bluez-simulator --heart-rate-sensor -- bluetoothctl
          bluez-simulator --central 'connect; read 2A38; leave' -- my-peripheral

        Exit status, when it is not the command's:
          0    there was no command, and a signal ended the simulator
          1    the bus could not be had
          64   the command line is wrong
          127  the command could not be started
          128  and more: a signal of that number less 128 ended the command

        USAGE: \(usage)

        ARGUMENTS:
          <command>               The command and its arguments.

        OPTIONS:
        \(options)
          --version               Show the version.
          -h, --help              Show help information.

        """

    private static let options =
        SimulatorOption.allCases.map { option in
            let head = "  \(option.head)"
            let lines = option.help.split(separator: "\n")
            let indent = String(repeating: " ", count: 26)
            let rest = lines.dropFirst().map { "\n\(indent)\($0)" }.joined()
            let gap =
                head.count < 25 ? String(repeating: " ", count: 26 - head.count) : "\n\(indent)"
            return head + gap + (lines.first ?? "") + rest
        }.joined(separator: "\n")

    /// Returns the message for standard error.
    static func text(for error: CommandLineError) -> String {
        var lines = ["Error: \(message(error))"]
        switch error {
        case .missingValue(let option), .invalidValue(_, let option, _):
            let help = option.help.split(separator: "\n").joined(separator: " ")
            lines.append("Help:  \(option.head)  \(help)")
        case .unknownOption, .unexpected, .unexpectedValue, .invalid: break
        }
        lines.append("Usage: \(usage)")
        lines.append("  See 'bluez-simulator --help' for more information.")
        return lines.joined(separator: "\n")
    }

    private static func message(_ error: CommandLineError) -> String {
        switch error {
        case .unknownOption(let word): "Unknown option '\(word)'"
        case .unexpected(let words):
            // A command without `--` is a common mistake.
            (words.count == 1
                ? "Unexpected argument '\(words[0])'"
                : "\(words.count) unexpected arguments: "
                    + words.map { "'\($0)'" }.joined(separator: ", "))
                + "; a command stands behind --, as in bluez-simulator -- bluetoothctl list"
        case .unexpectedValue(let text, let option):
            "The option '\(option.rawValue)' does not take any value, but '\(text)' was specified."
        case .missingValue(let option): "Missing value for '\(option.head)'"
        case .invalidValue(let text, let option, let reason):
            "The value '\(text)' is invalid for '\(option.head)'" + (reason.map { ": \($0)" } ?? "")
        case .invalid(let reason): reason
        }
    }
}

extension SimulatorOption {
    /// The option with the name of its value.
    var head: String { rawValue + (valueName.map { " <\($0)>" } ?? "") }

    /// The lines of the help.
    var help: String {
        switch self {
        case .adapters: "How many adapters there are. (default: 2)"
        case .noAdapter: "Begin without an adapter."
        case .poweredOff: "Begin with the adapters switched off."
        case .timeScale:
            """
            How long a simulated second takes; 0.1 makes
            all waits ten times shorter. (default: 1.0)
            """
        case .kind:
            "Which bluetoothd is simulated:\n\(SimulatorHelp.kinds). (default: 5.66)"
        case .kernel: "Which Linux is simulated:\n\(SimulatorHelp.kernels). (default: 6.1.176)"
        case .extendedAdvertising: "Give the adapters controllers with Extended\nAdvertising."
        case .heartRateSensor: "Put a heart-rate belt into the air."
        case .passkeyLock:
            """
            Put a lock into the air that shows a passkey,
            123456, to be typed here.
            """
        case .device:
            """
            Put a device into the air that stands in a file;
            more than one may be given. `bluejay record`
            writes such files; - is standard input.
            """
        case .central:
            """
            Put a central into the air that plays a script;
            more than one may be given. Steps are separated by
            ';' or the end of a line: connect [hciN], pair,
            leave, vanish, wait SECONDS, read UUID,
            write UUID HEX, command UUID HEX, long UUID HEX,
            prepare UUID HEX [OFFSET], execute,
            subscribe UUID, indicate UUID, unsubscribe UUID,
            expect UUID [COUNT [SECONDS]],
            repeat [COUNT] … end.
            """
        }
    }
}
