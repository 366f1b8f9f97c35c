/// Bytes as pairs of hexadecimal digits.
package enum HexDigits {
    /// Parses pairs of digits, in either case; returns `nil` for any other text.
    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), digits.allSatisfy(isDigit) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
        }
    }

    /// Parses pairs of digits in common notations: `0x0102`, `01 02`, `01:02`, `01-02` and `01_02` are equal.
    ///
    /// Returns `nil` for any other text.
    static func written(_ text: String) -> [UInt8]? {
        let digits = text.withoutRadix.utf8.filter { !Array(" :-_".utf8).contains($0) }
        return bytes(String(decoding: digits, as: UTF8.self))
    }

    /// Formats bytes as pairs of digits, in lower case.
    package static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension String {
    /// The text without a leading `0x`.
    var withoutRadix: String { hasPrefix("0x") || hasPrefix("0X") ? String(dropFirst(2)) : self }
}
