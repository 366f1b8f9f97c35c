import BluejayCore
import Foundation
import TestSupport
import Testing

@Suite("The version", .timeLimit(.minutes(15)))
struct VersionTests {
    /// The numbers of the released headings of the changelog, newest first.
    private static let released: [String] = {
        let top = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let changelog = top.appending(path: "Documentation/Changelog.md")
        let text = (try? String(contentsOf: changelog, encoding: .utf8)) ?? ""
        return text.matches(of: #/(?m)^## \[?(\d+\.\d+\.\d+)/#).map { String($0.output.1) }
    }()

    @Test(
        "It is that of the newest release in the changelog",
        .enabled(if: !released.isEmpty, "nothing is released yet")
    )
    func changelog() {
        #expect(Self.released.first == BluejayVersion.current)
    }

    @Test(
        "Each program prints it for --version",
        arguments: ["bluez-simulator"] + CommandLineTests.demos
    )
    func programs(name: String) async throws {
        let (lines, status) = try await runProgram(name, ["--version"])
        #expect(lines == [BluejayVersion.current])
        #expect(status == 0)
    }
}
