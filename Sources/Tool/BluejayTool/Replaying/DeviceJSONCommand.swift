import ArgumentParser
import BluejayDeviceFile
import BluejayStreams
import Foundation

/// `bluejay device-json`: converts a device file for `bluez-simulator`, which cannot parse YAML itself.
struct DeviceJSONCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-json",
        abstract: "Print a device file as JSON.",
        shouldDisplay: false
    )

    @Argument(help: "A file in YAML (.yaml, .yml) or JSON.")
    var file: String

    func run() throws {
        do {
            let json = try DeviceFile.read(file).json()
            try StandardStreams.writeOutput(String(decoding: json, as: UTF8.self))
        } catch let failure as ToolFailure {
            Console.writeErrorLine("bluejay: \(failure.message)")
            throw ExitCode(failure.status.rawValue)
        }
    }
}
