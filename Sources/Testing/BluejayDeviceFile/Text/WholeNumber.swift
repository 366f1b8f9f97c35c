/// Numbers in JSON syntax, which YAML files use too.
enum WholeNumber {
    /// Parses an integer, such as `1000` or `1e3`; returns `nil` for any other text.
    static func read(_ text: String) -> Int? {
        guard isNumber(text) else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
    }

    /// Whether a text is a number (RFC 8259, section 6).
    static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func digits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        func take(_ bytes: StaticString...) -> Bool {
            guard let first = rest.first, bytes.contains(where: { "\($0)".utf8.first == first })
            else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = take("-")
        let isZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !isZero || whole == 1 else { return false }
        if take("."), digits() == 0 { return false }
        if take("e", "E") {
            _ = take("+", "-")
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
