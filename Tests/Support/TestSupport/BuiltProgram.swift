internal import BluejayGLib
internal import Foundation

/// Runs a program of this package until it ends; it is built into the folder of the tests.
///
/// - Parameters:
///   - name: Of the product.
///   - arguments: What it is called with; nothing of it goes through a shell.
///   - environment: What is added to that of the tests.
///   - isErrorOutput: Whether the lines are those of its standard error instead of its output.
/// - Returns: Its lines, and its exit status.
/// - Throws: When it could not be started.
package func runProgram(
    _ name: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    isErrorOutput: Bool = false
) async throws -> (lines: [String], status: Int32) {
    let program = programPath(name)
    let shell = ["sh", "-c", "exec \"$0\" \"$@\" 2>&1 >/dev/null"]
    let command = (isErrorOutput ? shell : []) + [program] + arguments
    let process = LineProcess(named: name)
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

/// Where a program of this package is.
///
/// - Parameter name: Of the product.
/// - Returns: A path in the folder of the tests, into which it is built.
package func programPath(_ name: String) -> String {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: name).path
}

// Written on the context of the process, and read when that has ended.
private final class Output: @unchecked Swift.Sendable {
    var lines: [String] = []
}
