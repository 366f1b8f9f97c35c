import Bluejay
import BluejayTesting
import Foundation
import TestSupport
import Testing

@Suite("Remedies in error texts", .timeLimit(.minutes(15)))
struct ErrorRemedyTests {
    @Test(
        "The call succeeds after the remedy in its error",
        arguments: ListedError.allCases
    )
    func remedy(of error: ListedError) async throws {
        for rehearsal in error.rehearsals {
            let made = try await Self.play(rehearsal)
            #expect(ListedError(made.kind) == error, "\(made)")
        }
    }

    @Test(
        "The call succeeds after the remedy for unavailable Bluetooth",
        arguments: ListedState.allCases
    )
    func remedy(of state: ListedState) async throws {
        guard let rehearsal = state.rehearsal else { return }
        let made = try await Self.play(rehearsal)
        #expect(made.bluetoothState.map { ListedState($0) } == state, "\(made)")
    }

    @Test("Every error that the library reports has a rehearsal")
    func unreported() throws {
        let names = ListedError.allCases.filter(\.rehearsals.isEmpty).map { "\($0)" }
        #expect(names.count == 6)
        for folder in ["Sources/Engine", "Sources/Library"] {
            let root = repositoryFile(folder)
            let files = try #require(FileManager.default.enumerator(atPath: root.path))
            for case let path as String in files where path.hasSuffix(".swift") {
                guard !path.contains("/Errors/") else { continue }
                let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
                for name in names { #expect(!text.contains(".\(name)"), "\(path)") }
            }
        }
    }

    /// Plays a rehearsal and compares the sentence with the remedy that was followed.
    private static func play(_ rehearsal: Rehearsal) async throws -> BluejayError {
        let made = try #require(try await rehearsal.play(), "the call succeeded")
        if let advice = rehearsal.advice {
            #expect(made.description.contains(advice), "\(made)")
        } else {
            #expect(!made.description.contains("; "), "\(made)")
        }
        return made
    }
}

@Suite("Source-breaking changes")
struct SourceBreakingTests {
    @Test("The changelog lists each watch event that is newer than 0.3.0")
    func watchEvents() throws {
        func isNew(_ event: WatchEvent) -> Bool {
            switch event {
            case .started, .found, .lost: false
            case .changed: true
            }
        }
        #expect(!isNew(.started(.active)))
        #expect(try Self.rows().contains("| `WatchEvent` | `WatchEvent.changed` |"))
    }

    @Test("The changelog lists each deprecated name with its replacement")
    func deprecatedNames() throws {
        let rows = try Self.rows().map { row in
            row.split(separator: "|").map { Set($0.matches(of: #/\w+/#).map(\.output)) }
        }
        let sources = try #require(
            FileManager.default.enumerator(
                at: repositoryFile("Sources"),
                includingPropertiesForKeys: nil
            )
        )
        for case let file as URL in sources where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let deprecations = source.matches(of: Self.deprecation)
            #expect(deprecations.count == source.matches(of: #/\bdeprecated,/#).count, "\(file)")
            for deprecation in deprecations {
                // The labels of an initializer are names of properties.
                guard let former = deprecation.output.2 else { continue }
                let name = deprecation.output.1
                #expect(
                    rows.contains { row in
                        row.count == 2 && row[0].contains(former)
                            && (name.map(row[1].contains) ?? true)
                    },
                    "\(file.lastPathComponent): \(former), \(name ?? "")"
                )
            }
        }
    }

    /// Matches the new name of a renamed declaration, and the former name, which an initializer lacks.
    private static var deprecation: Regex<(Substring, Substring?, Substring?)> {
        #/@available\(\s*\*,\s*deprecated,\s*(?:renamed: "(\w+)|message: ")[^"]*"\s*\)\s*(?:@\w+\(.*\)\s*)?public (?:.*?\b(?:func|var|let|typealias) (\w+)|init)/#
    }

    /// Returns the table rows of all sections about source-breaking changes.
    private static func rows() throws -> [Substring] {
        let page = try String(
            contentsOf: repositoryFile("Documentation/Changelog.md"),
            encoding: .utf8
        )
        return page.split(separator: #/(?m)^##+ /#)
            .filter { $0.hasPrefix("Source-breaking changes\n") }
            .flatMap { $0.split(separator: "\n").filter { $0.hasPrefix("| ") } }
    }
}
