import BluejayCore
import Foundation
import TestSupport
import Testing

@Suite("The manual pages", .timeLimit(.minutes(15)))
struct ManualPageTests {
    static let programs = ["bluejay", "bluez-simulator"]

    @Test("The first line has the version and its date", arguments: programs)
    func head(program: String) throws {
        let page = try ManualSource(of: program)
        let head = try #require(page.lines.first)
        #expect(head == ManualSource.head(of: program))
        #expect(head.contains(#/ 1 \d{4}-\d\d-\d\d "Bluejay \d+\.\d+\.\d+" /#))
    }

    @Test("Setting a version writes it to the manual pages, with the date of today")
    func newVersion() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            ".ci/release", "README.md", "Documentation/Changelog.md", "Documentation/bluejay.1",
            "Documentation/bluez-simulator.1",
            "Sources/Engine/BluejayCore/Values/BluejayVersion.swift",
        ]
        for file in files {
            let copy = folder.appending(path: file)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(at: repositoryFile(file), to: copy)
        }
        let release = folder.appending(path: ".ci/release").path
        #expect(try await outcome(of: ["python3", release, "set", "98.7.6"]) == Outcome([]))
        let changelog = try String(
            contentsOf: folder.appending(path: "Documentation/Changelog.md"),
            encoding: .utf8
        )
        let date = try #require(changelog.firstMatch(of: #/\n## 98\.7\.6 - (\S+)\n/#)).1
        for program in Self.programs {
            let page = try String(
                contentsOf: folder.appending(path: "Documentation/\(program).1"),
                encoding: .utf8
            )
            let before = try ManualSource(of: program)
            let head = ".TH \(program.uppercased()) 1 \(date) \"Bluejay 98.7.6\" \"User Commands\""
            #expect(page.components(separatedBy: "\n") == [head] + before.lines.dropFirst())
        }
    }

    @Test("A page has the sections of a command in the usual order", arguments: programs)
    func sections(program: String) throws {
        let page = try ManualSource(of: program)
        let titles = page.titles.filter { $0 != "SUBCOMMANDS" }
        #expect(
            titles == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES",
                "EXAMPLES", "SEE ALSO",
            ]
        )
        for title in page.titles { #expect(page.section(title).count > 1, "\(title) is empty") }
    }

    @Test("groff prints no warning about a page", arguments: programs)
    func warnings(program: String) async throws {
        let path = ManualSource.file(of: program).path
        // `-z` prints the warnings only.
        let groff = try await outcome(of: ["groff", "-man", "-Tutf8", "-ww", "-z", path])
        #expect(groff == Outcome([]))
    }

    @Test("groff reports a page with an unknown macro")
    func broken() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).1")
        try Data(".TH A 1\n.SHH NAME\na \\- b\n".utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let groff = try await outcome(of: ["groff", "-man", "-Tutf8", "-ww", "-z", path.path])
        #expect(groff.lines.contains { $0.contains("SHH") })
    }

    @Test("A page is plain ASCII, which each terminal shows", arguments: programs)
    func ascii(program: String) throws {
        let page = try ManualSource(of: program)
        #expect(page.text.utf8.allSatisfy { $0 == 0x0A || 0x20...0x7E ~= $0 })
    }

    @Test("The page of the simulator has each option of the help, and no other")
    func simulatorOptions() async throws {
        let help = try await runProgram("bluez-simulator", ["--help"]).lines
        let options = help.drop { $0 != "OPTIONS:" }.dropFirst()
            .filter { $0.hasPrefix("  -") }
            .map { line in
                let text = line.dropFirst(2)
                return text.firstRange(of: "  ").map { String(text[..<$0.lowerBound]) }
                    ?? String(text)
            }
        let page = try ManualSource(of: "bluez-simulator")
        let entries = page.entries("OPTIONS").map {
            $0.replacing(#/ ([a-z-]+)$/#) { " <\($0.1)>" }
                .replacing(" <--help>", with: " --help")
        }
        #expect(entries == options)
        #expect(options.count >= 13)
    }

    @Test("The page of the simulator has each exit status of the help")
    func simulatorStatuses() async throws {
        let help = try await runProgram("bluez-simulator", ["--help"]).lines
        let statuses = help.drop { !$0.hasPrefix("Exit status") }.dropFirst()
            .prefix { !$0.isEmpty }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        let page = try ManualSource(of: "bluez-simulator")
        #expect(page.entries("EXIT STATUS") == statuses)
        #expect(statuses.count == 5)
    }

    @Test("The page of the simulator lists the values of the options of the help")
    func simulatorValues() async throws {
        let help = try await runProgram("bluez-simulator", ["--help"]).lines
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let page = try ManualSource(of: "bluez-simulator").section("OPTIONS")
        for value in ["5.55, 5.66", "6.1.176, 6.1.192"] {
            let line = try #require(help.first { $0.hasPrefix(value) })
            let list = try #require(line.components(separatedBy: ". (default").first)
            #expect(page.contains { $0.contains(list) }, "\(list)")
        }
    }

    @Test(
        "A page names each environment variable that its program reads, and no other",
        arguments: [
            (
                "bluejay",
                ["Sources/Tool", "Sources/Engine/BluejayBlueZ/Logging"],
                // Read by swift-argument-parser.
                ["COLUMNS"]
            ),
            // Foundation reads TMPDIR.
            ("bluez-simulator", ["Sources/Testing/bluez-simulator"], ["TMPDIR"]),
        ]
    )
    func variables(program: String, folders: [String], others: [String]) throws {
        var names = Set(others)
        for folder in folders {
            let root = repositoryFile(folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
            where path.hasSuffix(".swift") {
                let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
                names.formUnion(
                    text.matches(of: #/environment\["([A-Z_]+)"/#).map { String($0.1) }
                )
            }
        }
        #expect(Set(try ManualSource(of: program).entries("ENVIRONMENT")) == names)
    }
}
