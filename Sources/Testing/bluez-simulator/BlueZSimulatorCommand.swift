internal import ArgumentParser
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import BluejaySimulator
internal import FoundationEssentials

/// Runs a command on a private system bus with a simulated `org.bluez`.
@main
struct BlueZSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluez-simulator",
        abstract: "Runs a command on a system bus of its own with a simulated BlueZ.",
        discussion: """
            The command gets DBUS_SYSTEM_BUS_ADDRESS and the terminal; its exit status becomes this \
            program's. Without a command the address is printed, and the bus is there until Ctrl-C.

              bluez-simulator --heart-rate-sensor -- bluetoothctl
              bluez-simulator --central 'connect; subscribe 2A37; expect 2A37 3' -- my-peripheral

            Exit status, when it is not the command's:
              0    there was no command, and a signal ended the simulator
              1    the bus could not be had
              64   the command line is wrong
              127  the command could not be started
              128  and more: a signal of that number less 128 ended the command
            """,
        version: BluejayVersion.current
    )

    @Option(parsing: .unconditional, help: "How many adapters there are.")
    var adapters = 2

    @Flag(help: "Begin without an adapter.")
    var noAdapter = false

    @Flag(help: "Begin with the adapters switched off.")
    var poweredOff = false

    @Option(
        parsing: .unconditional,
        help: "How long a simulated second takes; 0.1 makes all waits ten times shorter."
    )
    var timeScale = 1.0

    @Option(help: "Which bluetoothd is simulated: \(kinds).", transform: kind)
    var kind = SimulatedBlueZVersion.v5_66

    @Option(help: "Which Linux is simulated: \(kernels).", transform: kernel)
    var kernel = SimulatedKernel.v6_1_176

    @Flag(help: "Give the adapters controllers with Extended Advertising.")
    var extendedAdvertising = false

    @Flag(help: "Put a heart-rate belt into the air.")
    var heartRateSensor = false

    @Flag(help: "Put a lock into the air that shows a passkey, 123456, to be typed here.")
    var passkeyLock = false

    @Option(
        help: ArgumentHelp(
            "Put a device into the air that stands in a file; more than one may be given.",
            discussion: "`bluejay record` writes such files; - is standard input.",
            valueName: "file"
        ),
        transform: loadDevice
    )
    var device: [DeviceFileLoader] = []

    @Option(
        help: ArgumentHelp(
            "Put a central into the air that plays a script; more than one may be given.",
            discussion: """
                Steps are separated by ';' or the end of a line: connect [hciN], pair, leave, vanish, \
                wait SECONDS, read UUID, write UUID HEX, command UUID HEX, long UUID HEX, \
                prepare UUID HEX [OFFSET], execute, subscribe UUID, indicate UUID, unsubscribe UUID, \
                expect UUID [COUNT [SECONDS]], repeat [COUNT] … end.
                """,
            valueName: "script"
        ),
        transform: script
    )
    var central: [[CentralStep]] = []

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    // A command without `--` is a common mistake.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let words = message(for: error)
            guard words.contains("nexpected argument") else { exit(withError: error) }
            let hint = "a command stands behind --, as in bluez-simulator -- bluetoothctl list"
            exit(withError: ValidationError("\(words); \(hint)"))
        }
    }

    func validate() throws {
        guard (0...16).contains(adapters) else {
            throw ValidationError("there can be 0 to 16 adapters")
        }
        guard central.count <= 255 else {
            throw ValidationError("there can be 255 centrals")
        }
        guard device.count <= 255 else {
            throw ValidationError("there can be 255 devices of files")
        }
        let addresses =
            (heartRateSensor ? [SimulatedDevice.HeartRateSensor.address] : [])
            + (passkeyLock ? [SimulatedDevice.DoorLock.address] : [])
            + zip(UInt8(1)..., device).map { $1.address($0) }
        if let twice = addresses.first(where: { one in addresses.count { $0 == one } > 1 }) {
            throw ValidationError("there are two devices with the address \(twice)")
        }
        guard timeScale >= 0.0001, timeScale <= 1000 else {
            throw ValidationError("a time scale is 0.0001 to 1000")
        }
    }

    func run() throws {
        var options = SimulatorOptions()
        options.version = kind
        options.kernel = kernel
        options.adapters = noAdapter ? 0 : adapters
        options.isPowered = !poweredOff
        options.timeScale = timeScale
        options.controller = extendedAdvertising ? .extended : .legacy
        let session = SimulatorSession(options, devices, central, command)
        let status = session.run()
        guard status == 0 else { throw ExitCode(status) }
    }

    private var devices: [SimulatedDevice] {
        (heartRateSensor ? [.heartRateSensor()] : []) + (passkeyLock ? [.passkeyLock()] : [])
            + zip(UInt8(1)..., device).map { $1.device($0) }
    }

    private static func loadDevice(_ path: String) throws -> DeviceFileLoader {
        do {
            return try DeviceFileLoader(path)
        } catch {
            throw ValidationError(error.description)
        }
    }

    private static func kind(_ text: String) throws -> SimulatedBlueZVersion {
        if let kind = SimulatedBlueZVersion(rawValue: text) { return kind }
        throw ValidationError("there is no \(text), but \(kinds)")
    }

    private static func kernel(_ text: String) throws -> SimulatedKernel {
        if let kernel = SimulatedKernel(rawValue: text) { return kernel }
        throw ValidationError("unknown Linux \(text); use \(kernels)")
    }

    private static func script(_ text: String) throws -> [CentralStep] {
        do {
            return try CentralScriptParser.parse(text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    private static let kinds = SimulatedBlueZVersion.allCases.map(\.rawValue)
        .joined(separator: ", ")
    private static let kernels = SimulatedKernel.allCases.map(\.rawValue)
        .joined(separator: ", ")
}
