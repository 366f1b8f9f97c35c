import Testing

@testable import BluejayTool

@Suite("Wrapping lines")
struct WrappedTextTests {
    @Test("A line that fits, or without a width, is unchanged")
    func fits() {
        #expect("  one two".wrapped(to: 9) == ["  one two"])
        #expect("one two".wrapped(to: nil) == ["one two"])
        #expect("".wrapped(to: 1) == [""])
    }

    @Test("A line is broken between words, and continuation lines are indented by two columns")
    func broken() {
        #expect("  one two three".wrapped(to: 9) == ["  one two", "    three"])
        #expect("one two three four".wrapped(to: 9) == ["one two", "  three", "  four"])
    }

    @Test("A word longer than the width stays whole on a separate line")
    func longWord() {
        let path = "/var/run/dbus/system"
        #expect("a \(path) b".wrapped(to: 8) == ["a", "  " + path, "  b"])
        #expect("abcdefgh".wrapped(to: 4) == ["abcdefgh"])
    }

    @Test("Escape sequences take no columns, and wide characters two")
    func width() {
        #expect("\u{1B}[31mone\u{1B}[0m two".wrapped(to: 7) == ["\u{1B}[31mone\u{1B}[0m two"])
        #expect("心拍 数".wrapped(to: 6) == ["心拍", "  数"])
    }
}
