internal import BluejayCore
internal import BluejaySimulator
internal import Foundation

/// Runs a command on a private system bus with a simulated `org.bluez`.
@main
enum BlueZSimulatorCommand {
    static func main() {
        do {
            switch try SimulatorArguments.parse(Array(CommandLine.arguments.dropFirst())) {
            case .help: print(SimulatorHelp.text)
            case .version: print(BluejayVersion.current)
            case .run(let arguments): try run(arguments)
            }
        } catch {
            FileHandle.standardError.write(Data("\(SimulatorHelp.text(for: error))\n".utf8))
            exit(64)
        }
    }

    private static func run(_ arguments: SimulatorArguments) throws(CommandLineError) {
        var options = SimulatorOptions()
        options.version = arguments.kind
        options.kernel = arguments.kernel
        options.adapters = arguments.noAdapter ? 0 : arguments.adapters
        options.isPowered = !arguments.poweredOff
        options.timeScale = arguments.timeScale
        options.controller = arguments.extendedAdvertising ? .extended : .legacy
        if let path = arguments.faults {
            do {
                options.faults = try FaultFileLoader.load(path)
            } catch {
                throw .invalidValue(path, of: .faults, error.description)
            }
        }
        let devices = try devices(arguments)
        let session = SimulatorSession(
            options,
            devices: devices,
            scripts: arguments.centrals,
            command: arguments.command
        )
        exit(session.run())
    }

    /// Returns the devices in range.
    ///
    /// - Throws: The error of a file, and of an address that two devices have.
    private static func devices(
        _ arguments: SimulatorArguments
    ) throws(CommandLineError) -> [SimulatedDevice] {
        var files: [DeviceFileLoader] = []
        for path in arguments.devices {
            do {
                files.append(try DeviceFileLoader(path))
            } catch {
                throw .invalidValue(path, of: .device, error.description)
            }
        }
        let addresses =
            (arguments.heartRateSensor ? [SimulatedDevice.HeartRateSensor.address] : [])
            + (arguments.passkeyLock ? [SimulatedDevice.DoorLock.address] : [])
            + zip(UInt8(1)..., files).map { $1.address($0) }
        if let twice = addresses.first(where: { one in addresses.count { $0 == one } > 1 }) {
            throw .invalid("two devices have the address \(twice)")
        }
        return (arguments.heartRateSensor ? [.heartRateSensor()] : [])
            + (arguments.passkeyLock ? [.passkeyLock()] : [])
            + zip(UInt8(1)..., files).map { $1.device($0) }
    }
}
