import ArgumentParser
import Bluejay
import BluejayCommandLine
import Dispatch
import Foundation

/// Shows a live heart rate; see `README.md`.
@main
struct HeartSensorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heart-sensor",
        abstract: "Show the heart rate measured by a Bluetooth Low Energy sensor.",
        discussion: """
            The program scans for the Heart Rate service (180D), connects to the first sensor, listens to \
            its measurements (2A37), and reconnects after a lost link. It ends with Ctrl-C or after --for.

            With --restore the program also continues after a restart: if it was killed, or ended by \
            SIGTERM, the next run with the same identifier reconnects to the sensor without a scan.

            \(statuses)
            """,
        version: BluejayVersion.current
    )

    private static let statuses = exitStatuses(
        success: "heart rates were shown, or the next run takes over the connection",
        failure: "no heart rate was received, or Bluetooth is not available"
    )

    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    var adapter: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Flag(help: "Write one JSON object per line instead of a chart.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Continue with the connection of an earlier run with this name.",
            valueName: "identifier"
        )
    )
    var restore: String?

    @Flag(help: "Write the log of the library to standard error.")
    var verbose = false

    func validate() throws {
        try checkSeconds(seconds, of: "--for")
    }

    func run() throws {
        let display = heartRateDisplay(json: json, isVerbose: verbose)
        let session = HeartSensorSession(adapter: adapter, display: display, verbose: verbose)
        let end: @Sendable () -> Void = { session.end() }
        // Ctrl-C is a person who wants to stop; SIGTERM may also be a restart by systemd.
        let leave: @Sendable () -> Void = {
            session.isRestorable ? session.endKeepingLink() : session.end()
        }
        let signals = [(SIGINT, end), (SIGTERM, leave)].map { number, handler in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler(handler: handler)
            source.resume()
            return source
        }
        if let seconds { DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: end) }
        session.start(restoring: restore)
        SystemdService.startWatchdog(on: .main)
        SystemdService.notify(.ready)
        MainLoop.main.run()
        SystemdService.notify(.stopping)
        signals.forEach { $0.cancel() }
        display.finish()
        // Releasing the session would disconnect. The link and the state must stay, as after a kill.
        if session.keepsLink { Foundation.exit(EXIT_SUCCESS) }
        if let failure = session.failure {
            FileHandle.standardError.write(Data("heart-sensor: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }
}
