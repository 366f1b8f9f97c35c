import BluejayCore
import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("The version", .timeLimit(.minutes(5)))
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
        arguments: ["bluez-simulator", "heart-sensor", "virtual-peripheral"]
    )
    func programs(name: String) async throws {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: name).path
        let process = LineProcess(named: name)
        let output = Output()
        let status = try await withCheckedThrowingContinuation { continuation in
            process.context.post {
                do {
                    try process.start([program, "--version"], environment: [:]) {
                        output.lines.append($0)
                    } onEnd: {
                        continuation.resume(returning: $0)
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        withExtendedLifetime(process) {}
        #expect(output.lines == [BluejayVersion.current])
        #expect(status == 0)
    }
}

/// What a program printed.
// Written on the context of the process, and read when that has ended.
private final class Output: @unchecked Swift.Sendable {
    var lines: [String] = []
}
