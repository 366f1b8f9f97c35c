import TestSupport
import Testing

@Suite("Ten programs and a fault every 30 s", .timeLimit(.minutes(15)))
struct SoakTests {
    /// `./Tests/run` plays a day.
    @Test("After three hours all programs receive values, and nothing is left")
    func hours() async throws {
        let (lines, status) = try await runProgram("soak", ["--hours", "3"])
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
    }

    @Test("A run without time is refused", arguments: ["0", "-1", "nan", "1e9"])
    func refused(hours: String) async throws {
        let (_, status) = try await runProgram("soak", ["--hours=\(hours)"])
        #expect(status == 64)
    }
}
