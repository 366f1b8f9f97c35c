import BluejayCore
import BluejayDeviceFile
import BluejaySimulator
import Foundation
import TestSupport

final class RecordingStage: Swift.Sendable {
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

    /// Environment variables that lead the tool to this simulator and this folder.
    var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress, "XDG_STATE_HOME": folder.path]
    }

    static let secondAdapter = "00:AA:01:01:00:01"

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func device(_ name: String) throws -> DeviceFile {
        try DeviceFile(json: try Data(contentsOf: folder.appending(path: name)))
    }

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

    /// Runs the tool with `input` on its standard input, until it ends.
    ///
    /// - Parameters:
    ///   - arguments: The tool's arguments.
    ///   - input: The bytes that the tool reads before the pipe closes.
    /// - Returns: The output and the exit status.
    /// - Throws: An error if the tool does not start.
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

    func started(_ arguments: [String]) async throws -> RunningProgram {
        try await RunningProgram("bluejay", arguments, environment: environment)
    }
}
