import ArgumentParser
import BluejayAsync

/// `bluejay battery`: the battery level.
struct BatteryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "battery",
        abstract: "Show the battery level of a device in percent.",
        usage: usage(of: "battery", "[<device>]"),
        discussion: """
            EXAMPLE: bluejay battery "Heart Rate Sensor"
            """
    )

    @OptionGroup var options: DeviceOptions

    @Argument(help: deviceHelp, completion: .devices)
    var device: String?

    @MainActor
    func run() async throws {
        try await runTool(on: options.tool.adapter) { session in
            try await session.connect(device, within: options.timeout)
            let level = try await session.bluejay.batteryLevel()
            if options.tool.json {
                try session.record(BatteryJSON(battery: Int(level)))
            } else {
                session.console.line("\(level) %")
            }
        }
    }
}

private struct BatteryJSON: RecordContent {
    static let type = RecordType.battery
    /// The level in percent.
    let battery: Int
}
