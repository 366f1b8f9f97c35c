import TestSupport
import Testing

@Suite("Repeated connections of peers", .timeLimit(.minutes(15)))
struct MeshCyclesTests {
    /// `./Tests/run` plays 1,000 cycles.
    @Test("100 cycles leak no descriptor, match rule or memory")
    func cycles() async throws {
        let (lines, status) = try await runProgram("mesh-cycles", ["--cycles", "100"])
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
    }
}
