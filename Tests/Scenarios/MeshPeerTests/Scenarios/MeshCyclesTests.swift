import TestSupport
import Testing

@Suite("Peers that come and go", .timeLimit(.minutes(15)))
struct MeshCyclesTests {
    /// `./Tests/run` plays 1,000 cycles.
    @Test("100 cycles leave no descriptor, no match rule and no memory")
    func cycles() async throws {
        let (lines, status) = try await runProgram("mesh-cycles", ["--cycles", "100"])
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
    }
}
