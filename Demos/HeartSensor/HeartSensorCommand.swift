import ArgumentParser
import Bluejay
import Dispatch
import Foundation

/// Shows a live heart rate; see `README.md`.
@main
struct HeartSensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heart-sensor",
        abstract: "Shows the heart rate that a Bluetooth Low Energy sensor measures.",
        discussion: """
            It scans for the Heart Rate service (180D), connects to the first sensor, listens to its \
            measurements (2A37), and goes on after a lost link. It ends with Ctrl-C or after --for.
            """
    )

    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    var adapter: String?

    @Option(name: .customLong("for"), help: "End after this many seconds.")
    var seconds: Double?

    @Flag(help: "Write one JSON object a line instead of a chart.")
    var json = false

    @Flag(help: "Write what happens inside to standard error.")
    var verbose = false

    func validate() throws {
        if let seconds, seconds.isNaN || seconds <= 0 {
            throw ValidationError("--for takes a number of seconds above 0")
        }
    }

    func run() throws {
        let display = heartRateDisplay(json: json)
        let session = HeartSensorSession(adapter: adapter, display: display, verbose: verbose)
        let end: @Sendable () -> Void = { session.end() }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler(handler: end)
            source.resume()
            return source
        }
        if let seconds { DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: end) }
        session.start()
        MainLoop.main.run()
        signals.forEach { $0.cancel() }
        display.finish()
        if let failure = session.failure {
            FileHandle.standardError.write(Data("heart-sensor: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}
