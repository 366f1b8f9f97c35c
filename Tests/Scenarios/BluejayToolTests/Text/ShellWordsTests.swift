import BluejayLineEditing
import Testing

@testable import BluejayTool

/// Tests `ShellWords` and `ShellCompletion`.
@Suite("A line of bluejay shell")
struct ShellWordsTests {
    static let lines: [(String, [String])] = [
        ("", []), ("  read  2A19 ", ["read", "2A19"]), ("# a comment", []),
        ("write FFE1 'a b' # why", ["write", "FFE1", "a b"]), ("a#b", ["a#b"]),
        (#"write FFE1 "it's" --as text"#, ["write", "FFE1", "it's", "--as", "text"]),
        (#"a\ b \"c"#, ["a b", "\"c"]), ("'' \"\"", ["", ""]), (#"'a\b'"#, [#"a\b"#]),
        ("read\tBatterie-füllstand", ["read", "Batterie-füllstand"]),
    ]

    @Test("Spaces outside quotes divide a line into words", arguments: lines)
    func words(line: String, words: [String]) throws {
        #expect(try ShellWords.split(line) == words)
    }

    @Test("A line that ends inside a quotation is refused", arguments: ["'a", "\"a", "a\\"])
    func open(line: String) {
        #expect(throws: ToolFailure("the line ends inside a quotation")) {
            try ShellWords.split(line)
        }
    }

    static let completions: [(line: String, inserted: String, candidates: [String])] = [
        ("rea", "d ", []), ("w", "rite ", []), ("re", "", ["read", "record"]),
        ("read 2A", "", ["2A19", "2A37"]), ("read 2a1", "9 ", []), ("read heart", "-rate ", []),
        ("write x 01 --as uint1", "6 ", []), ("read x --as b", "", []), ("battery 2", "", []),
        ("read - BAT", "tery-level ", []), ("nothing", "", []),
    ]

    @Test("Tab completes subcommands, characteristics and formats", arguments: completions)
    func completion(line: String, inserted: String, candidates: [String]) {
        let completion = ShellCompletion(
            commands: ["battery", "read", "record", "write"],
            attributes: ["2A19", "2A37", "battery-level", "heart-rate"]
        )
        let result = completion.complete(line)
        #expect(result.inserted == inserted)
        #expect(result.candidates == candidates)
    }
}
