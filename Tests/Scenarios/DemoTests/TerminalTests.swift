import BluejayCommandLine
import Foundation
import Testing

@Suite("Output of the demos")
struct TerminalTests {
    private let plain = Terminal(isInteractive: false, hasColor: true)
    private let full = Terminal(isInteractive: true, hasColor: true)

    @Test("A dumb terminal is not interactive, and NO_COLOR disables colours")
    func environment() {
        func features(_ isTerminal: Bool, _ environment: [String: String]) -> [Bool] {
            let terminal = Terminal(isOutputATerminal: isTerminal, environment: environment)
            return [terminal.isInteractive, terminal.hasColor]
        }
        #expect(features(true, ["TERM": "xterm"]) == [true, true])
        #expect(features(true, ["TERM": "xterm", "NO_COLOR": "1"]) == [true, false])
        #expect(features(true, ["TERM": "xterm", "NO_COLOR": ""]) == [true, true])
        #expect(features(true, ["TERM": "dumb"]) == [false, false])
        #expect(features(true, [:]) == [false, false])
        #expect(features(false, ["TERM": "xterm"]) == [false, false])
    }

    @Test("Text is styled only on a terminal")
    func styles() {
        #expect(full.styled("on", .green) == "\u{1B}[32mon\u{1B}[0m")
        #expect(plain.styled("on", .green) == "on")
    }

    @Test("Lines replace the previous lines only on a terminal")
    func redrawing() {
        #expect(full.redraw(["a"], over: 0) == "a\u{1B}[K\n\u{1B}[J")
        #expect(full.redraw(["a", "b"], over: 3) == "\u{1B}[3A\ra\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
        #expect(plain.redraw(["a", "b"], over: 3) == "a\nb\n")
    }

    @Test("Printable text contains no control characters")
    func printable() {
        #expect("Sensor é✓ 心".printable == "Sensor é✓ 心")
        #expect("a\u{1B}[2J\r\nb\u{9B}\u{7F}\u{202E}".printable == "a�[2J��b���")
    }

    @Test("A value is one line of JSON with sorted keys")
    func json() throws {
        struct Row: Encodable {
            let name: String
            let address: String
            let bytes: Data
            let at: Date
        }
        let row = Row(
            name: "a\n/b",
            address: "C4",
            bytes: Data([1, 0xAB]),
            at: Date(timeIntervalSince1970: 0.25)
        )
        #expect(
            try JSONLines().line(row)
                == #"{"address":"C4","at":"1970-01-01T00:00:00.250Z","bytes":"01ab","name":"a\n/b"}"#
        )
        #expect(throws: EncodingError.self) { try JSONLines().line([Double.nan]) }
    }
}
