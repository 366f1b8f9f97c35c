import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("Random schedules of calls and faults")
struct RandomScheduleTests {
    /// `BLUEJAY_SCHEDULES=10000` plays more, `BLUEJAY_SCHEDULE_SEED=…` repeats one.
    ///
    /// Plays 200 by default; `./Tests/run` plays 2,000.
    @Test(
        "In a random schedule of calls and faults, each call ends once and reports nothing afterwards",
        .timeLimit(.minutes(30))
    )
    func schedules() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["BLUEJAY_SCHEDULE_SEED"]
        let count = environment["BLUEJAY_SCHEDULES"] ?? (seed == nil ? "200" : "20")
        let again = seed.map { ["--seed", $0] } ?? []
        let output = try await Schedules.play(["--count", count, "--lanes", "4"] + again)
        let text = output.lines.joined(separator: "\n")
        print(output.lines.first ?? "the program printed nothing")
        #expect(output.status == 0, "\(text)")
    }
}

/// Runs `random-schedules` in a separate process, so that its counts are its own.
enum Schedules {
    struct Output: Swift.Sendable {
        var lines: [String] = []
        var status: Int32 = -1
    }

    // Used only on the context of the process, which justifies `@unchecked`.
    private final class Collected: @unchecked Swift.Sendable {
        var output = Output()
    }

    static func play(_ arguments: [String]) async throws -> Output {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: "random-schedules").path
        let process = LineProcess(named: "schedules")
        let collected = Collected()
        return try await withCheckedThrowingContinuation { continuation in
            process.context.post {
                do {
                    try process.start([program] + arguments, environment: [:]) {
                        collected.output.lines.append($0)
                    } onEnd: {
                        collected.output.status = $0
                        withExtendedLifetime(process) {}
                        continuation.resume(returning: collected.output)
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
