import ArgumentParser
import Foundation

/// `bluejay uart`: connects the terminal to a serial port over Bluetooth.
struct UartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uart",
        abstract: "Open a terminal on a device's Nordic UART service.",
        usage: usage(of: "uart", "<device>"),
        discussion: """
            Each line of standard input is written to 6E400002. Values from 6E400003 are printed unchanged, \
            on a terminal without control characters. At the end of the input the command waits for answers \
            and ends. If the connection is lost, the exit status is 1.

            EXAMPLE: bluejay uart Radio --crlf
            """
    )

    @OptionGroup var options: DeviceOptions

    @Flag(help: "Read and print hexadecimal digits.")
    var hex = false

    @Flag(help: "End each line with a carriage return and a line feed.")
    var crlf = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for answers at the end of the input.",
            valueName: "seconds"
        )
    )
    var linger: Double = 1

    @Argument(help: requiredDeviceHelp, completion: .devices)
    var device: String

    func validate() throws {
        try requireLinger(linger)
        if hex, crlf { throw ValidationError("--crlf cannot be combined with --hex") }
    }

    @MainActor
    func run() async throws {
        try await runTool(on: options.tool.adapter) { session in
            let peripheral = try await session.connect(
                device,
                within: options.timeout,
                for: .changing
            )
            session.console.writeError("bluejay: connected to \(peripheral.displayText)")
            let uart = UartSession(
                session,
                inJSON: options.tool.json,
                isHexadecimal: hex,
                hasCarriageReturns: crlf
            )
            try await uart.run(linger: linger)
        }
    }
}
