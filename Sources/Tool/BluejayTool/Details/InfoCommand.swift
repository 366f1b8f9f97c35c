import ArgumentParser
import Bluejay
import BluejayAsync
import BluejayCore

/// `bluejay info`: the facts about a device.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show the identity of a device and its Device Information.",
        usage: usage(of: "info", "[<device>]"),
        discussion: """
            EXAMPLE: bluejay info C4:7C:8D:6A:1F:02
            """
    )

    @OptionGroup var options: DeviceOptions

    @Argument(help: deviceHelp, completion: .devices)
    var device: String?

    @MainActor
    func run() async throws {
        try await runTool(on: options.tool.adapter) { session in
            let peripheral = try await session.connect(device, within: options.timeout)
            let bluejay = session.bluejay
            let services = try await session.services()
            let hasInformation = services.contains { $0.identifier == .deviceInformation }
            let summary = DeviceSummary(
                try await bluejay.peripheralDetails(),
                hasInformation ? try await bluejay.deviceInformation() : nil,
                mtu: try await bluejay.mtu(),
                rssi: try await bluejay.knownPeripherals()
                    .first { $0.identifier == peripheral }?.rssi,
                services: services.count
            )
            if options.tool.json {
                try session.record(summary)
            } else {
                summary.lines(of: peripheral, width: session.console.columns)
                    .forEach(session.console.line)
            }
        }
    }
}
