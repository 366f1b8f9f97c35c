import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("Centrals that come and go", .timeLimit(.minutes(5)))
struct CentralCyclesTests {
    /// Beside all other tests it is a few; `./Tests/run` has 10,000.
    @Test("They leave no descriptor, no match rule, no memory and no subscription")
    func cycles() async throws {
        // The program is built into the folder of the tests; what it counts is its own.
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "central-cycles").path
        let process = LineProcess(named: "cycles")
        let output = Output()
        let status = try await withCheckedThrowingContinuation { continuation in
            process.context.post {
                do {
                    try process.start([program, "--count", "500"], environment: [:]) {
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
        #expect(status == 0, "\(output.lines.joined(separator: "\n"))")
        #expect(output.lines.count == 2)
    }
}

/// What a program printed.
// Written on the context of the process, and read when that has ended.
private final class Output: @unchecked Swift.Sendable {
    var lines: [String] = []
}
