import TestSupport
import Testing

@Suite("Repeated connections of centrals", .timeLimit(.minutes(15)))
struct CentralCyclesTests {
    /// `./Tests/run` plays 10,000 cycles.
    @Test("Disconnected centrals leave no descriptor, match rule, memory or subscription")
    func cycles() async throws {
        let (lines, status) = try await runProgram("central-cycles", ["--count", "500"])
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == 2)
    }
}
