internal import BluejayGLib
internal import Foundation

/// Runs a program of this package to its end, from the build folder of the tests.
///
/// - Parameters:
///   - name: The name of the product.
///   - arguments: Its arguments, which are not passed through a shell.
///   - environment: Additions to the environment of the tests.
///   - isErrorOutput: Whether to return the lines of standard error instead of standard output.
///   - seconds: When Ctrl-C ends it; sent by a separate process, so that a busy test cannot delay it.
/// - Returns: Its lines, and its exit status.
/// - Throws: If it could not be started.
package func runProgram(
    _ name: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    isErrorOutput: Bool = false,
    interruptedAfter seconds: Int? = nil
) async throws -> (lines: [String], status: Int32) {
    let program = programPath(name)
    let shell = ["sh", "-c", "exec \"$0\" \"$@\" 2>&1 >/dev/null"]
    let interrupt = seconds.map { ["timeout", "--preserve-status", "--signal=INT", "\($0)"] }
    let command = (isErrorOutput ? shell : []) + (interrupt ?? []) + [program] + arguments
    return try await runCommand(command, environment: environment)
}

/// Runs a command to its end.
///
/// - Parameters:
///   - command: The program, by name or path, and its arguments, which are not passed through a shell.
///   - environment: Additions to the environment of the tests.
/// - Returns: Its lines on standard output, and its exit status.
/// - Throws: If it could not be started.
package func runCommand(
    _ command: [String],
    environment: [String: String] = [:]
) async throws -> (lines: [String], status: Int32) {
    let process = LineProcess(named: "command")
    let output = Output()
    let status = try await withCheckedThrowingContinuation { continuation in
        process.context.post {
            do {
                try process.start(command, environment: environment) {
                    output.lines.append($0)
                } onEnd: {
                    continuation.resume(returning: $0)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
    withExtendedLifetime(process) {}
    return (output.lines, status)
}

/// Returns the path of a program of this package.
///
/// - Parameter name: The name of the product.
/// - Returns: A path in the build folder of the tests.
package func programPath(_ name: String) -> String {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: name).path
}

// Written on the context of the process, and read after its end.
private final class Output: @unchecked Swift.Sendable {
    var lines: [String] = []
}
