import ArgumentParser
import Bluejay
import BluejayAsync
import Foundation

/// `bluejay listen`: prints the notifications of a characteristic.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print the notifications of a value.",
        usage: usage(of: "listen", "[<device>] <characteristic>"),
        discussion: """
            The command runs until Ctrl-C and fails if the connection is lost. If another program also \
            listens to the value, each notification is printed twice.

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
        help: ArgumentHelp("End after listening for this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Option(help: "End after this many values.")
    var count: Int?

    @Flag(help: "Draw the numbers as a line of blocks, the latest at the right.")
    var plot = false

    @OptionGroup var arguments: CharacteristicArguments

    func validate() throws {
        try requireSeconds(seconds, of: "--for")
        if let count, count < 1 { throw ValidationError("--count takes a number above 0") }
        if plot, options.tool.json {
            throw ValidationError("--plot cannot be combined with --json")
        }
    }

    @MainActor
    func run() async throws {
        let (device, name) = arguments.resolved
        try await runTool(on: options.tool.adapter) { session in
            try await session.connect(device, within: options.timeout)
            let characteristic = try await session.characteristic(name).identifier
            let writer = ValueWriter(
                characteristic,
                as: format,
                inJSON: options.tool.json,
                plotting: plot,
                on: session.console
            )
            var left = count ?? .max
            let values = session.bluejay.values(of: characteristic)
            session.end(after: seconds)
            for try await value in values {
                if try writer.write(value) { left -= 1 }
                await session.console.waitForRoom()
                if left == 0 { return }
            }
        }
    }
}

@MainActor
private final class ValueWriter {
    private let characteristic: CharacteristicIdentifier
    private let format: ValueFormat
    private let isJSON: Bool
    private let isPlot: Bool
    private let console: Console
    private var plot = Plot()

    init(
        _ characteristic: CharacteristicIdentifier,
        as format: ValueFormat,
        inJSON isJSON: Bool,
        plotting isPlot: Bool,
        on console: Console
    ) {
        self.characteristic = characteristic
        self.format = format.resolved(for: characteristic.uuid)
        self.isJSON = isJSON
        self.isPlot = isPlot
        self.console = console
    }

    /// Writes a value, or reports on standard error that it does not fit the format.
    ///
    /// - Returns: Whether the value was written.
    func write(_ value: Data) throws -> Bool {
        do {
            try writeFitting(value)
            return true
        } catch let failure as ToolFailure {
            let bytes = value.isEmpty ? "" : " (\(value.hexadecimal))"
            console.writeError("bluejay: \(failure.message)\(bytes)")
            return false
        }
    }

    private func writeFitting(_ value: Data) throws {
        if isJSON {
            var object = ValueJSON(value, of: characteristic, as: format)
            object.time = Date()
            try console.object(object)
            // For a value that does not fit the format, the object contains only the bytes.
            if format != .raw { _ = try format.text(of: value) }
        } else if isPlot {
            plot.append(try format.number(in: value))
            console.draw([plot.line(width: console.columns ?? Plot.widthForPrograms)])
        } else if format == .raw {
            console.bytes(value)
        } else {
            console.line(try format.text(of: value))
        }
    }
}
