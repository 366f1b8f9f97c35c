import Foundation
import TestSupport
import Testing

@testable import BusTrace

@Suite("A trace file")
struct TraceFileTests {
    @Test("Equal recordings are stored once and counted")
    func counts() {
        var file = TraceFile(kind: "bluetoothd 5.66")
        file.add(Trace(["call Connect dev", "reply Connect dev: ok"]))
        file.add(Trace(["call Connect dev"]))
        file.add(Trace(["call Connect dev", "reply Connect dev: ok"]))
        #expect(
            file.text == """
                # bluetoothd 5.66, 2 of 3 recordings
                call Connect dev
                reply Connect dev: ok
                ----
                # bluetoothd 5.66, 1 of 3 recordings
                call Connect dev

                """
        )
    }

    @Test(
        "The text of a file is parsed into the same recordings",
        arguments: 0..<50 as Range<UInt64>
    )
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = ["signal dev Connected=true", "error X: \"a # b, c ---- d\"", "→ \"ü\\n\""]
        var file = TraceFile(kind: "bluetoothd 5.\(seed), patched")
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let events = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                words[Int.random(in: 0..<words.count, using: &random)]
            }
            file.add(Trace(events), count: Int.random(in: 1...9, using: &random))
        }
        #expect(try TraceFile(text: file.text) == file, "seed \(seed)")
    }

    @Test(
        "A malformed file is rejected with the line number",
        arguments: [
            ("", "the last recording is missing"),
            ("call Connect dev\n", "line 1: expected an event after a header"),
            ("# five recordings\n", "line 1: not “# KIND, N of M recordings”"),
            ("# x, 0 of 0 recordings\n", "line 1: not “# KIND, N of M recordings”"),
            ("# x, 1 of 1 recordings\na\n\n", "line 3: expected an event after a header"),
            ("----\n", "line 1: a recording has no header"),
            ("# x, 1 of 1 recordings\n----\n", "the last recording is missing"),
        ]
    )
    func refused(text: String, failure: String) {
        #expect(throws: TraceFile.Failure(description: failure)) { try TraceFile(text: text) }
    }

    @Test("A recording is added to the file of its scenario, which must have the same kind")
    func adding() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "bus-trace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let trace = Trace(["call Connect dev"])
        for _ in 0..<2 {
            try TraceFile.add(trace, scenario: "It connects, 2×!", kind: "5.66", to: folder.path)
        }
        let file = folder.appending(path: "It-connects-2.trace").path
        #expect(try TraceFile(contentsOf: file).recordings == [.init(trace, count: 2)])
        #expect(throws: TraceFile.Failure.self) {
            try TraceFile.add(trace, scenario: "It connects 2", kind: "5.86", to: folder.path)
        }
    }
}
