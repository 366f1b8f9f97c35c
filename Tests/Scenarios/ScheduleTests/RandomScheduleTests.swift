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
        let arguments = ["--count", count, "--lanes", "4"] + again
        let output = try await runProgram("random-schedules", arguments)
        print(output.lines.first ?? "the program printed nothing")
        #expect(output.status == 0, "\(output.lines.joined(separator: "\n"))")
    }

    /// Plays 30 schedules of each product by default; `./Tests/run` plays more.
    @Test(
        "In random schedules of all products with strangers, each call ends once and nothing is left",
        .timeLimit(.minutes(30))
    )
    func productSchedules() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["BLUEJAY_PRODUCT_SCHEDULES"] ?? "240"
        let output = try await runProgram("product-schedules", ["--count", count])
        print(output.lines.first ?? "the program printed nothing")
        #expect(output.status == 0, "\(output.lines.joined(separator: "\n"))")
    }
}
