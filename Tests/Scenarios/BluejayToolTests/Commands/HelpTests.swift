import BluejayCore
import Foundation
import TestSupport
import Testing

@Suite("The help of bluejay", .timeLimit(.minutes(15)))
struct HelpTests {
    private static func help(_ arguments: [String], columns: Int = 80) async throws -> [String] {
        let outcome = try await runProgram(
            "bluejay",
            arguments + ["--help"],
            environment: ["COLUMNS": "\(columns)"]
        )
        #expect(outcome.status == 0)
        return outcome.lines
    }

    static let subcommands = [
        "scan", "adapters", "services", "read", "write", "listen", "battery", "info", "pair",
        "forget", "uart", "channel", "serve", "record", "replay", "generate", "shell", "inspect",
        "explain", "doctor",
    ]

    @Test(
        "The help of each subcommand has its usage and an example",
        arguments: subcommands
    )
    func subcommand(name: String) async throws {
        let lines = try await Self.help([name])
        #expect(lines.contains { $0.hasPrefix("EXAMPLE: bluejay \(name) ") })
        #expect(lines.contains { $0.hasPrefix("USAGE: bluejay \(name)") })
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test("Subcommands that print results have the option --json", arguments: subcommands)
    func json(name: String) async throws {
        let offers = try await Self.help([name]).contains { $0.hasPrefix("  --json") }
        let silent = ["explain", "generate", "inspect", "replay", "shell"]
        #expect(offers == !silent.contains(name))
    }

    @Test("The general help lists the exit statuses, the subcommands and the completion script")
    func whole() async throws {
        let lines = try await Self.help([])
        let statuses = lines.drop { $0 != "EXIT STATUS" }.dropFirst().prefix { !$0.isEmpty }
        #expect(
            statuses.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } } == [
                0, 1, 2, 3, 64, 129, 130, 143,
            ]
        )
        #expect(lines.joined(separator: " ").contains("--generate-completion-script"))
        #expect(lines.allSatisfy { $0.count <= 80 })
        let named = lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst()
            .compactMap {
                $0.hasPrefix("   ") ? nil : $0.split(separator: " ").first.map(String.init)
            }
        #expect(Set(named.dropLast()) == Set(Self.subcommands))
    }

    @Test("The version is that of the library")
    func version() async throws {
        let outcome = try await runProgram("bluejay", ["--version"])
        #expect(outcome.lines == [BluejayVersion.current])
        #expect(outcome.status == 0)
    }

    /// The tests write the stored page when `BLUEJAY_WRITE_MANUAL` is set.
    @Test("The manual page matches the help")
    func manual() async throws {
        let help = try await runProgram("bluejay", ["--experimental-dump-help"])
        let json = Data(help.lines.joined(separator: "\n").utf8)
        let written = try ManualSource(of: "bluejay")
        let page = try JSONDecoder().decode(ManualPage.self, from: json).text(keeping: written)
        if ProcessInfo.processInfo.environment["BLUEJAY_WRITE_MANUAL"] != nil {
            try Data(page.utf8).write(to: ManualSource.file(of: "bluejay"))
        }
        let isSame = try ManualSource(of: "bluejay").text == page
        #expect(
            isSame,
            "run this test with BLUEJAY_WRITE_MANUAL=1, and look at Documentation/bluejay.1"
        )
    }

    @Test("Each supported shell has a completion script", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let script = try await runProgram("bluejay", ["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.lines.contains { $0.contains("heart-rate") })
        #expect(script.lines.contains { $0.contains("adapters") })
    }

    @Test("Help at 40 columns has no longer line", arguments: subcommands)
    func narrow(name: String) async throws {
        let lines = try await Self.help([name], columns: 40)
        #expect(lines.filter { $0.count > 40 } == [])
    }
}
