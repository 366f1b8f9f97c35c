import BluejayGLib
import Foundation
import TestSupport

/// A running `documentation-program`, whose output becomes notes.
final class Program: Swift.Sendable {
    let notes = Notes()
    private let process = LineProcess(named: "program")

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which select the program.
    ///   - bus: The address of its system bus.
    ///   - state: The folder of its saved state.
    /// - Throws: An error if the program does not exist.
    init(_ arguments: [String], bus: String, state: URL? = nil) async throws {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "documentation-program")
        var environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus]
        if let state { environment["XDG_STATE_HOME"] = state.path }
        try await withCheckedThrowingContinuation {
            (started: CheckedContinuation<Void, any Error>) in
            process.context.post { [self, environment] in
                started.resume(with: Result { try start([program.path] + arguments, environment) })
            }
        }
    }

    private func start(_ command: [String], _ environment: [String: String]) throws {
        try process.start(command, environment: environment) { [notes] in
            notes.write($0)
        } onEnd: { [notes] in
            notes.write("ended \($0)")
        }
    }

    func order(_ line: String) {
        process.context.post { [process] in process.write(line) }
    }

    func kill() async {
        await process.end()
    }
}
