import ArgumentParser

/// The options of the subcommands that look for a device and write results.
struct DeviceOptions: ParsableArguments {
    @OptionGroup var tool: ToolOptions
    @OptionGroup private var search: SearchOption

    var timeout: Double { search.timeout }
}
