import ArgumentParser
import Bluejay
import BluejayAsync
import Foundation

/// `bluejay read`: prints one value.
struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read a value from a device.",
        usage: usage(of: "read", "[<device>] <characteristic>"),
        discussion: """
            CHARACTERISTIC/DESCRIPTOR reads a descriptor, such as 2A6E/2901.

            EXAMPLE: bluejay read "Heart Rate Sensor" body-sensor-location
            """
    )

    @OptionGroup var options: DeviceOptions

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The format of the printed value.", valueName: "format")
    )
    var format = ValueFormat.auto

    @OptionGroup var arguments: CharacteristicArguments

    @MainActor
    func run() async throws {
        let (device, name) = arguments.resolved
        try await runTool(on: options.tool.adapter) { session in
            try await session.connect(device, within: options.timeout)
            let attribute = try await session.attribute(name)
            let value = try await session.read(attribute)
            let format = format.resolved(for: attribute.uuid)
            let console = session.console
            if options.tool.json {
                let record = CharacteristicRecord(attribute, await session.handles())
                try session.record(
                    ValueJSON(value, of: attribute.uuid, record, as: format)
                )
                // The object of a value that does not fit the format has only bytes.
                if format != .raw { _ = try format.text(of: value) }
            } else if format == .raw {
                console.bytes(value)
            } else {
                console.line(try format.text(of: value))
            }
        }
    }
}
