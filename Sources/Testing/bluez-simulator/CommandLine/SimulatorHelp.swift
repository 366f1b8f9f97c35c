internal import BluejaySimulator

/// The texts of the command line: the help, and the errors with the usage.
enum SimulatorHelp {
    static let kinds = SimulatedBlueZVersion.allCases.map(\.rawValue).joined(separator: ", ")
    static let kernels = SimulatedKernel.allCases.map(\.rawValue).joined(separator: ", ")

    private static let usage = """
        bluez-simulator [--adapters <adapters>] [--no-adapter] [--powered-off] [--time-scale <time-scale>] \
        [--kind <kind>] [--kernel <kernel>] [--extended-advertising] [--heart-rate-sensor] [--passkey-lock] \
        [--device <file> ...] [--central <script> ...] [--faults <file>] -- [<command> ...]
        """

    static let text = """
        OVERVIEW: Run a command on a private system bus with a simulated BlueZ.

        The command receives DBUS_SYSTEM_BUS_ADDRESS and the terminal; its exit status
        becomes that of the simulator. Without a command, the simulator prints the
        address and runs until Ctrl-C.

          bluez-simulator --heart-rate-sensor -- bluetoothctl
          bluez-simulator --central 'connect; read 2A38; leave' -- my-peripheral

        Exit status, unless it is that of the command:
          0    a signal ended a simulator without a command
          1    the bus did not start
          64   invalid command line
          127  the command did not start
          128  plus the number of the signal that ended the command

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
                + "; write -- before the command, as in bluez-simulator -- bluetoothctl list"
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
        case .adapters: "The number of adapters, 0 to 16. (default: 2)"
        case .noAdapter: "Start without an adapter."
        case .poweredOff: "Start with the adapters switched off."
        case .timeScale:
            """
            The duration of a simulated second; 0.1 makes
            all waits ten times shorter. (default: 1.0)
            """
        case .kind:
            "The simulated bluetoothd:\n\(SimulatorHelp.kinds). (default: 5.66)"
        case .kernel: "The simulated Linux:\n\(SimulatorHelp.kernels). (default: 6.1.176)"
        case .extendedAdvertising: "Simulate adapters with Extended Advertising."
        case .heartRateSensor: "Add a heart rate sensor."
        case .passkeyLock:
            """
            Add a lock that shows the passkey 123456,
            which the program must enter.
            """
        case .device:
            """
            Add the device described by a file. May be
            repeated. `bluejay record` writes such files;
            - is standard input.
            """
        case .central:
            """
            Add a central that runs a script. May be repeated.
            Separate steps by ';' or line breaks:
            connect [hciN], pair, leave, vanish,
            wait SECONDS, read UUID,
            write UUID HEX, command UUID HEX, long UUID HEX,
            prepare UUID HEX [OFFSET], execute,
            subscribe UUID, indicate UUID, unsubscribe UUID,
            expect UUID [COUNT [SECONDS]],
            repeat [COUNT] … end.
            """
        case .faults:
            """
            Apply the faults described by a JSON file;
            - is standard input.
            """
        }
    }
}
