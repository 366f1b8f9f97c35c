import ArgumentParser
import BluejayAsync
import BluejayCommandLine

/// `bluejay services`: the services of a device.
struct ServicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "services",
        abstract: "Show the services of a device, with characteristics and descriptors.",
        usage: usage(of: "services", "[<device>]"),
        discussion: """
            The numbers are the UUIDs for read, write and listen; #1 marks the second characteristic with \
            the same UUID. A text in quotation marks is the description that the device has for a \
            characteristic (2901).

            EXAMPLE: bluejay services "Heart Rate Sensor"
            """
    )

    @OptionGroup var options: DeviceOptions

    @Argument(help: deviceHelp, completion: .devices)
    var device: String?

    @MainActor
    func run() async throws {
        try await runTool(on: options.tool.adapter) { session in
            let peripheral = try await session.connect(device, within: options.timeout)
            let services = try await session.services()
            let descriptions = try await UserDescriptions.read(services, from: session.bluejay)
            let console = session.console
            if options.tool.json {
                let handles = await session.handles()
                return try services.forEach {
                    try session.record(ServiceJSON($0, handles, descriptions))
                }
            }
            let title =
                console.columns.map(peripheral.displayText.truncated) ?? peripheral.displayText
            console.line(console.terminal.styled(title, .bold))
            ServiceTree(services, descriptions).lines(width: console.columns).forEach(console.line)
        }
    }
}
