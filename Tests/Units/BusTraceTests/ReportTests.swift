import Foundation
import Testing

@testable import BusTrace

@Suite("Quirks and the report")
struct ReportTests {
    private let real = ["call Connect dev", "signal dev Connected=true", "reply Connect dev: ok"]

    private func compare(
        _ simulated: [String],
        _ quirks: String,
        scenario: String = "connect"
    ) throws -> TraceComparison.Result {
        TraceComparison(
            scenario: scenario,
            real: [Trace(real)],
            quirks: try Quirks(text: quirks)
        )
        .compare(Trace(simulated))
    }

    @Test("A quirk of a pair excuses its order only in its scenarios")
    func pair() throws {
        let swapped = [real[0], real[2], real[1]]
        let quirk = "# why\n\nconn* | signal dev * < reply Connect dev: * | the emulator is slow\n"
        let excused = try compare(swapped, quirk)
        #expect(excused == .init(differences: [], furtherOrders: 0, usedQuirks: [3]))
        #expect(try compare(swapped, quirk, scenario: "scan").differences.count == 1)
    }

    @Test("An excused pair does not hide another pair around it")
    func pairInside() throws {
        let events = [real[2], real[1], real[0]]
        let result = try compare(events, "* | signal dev * < reply Connect dev: * | slow")
        #expect(
            result.differences.map(\.kind) == [
                .order(earlier: real[0], later: real[1])
            ]
        )
        #expect(result.usedQuirks == [1])
    }

    @Test("A quirk of an event excuses a missing or an additional event")
    func event() throws {
        let quirk = "* | signal dev * | not simulated"
        #expect(try compare([real[0], real[2]], quirk).differences.isEmpty)
        #expect(try compare(real + ["signal dev Icon=\"x\""], quirk).differences.isEmpty)
        #expect(try compare([real[0], real[1]], quirk).differences.count == 1)
    }

    @Test(
        "An event pattern matches only the described events",
        arguments: [
            ("signal dev *", "signal dev RSSI=*", true), ("a*b*c", "abbc", true),
            ("a*b*c", "acb", false), ("ab*ba", "aba", false), ("x", "x", true), ("x", "xx", false),
            ("*", "", true), ("*end", "the end", true), ("*end", "the ends", false),
        ]
    )
    func glob(pattern: String, text: String, matches: Bool) {
        #expect(Glob.matches(pattern, text) == matches)
    }

    @Test(
        "A malformed quirk is rejected with its line number",
        arguments: [
            "connect", "connect | signal", "a | b | ", "a | b < c < d | reason", " | b | c",
        ]
    )
    func refused(line: String) {
        let failure = Quirks.Failure(description: "line 2: not “SCENARIO | EVENT | REASON”")
        #expect(throws: failure) { try Quirks(text: "# list\n" + line) }
    }

    @Test("Folders are compared by scenario; unused quirks and unmatched scenarios are listed")
    func folders() throws {
        let top = FileManager.default.temporaryDirectory
            .appending(path: "bus-trace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: top) }
        let folders = (
            real: top.appending(path: "r").path, simulated: top.appending(path: "s").path
        )
        func add(_ events: [String], _ scenario: String, _ folder: String) throws {
            try TraceFile.add(Trace(events), scenario: scenario, kind: "5.66", to: folder)
        }
        for scenario in ["connect", "scan", "pair"] { try add(real, scenario, folders.real) }
        try add(real, "connect", folders.simulated)
        try add([real[0], real[1]], "scan", folders.simulated)
        func report(_ names: [String]) throws -> TraceReport {
            try TraceReport(
                real: folders.real,
                simulated: folders.simulated,
                quirks: try Quirks(text: "sc* | signal x | a\nother | signal y | b"),
                names: names
            )
        }
        #expect(
            try report([]).text == """
                same     connect  5.66, 1 recordings; 5.66, 1 recordings
                differs  scan     5.66, 1 recordings; 5.66, 1 recordings: 1 differences
                alone    pair  has no recording on the other side

                scan
                  missing: “reply Connect dev: ok” is in every real recording, but not here
                        call Connect dev
                        signal dev Connected=true
                      > reply Connect dev: ok

                unused quirks:
                  line 1: sc* | signal x | a
                  line 2: other | signal y | b
                """
        )
        let one = try report(["con*"])
        #expect(one.isSame && one.unusedQuirks.isEmpty)
        #expect(try !report(["nothing"]).isSame)
        #expect(try !report([]).isSame)
    }
}
