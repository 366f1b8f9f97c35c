import Testing

@testable import BluejayTool

@Suite("Lines that fit a terminal")
struct WrappedTextTests {
    @Test("A line that fits, or has no width, stays as it is")
    func fits() {
        #expect("  one two".wrapped(to: 9) == ["  one two"])
        #expect("one two".wrapped(to: nil) == ["one two"])
        #expect("".wrapped(to: 1) == [""])
    }

    @Test("It is broken between words, and what follows is two columns further in")
    func broken() {
        #expect("  one two three".wrapped(to: 9) == ["  one two", "    three"])
        #expect("one two three four".wrapped(to: 9) == ["one two", "  three", "  four"])
    }

    @Test("A word that is longer than a line stays whole, on a line of its own")
    func longWord() {
        let path = "/var/run/dbus/system"
        #expect("a \(path) b".wrapped(to: 8) == ["a", "  " + path, "  b"])
        #expect("abcdefgh".wrapped(to: 4) == ["abcdefgh"])
    }

    @Test("Codes for colours take no room, wide characters take two columns")
    func width() {
        #expect("\u{1B}[31mone\u{1B}[0m two".wrapped(to: 7) == ["\u{1B}[31mone\u{1B}[0m two"])
        #expect("心拍 数".wrapped(to: 6) == ["心拍", "  数"])
    }
}
