import ArgumentParser
import BluejayGLib
import BluejaySimulator
import Dispatch
import Foundation

/// Runs a command with a simulated BlueZ as its system bus.
@main
struct BlueZSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluez-simulator",
        abstract: "Runs a command with a simulated BlueZ as its system bus.",
        discussion: """
            It starts a private dbus-daemon and an org.bluez on it with two adapters that hear each \
            other, runs the command with DBUS_SYSTEM_BUS_ADDRESS set, and ends with its exit status. \
            Without a command it prints the address and runs until Ctrl-C.

              bluez-simulator --heart-rate-sensor -- bluetoothctl
            """
    )

    @Option(help: "How many adapters there are.")
    var adapters = 2

    @Option(help: "What one second of bluetoothd's waits takes, in seconds.")
    var timeScale = 1.0

    @Option(help: "Which bluetoothd it is: 5.66 or 5.86.", transform: Self.kind)
    var kind = BlueZKind.v5_66

    @Flag(help: "The adapters are off at first.")
    var poweredOff = false

    @Flag(help: "Put a heart rate sensor on the air: C4:7C:8D:6A:1F:02.")
    var heartRateSensor = false

    @Argument(parsing: .postTerminator, help: "The command and its arguments, behind --.")
    var command: [String] = []

    func validate() throws {
        guard (0...16).contains(adapters) else {
            throw ValidationError("--adapters takes a number from 0 to 16")
        }
        guard timeScale > 0, timeScale <= 1000 else {
            throw ValidationError("--time-scale takes a number above 0")
        }
    }

    private static func kind(_ text: String) throws -> BlueZKind {
        guard let kind = BlueZKind(rawValue: text) else {
            throw ValidationError("there is no simulated BlueZ \(text), but 5.66 and 5.86")
        }
        return kind
    }

    func run() throws {
        var options = SimulatorOptions()
        options.adapters = adapters
        options.timeScale = timeScale
        options.kind = kind
        options.isPowered = !poweredOff
        let session = SimulatorSession(options, hasSensor: heartRateSensor, command: command)
        session.start()
        MainContext.main.run()
        session.stop()
        throw ExitCode(session.status)
    }
}
