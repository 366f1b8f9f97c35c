import TestSupport
import Testing

@Suite("Repeated connections of actors", .timeLimit(.minutes(15)))
struct BleuCyclesTests {
    /// `./Tests/run` plays 500 cycles.
    @Test("100 cycles of calls, streams and links leak no descriptor, match rule or memory")
    func cycles() async throws {
        let (lines, status) = try await runProgram("bleu-cycles", ["--cycles", "100"])
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
    }
}
