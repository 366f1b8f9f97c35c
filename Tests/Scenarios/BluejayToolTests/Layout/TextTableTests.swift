import Testing

@testable import BluejayTool

@Suite("Text tables", .timeLimit(.minutes(15)))
struct TextTableTests {
    private static let table = TextTable([
        .init("NAME", minimum: 6, isNeeded: true), .init("ADDRESS", minimum: 5, isNeeded: true),
        .init("WORDS", minimum: 8), .init("EMPTY", minimum: 4),
    ])
    private static let rows = [
        ["A long name", "01:02", "one, two, three", ""], ["B", "03:04", "", ""],
    ]

    static let drawings: [(Int?, [String])] = [
        (
            nil,
            [
                "NAME         ADDRESS  WORDS", "A long name  01:02    one, two, three",
                "B            03:04",
            ]
        ),
        (
            32,
            [
                "NAME       ADDRESS  WORDS", "A long n…  01:02    one, two, t…",
                "B          03:04",
            ]
        ),
        (22, ["NAME         ADDRESS", "A long name  01:02", "B            03:04"]),
        (14, ["NAME    ADDRE…", "A lon…  01:02", "B       03:04"]),
        (9, ["NA…  ADD…", "A …  01:…", "B    03:…"]),
    ]

    @Test("A narrow table truncates cells, then omits columns", arguments: drawings)
    func drawn(width: Int?, lines: [String]) {
        let drawn = Self.table.lines(Self.rows, width: width)
        if let width { #expect(drawn.allSatisfy { $0.displayWidth <= width }) }
        #expect(drawn == lines)
    }

    @Test("A column that is cut last keeps its width while the others shrink")
    func cutLast() {
        let table = TextTable([
            .init("NAME", minimum: 6, isNeeded: true, isCutLast: true), .init("WORDS", minimum: 5),
        ])
        let lines = table.lines([["A long name", "one, two, three"]], width: 20)
        #expect(lines == ["NAME         WORDS", "A long name  one, t…"])
        #expect(table.shows("WORDS", of: [["A long name", "one"]], width: 13))
        #expect(!table.shows("WORDS", of: [["A long name", "one, two"]], width: 12))
    }

    @Test("A column on the right takes the room that is too small for one on the left")
    func remainingRoom() {
        let table = TextTable([
            .init("A", minimum: 1, isNeeded: true), .init("WIDE", minimum: 9),
            .init("B", minimum: 2),
        ])
        #expect(table.lines([["1", "123456789", "22"]], width: 8) == ["A  B", "1  22"])
    }

    static let cuts = [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("温度計", 6, "温度計"),
        ("温度計", 5, "温度…"), ("温度計", 4, "温…"), ("e\u{301}te", 3, "e\u{301}te"), ("⌚️x", 3, "⌚️x"),
    ]

    @Test(
        "Text is truncated by display width, in which some characters take two columns",
        arguments: cuts
    )
    func cut(text: String, width: Int, expected: String) {
        #expect(text.truncated(to: width) == expected)
        #expect(text.fitted(to: width).displayWidth == width)
    }
}
