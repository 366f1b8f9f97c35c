import Foundation
import TestSupport
import Testing

@Suite("The first screen of the README", .timeLimit(.minutes(15)))
struct FirstProgramTests {
    /// The outputs of the first program: the code blocks without a language.
    private static let printed: [[String]] = {
        let text = (try? String(contentsOf: repositoryFile("README.md"), encoding: .utf8)) ?? ""
        let screen = text.components(separatedBy: "## Try it without Bluetooth").first ?? ""
        // Every second part is the inside of a block and starts with the block's language.
        return screen.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("\n") }
            .map { $0.element.split(separator: "\n").map(String.init) }
    }()

    private func run(
        _ options: [String],
        _ name: String = "first-program"
    ) async throws -> RunningProgram {
        try await RunningProgram(
            "bluez-simulator",
            options + ["--", "stdbuf", "-oL", programPath(name)]
        )
    }

    @Test("The first scan prints the line of the README")
    func scan() async throws {
        let expected = try #require(Self.printed.first)
        let program = try await run(["--heart-rate-sensor"], "first-scan")
        try await program.wait(for: "Heart Rate Sensor")
        #expect(program.lines == expected)
        #expect(expected.count == 1)
    }

    @Test("With a sensor the first program prints the heart rates of the README and ends")
    func sensor() async throws {
        let expected = try #require(Self.printed.dropFirst().first)
        let program = try await run(["--heart-rate-sensor"])
        try await wait { program.status != nil }
        #expect(program.lines == expected)
        #expect(expected.count == 3)
        #expect(program.status == 0)
    }

    @Test(
        "Without a sensor or Bluetooth the first program prints the error of the README",
        arguments: [(2, "--adapters=2"), (3, "--powered-off")]
    )
    func failure(block: Int, option: String) async throws {
        #expect(Self.printed.count == 4)
        let program = try await run([option])
        try await wait { program.status != nil }
        // The page wraps the line.
        #expect(program.lines == [Self.printed[block].joined(separator: " ")])
        #expect(program.status == 1)
    }
}
