import TestSupport
import Testing

@Suite("Repeated losses of a radio", .timeLimit(.minutes(15)))
struct RadioCyclesTests {
    /// `./Tests/run` plays 1,000 lost links and 100,000 values.
    @Test("Repeated losses leak no descriptor, match rule or memory, and unread values are counted")
    func cycles() async throws {
        let (lines, status) = try await runProgram(
            "radio-cycles",
            ["--drops", "100", "--values", "5000"]
        )
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == 5)
    }

    @Test("Dropped values are logged once for each connection")
    func said() async throws {
        let (lines, status) = try await runProgram(
            "radio-cycles",
            ["--drops", "0", "--values", "1000"],
            isErrorOutput: true
        )
        #expect(status == 0)
        #expect(lines.filter { $0.contains("receive buffer full: dropping values") }.count == 1)
    }
}
