internal import BluejayGLib
internal import Foundation
internal import Synchronization

/// A program of this package that runs during a test.
package final class RunningProgram: Swift.Sendable {
    private let process: LineProcess
    private let output = Mutex<(lines: [String], status: Int32?)>(([], nil))

    /// Starts a program from the build folder of the tests.
    ///
    /// - Parameters:
    ///   - name: The name of the product.
    ///   - arguments: Its arguments, which are not passed through a shell.
    ///   - isLineBuffered: Whether it writes each line of `print` at once.
    ///   - environment: Additions to the environment of the tests.
    /// - Throws: If it could not be started.
    package init(
        _ name: String,
        _ arguments: [String] = [],
        isLineBuffered: Bool = false,
        environment: [String: String] = [:]
    ) async throws {
        process = LineProcess(named: name)
        let buffered = isLineBuffered ? "stdbuf -oL " : ""
        // A shell ignores SIGINT for its jobs in the background, and so would the program.
        let start = "exec env --default-signal=INT \(buffered)"
        let shell = ["sh", "-c", start + "\"$0\" \"$@\" 2>&1"]
        let command = shell + [programPath(name)] + arguments
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            process.context.post { [self] in
                continuation.resume(
                    with: Result {
                        try process.start(command, environment: environment) { [weak self] line in
                            self?.output.withLock { $0.lines.append(line) }
                        } onEnd: { [weak self] status in
                            self?.output.withLock { $0.status = status }
                        }
                    }
                )
            }
        }
    }

    /// The lines of its output, including errors.
    package var lines: [String] { output.withLock { $0.lines } }

    /// The exit status; `nil` while it runs.
    package var status: Int32? { output.withLock { $0.status } }

    /// Waits until it has written `count` lines with this prefix, or has ended.
    package func wait(for beginning: String, count: Int = 1) async throws {
        try await TestSupport.wait {
            self.status != nil || self.lines.filter { $0.hasPrefix(beginning) }.count >= count
        }
    }

    /// Sends it a signal, if it still runs.
    package func send(_ signal: Int32) {
        process.context.post { [process] in process.send(signal) }
    }

    /// Types a line on its standard input, if it still runs.
    package func type(_ line: String) {
        process.context.post { [process] in process.write(line) }
    }

    package func end(_ signal: Int32) async -> Int32? {
        await process.end(signal)
        return status
    }
}
