import ArgumentParser

/// What every subcommand that talks to bluetoothd understands.
struct ToolOptions: ParsableArguments {
    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    var adapter: String?

    @Flag(help: "Write JSON, one object a line.")
    var json = false
}

/// What every subcommand that looks for a device understands.
struct DeviceOptions: ParsableArguments {
    @OptionGroup var tool: ToolOptions

    @Option(
        help: ArgumentHelp(
            "How long to look for the device, and to connect to it, in seconds each.",
            valueName: "seconds"
        )
    )
    var timeout: Double = 15

    func validate() throws {
        try requireSeconds(timeout, of: "--timeout")
    }
}

/// Refuses what is no time.
func requireSeconds(_ seconds: Double?, of option: String) throws {
    guard let seconds else { return }
    guard seconds > 0, seconds <= 1_000_000_000 else {
        throw ValidationError("\(option) takes a number of seconds above 0")
    }
}

/// The words on a device argument, which all subcommands share.
let deviceHelp = ArgumentHelp(
    "Its name or the beginning of it, its address or its identifier. Left out, or -: the one used last.",
    valueName: "device"
)

/// The words on a device argument of a subcommand that changes something: it is never left out.
let requiredDeviceHelp = ArgumentHelp(
    "Its name or the beginning of it, its address or its identifier; - is the one used last.",
    valueName: "device"
)

/// The usage of a subcommand in lines for narrow terminals, which are written as they are.
///
/// - Parameters:
///   - name: Of the subcommand.
///   - arguments: What comes behind the options, line by line.
/// - Returns: The lines.
func usage(of name: String, _ arguments: String...) -> String {
    (["bluejay \(name) [<options>]"] + arguments.map { "    " + $0 }).joined(separator: "\n")
}
