import BluejayCore
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

    /// The address of the second adapter.
    static let secondAdapter = "00:AA:01:01:00:01"

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

    /// Runs the tool behind a pipe that says these bytes and is closed, until it ends.
    ///
    /// - Parameters:
    ///   - arguments: Of the tool.
    ///   - input: What it reads.
    /// - Returns: What it wrote, and its exit status.
    /// - Throws: When it could not be started.
    func piped(_ arguments: [String], input: Data) async throws -> (
        output: Data, errors: String, status: Int32
    ) {
        let file = folder.appending(path: UUID().uuidString).path
        try input.write(to: URL(filePath: file))
        let tool = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "bluejay").path
        let script = "file=$0; cat \"$file\" | \"$@\" >\"$file.out\" 2>\"$file.err\""
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, file, tool] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { _, new in new }
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return (
            try Data(contentsOf: URL(filePath: file + ".out")),
            try String(contentsOfFile: file + ".err", encoding: .utf8), process.terminationStatus
        )
    }

    /// Starts the tool.
    func started(_ arguments: [String]) async throws -> RunningProgram {
        try await RunningProgram("bluejay", arguments, environment: environment)
    }
}
