import ArgumentParser
import Bluejay
import BluejayCommandLine
import Dispatch
import Foundation

/// A heart rate sensor without a heart; see `README.md`.
@main
struct VirtualPeripheralCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-peripheral",
        abstract: "Act as a Bluetooth Low Energy heart rate sensor with random values.",
        discussion: """
            The sensor advertises the services Heart Rate (180D) and chirp, and also has a service for pairing. \
            It prints a line for each sent value. It ends with Ctrl-C or after --for.

            Commands on standard input:
            \(PeripheralCommand.usage.indented)

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "the peripheral ran until the end",
        failure: "the peripheral did not start, or Bluetooth is not available"
    )

    @Option(help: "The adapter: a name (hci1) or an address. Default: the first that is on.")
    var adapter: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Option(help: "The advertised name.")
    var name = "Bluejay Heart"

    func validate() throws {
        try checkSeconds(seconds, of: "--for")
    }

    func run() throws {
        let peripheral = VirtualPeripheral(adapter: adapter, name: name)
        let end: @Sendable () -> Void = { peripheral.end() }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler(handler: end)
            source.resume()
            return source
        }
        if let seconds { DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: end) }
        let input = StandardInput { peripheral.execute($0) }
        peripheral.start()
        MainLoop.main.run()
        input.cancel()
        signals.forEach { $0.cancel() }
        if let failure = peripheral.failure {
            FileHandle.standardError.write(Data("virtual-peripheral: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}
