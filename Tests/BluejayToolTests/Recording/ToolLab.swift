import BluejayDeviceFile
import BluejaySimulator
import Foundation
import TestSupport

/// A folder for files, and a simulated BlueZ for the tool.
final class ToolLab: Swift.Sendable {
    let folder: URL
    let system: SimulatedSystem

    init(_ options: SimulatorOptions = SimulatorOptions()) async throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "bluejay-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        system = try await SimulatedSystem.start(options)
    }

    deinit {
        system.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The variables of a program that has its Bluetooth here, and remembers its devices here.
    var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress, "XDG_STATE_HOME": folder.path]
    }

    /// Where a file is.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a file.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Reads the device of a file.
    func device(_ name: String) throws -> DeviceFile {
        try DeviceFile(json: try Data(contentsOf: folder.appending(path: name)))
    }

    /// Runs the tool until it ends.
    func bluejay(_ arguments: [String], isErrorOutput: Bool = false) async throws -> (
        lines: [String], status: Int32
    ) {
        try await runProgram(
            "bluejay",
            arguments,
            environment: environment,
            isErrorOutput: isErrorOutput
        )
    }

    /// Starts the tool.
    func started(_ arguments: [String]) async throws -> RunningProgram {
        try await RunningProgram("bluejay", arguments, environment: environment)
    }
}
