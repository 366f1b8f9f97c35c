import ArgumentParser

/// The choice of the adapter, for every subcommand that uses bluetoothd.
struct AdapterOption: ParsableArguments {
    @Option(
        help: "The adapter: a name (hci0) or an address. Default: the first that is on.",
        completion: .adapters
    )
    var adapter: String?

    /// The adapter, with an address in BlueZ's notation.
    var nameOrAddress: String? { adapter.map { DeviceArgument.address($0) ?? $0 } }
}

/// The time limit of all subcommands that look for a device.
struct SearchOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Time limit for finding the device, and for connecting, in seconds.",
            valueName: "seconds"
        )
    )
    var timeout: Double = 15

    func validate() throws {
        try requireSeconds(timeout, of: "--timeout")
    }
}

/// The options of the subcommands that write results.
struct ToolOptions: ParsableArguments {
    @OptionGroup private var selection: AdapterOption

    @Flag(help: "Write JSON, one object per line.")
    var json = false

    var adapter: String? { selection.nameOrAddress }
}

/// The options of the subcommands that look for a device, and write its data or lines of JSON.
struct DeviceSearchOptions: ParsableArguments {
    @OptionGroup private var selection: AdapterOption
    @OptionGroup private var search: SearchOption

    @Flag(help: "Write JSON, one object per line.")
    var json = false

    var adapter: String? { selection.nameOrAddress }
    var timeout: Double { search.timeout }
}

/// Throws if the value is not a valid time.
func requireSeconds(_ seconds: Double?, of option: String) throws {
    guard let seconds else { return }
    guard seconds > 0, seconds <= 1_000_000_000 else {
        throw ValidationError(
            "\(option) takes a number of seconds above 0 and at most a billion, not "
                + seconds.formatted
        )
    }
}

/// Throws if the value is not a valid time to wait for replies, which may be 0.
func requireLinger(_ seconds: Double?) throws {
    guard let seconds, !(0...1_000_000_000).contains(seconds) else { return }
    throw ValidationError(
        "--linger takes a number of seconds, from 0 to a billion, not \(seconds.formatted)"
    )
}

/// The help of a device argument, shared by all subcommands.
let deviceHelp = ArgumentHelp(
    "Its name or the beginning of it, its address or its identifier. Left out, or -: the one used last.",
    valueName: "device"
)

/// The help of a required device argument, for subcommands that change something.
let requiredDeviceHelp = ArgumentHelp(
    "Its whole name, its address or its identifier; - is the one used last.",
    valueName: "device"
)

/// Returns the usage of a subcommand, broken into lines for narrow terminals.
func usage(of name: String, _ arguments: String...) -> String {
    (["bluejay \(name) [<options>]"] + arguments.map { "    " + $0 }).joined(separator: "\n")
}
