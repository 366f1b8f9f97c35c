import BluejayCore
import Foundation
import TestSupport
import Testing

@Suite("The version", .timeLimit(.minutes(15)))
struct VersionTests {
    private static func page(_ name: String) -> String {
        (try? String(contentsOf: repositoryFile(name), encoding: .utf8)) ?? ""
    }

    /// The released versions in the changelog's headings, newest first.
    private static let released = page("Documentation/Changelog.md")
        .matches(of: #/(?m)^## \[?(\d+\.\d+\.\d+)/#).map { String($0.output.1) }

    @Test(
        "The version is that of the newest release in the changelog",
        .enabled(if: !released.isEmpty, "nothing is released yet")
    )
    func changelog() {
        #expect(Self.released.first == BluejayVersion.current)
    }

    @Test("The README names the version")
    func readme() {
        let said = Self.page("README.md").firstMatch(of: #/(?m)^Version (\d+\.\d+\.\d+) · /#)
        #expect(said.map { String($0.output.1) } == BluejayVersion.current)
        let installed = Self.page("README.md").matches(of: #/from: "(\d+\.\d+\.\d+)"/#)
        #expect(installed.allSatisfy { String($0.output.1) == BluejayVersion.current })
    }

    @Test(
        "Each program prints the version for --version",
        arguments: ["bluez-simulator"] + CommandLineTests.demos
    )
    func programs(name: String) async throws {
        let (lines, status) = try await runProgram(name, ["--version"])
        #expect(lines == [BluejayVersion.current])
        #expect(status == 0)
    }
}
