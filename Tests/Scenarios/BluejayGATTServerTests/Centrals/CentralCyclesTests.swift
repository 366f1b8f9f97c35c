import TestSupport
import Testing

@Suite("Centrals that come and go", .timeLimit(.minutes(15)))
struct CentralCyclesTests {
    /// `./Tests/run` plays 10,000 cycles.
    @Test("They leave no descriptor, no match rule, no memory and no subscription")
    func cycles() async throws {
        let (lines, status) = try await runProgram("central-cycles", ["--count", "500"])
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == 2)
    }
}
