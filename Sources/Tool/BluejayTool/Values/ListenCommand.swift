import ArgumentParser
import Bluejay
import BluejayAsync
import Foundation

/// `bluejay listen`: prints the notifications of characteristics.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print the notifications of one value or of several.",
        usage: usage(of: "listen", "[<device>]", "<characteristic> ..."),
        discussion: """
            The command runs until Ctrl-C. It fails if the connection is lost, unless --reconnect is given. \
            On a terminal each value follows the time of its arrival. With several values, each line names \
            the characteristic. If another program also listens to a value, each notification is printed \
            twice.

            EXAMPLE: bluejay listen "Heart Rate Sensor" heart-rate-measurement --plot
            """
    )

    @OptionGroup var options: DeviceOptions

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The format of the printed values.", valueName: "format")
    )
    var format = ValueFormat.auto

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after listening for this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Option(parsing: .unconditional, help: "End after this many values.")
    var count: Int?

    @Flag(help: "Draw the numbers as a line of blocks, the latest at the right.")
    var plot = false

    @Flag(help: "Connect again after the connection is lost, for any number of times.")
    var reconnect = false

    @Argument(help: deviceHelp, completion: .devicesOrCharacteristics)
    var device: String?

    @Argument(
        help: ArgumentHelp(
            "Their UUIDs or names, as for read: 2A37, 180F/2A19, 2A4D#1.",
            valueName: "characteristic"
        ),
        completion: .characteristics
    )
    var characteristics: [String] = []

    func validate() throws {
        try requireSeconds(seconds, of: "--for")
        if let count, count < 1 {
            throw ValidationError("--count takes a number above 0, not \(count)")
        }
        if plot, options.tool.json {
            throw ValidationError("--plot cannot be combined with --json")
        }
        if characteristics.isEmpty { try CharacteristicArguments.checkAlone(device) }
        guard characteristics.count > 1 else { return }
        if plot { throw ValidationError("--plot takes one characteristic") }
        if format == .raw { throw ValidationError("--as raw takes one characteristic") }
    }

    @MainActor
    func run() async throws {
        // A single argument is the characteristic.
        let isAlone = characteristics.isEmpty
        let names = (isAlone ? [device ?? ""] : characteristics).map { CharacteristicReference($0) }
        try await runTool(on: options.tool.adapter) { session in
            let listening = Listening(
                to: names,
                of: isAlone ? nil : device,
                within: options.timeout,
                on: session
            ) { characteristic, label in
                await ValueWriter(
                    characteristic,
                    label: label,
                    as: format,
                    inJSON: options.tool.json,
                    plotting: plot,
                    on: session
                )
            }
            try await listening.run(count: count, seconds: seconds, reconnecting: reconnect)
        }
    }
}
