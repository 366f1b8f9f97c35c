import Bluejay
import BluejayTesting
import Foundation
import TestSupport
import Testing

@Suite("The promises of error texts", .timeLimit(.minutes(15)))
struct ErrorRemedyTests {
    @Test(
        "The call succeeds after the caller has done what the error says",
        arguments: ListedError.allCases
    )
    func remedy(of error: ListedError) async throws {
        for rehearsal in error.rehearsals {
            let made = try await Self.play(rehearsal)
            #expect(ListedError(made.kind) == error, "\(made)")
        }
    }

    @Test(
        "The call succeeds after the caller has done what an unavailable Bluetooth says",
        arguments: ListedState.allCases
    )
    func remedy(of state: ListedState) async throws {
        guard let rehearsal = state.rehearsal else { return }
        let made = try await Self.play(rehearsal)
        #expect(made.bluetoothState.map { ListedState($0) } == state, "\(made)")
    }

    @Test("No call reports an error without a rehearsal")
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

@Suite("Changes that break the source of users")
struct SourceBreakingTests {
    @Test("The changelog lists each event of a watch that is newer than 0.3.0")
    func watchEvents() throws {
        func isNew(_ event: WatchEvent) -> Bool {
            switch event {
            case .started, .found, .lost: false
            case .changed: true
            }
        }
        #expect(!isNew(.started(.active)))
        let page = try String(
            contentsOf: repositoryFile("Documentation/Changelog.md"),
            encoding: .utf8
        )
        let entry = try #require(page.firstRange(of: "- Source-breaking: these enums"))
        let end = page[entry.upperBound...].firstRange(of: "\n- ")?.lowerBound ?? page.endIndex
        #expect(page[entry.lowerBound..<end].contains("`WatchEvent.changed`"))
    }
}
