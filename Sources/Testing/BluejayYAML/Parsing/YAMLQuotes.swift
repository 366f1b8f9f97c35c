internal import BluejayDeviceFile

/// Finds double-quoted strings with an escaped NUL, where libyaml would cut them.
///
/// It passes through the file once, so queries must follow the order of the strings.
struct YAMLQuotes {
    private static let backslash = UInt8(ascii: "\\")
    private static let quote = UInt8(ascii: "\"")

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var column = 1

    /// Returns `nil` for a file that contains no such escape.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let mayEscape = bytes.indices.contains {
            bytes[$0] == Self.backslash && isNUL(behind: $0)
        }
        guard mayEscape else { return nil }
    }

    /// Whether the string at a position contains such an escape.
    ///
    /// Lines and characters count from 1; a tag or an anchor may precede the quotes. Returns false for a
    /// string that an earlier query has passed.
    mutating func hasNUL(inLine line: Int, column: Int) -> Bool {
        guard (line, column) >= (self.line, self.column) else { return false }
        move(to: line, column)
        var place = position
        while place < bytes.count, bytes[place] != Self.quote { place += 1 }
        place += 1
        while place < bytes.count, bytes[place] != Self.quote {
            guard bytes[place] == Self.backslash else {
                place += 1
                continue
            }
            if isNUL(behind: place) { return true }
            place += 2
        }
        return false
    }

    private mutating func move(to line: Int, _ column: Int) {
        while position < bytes.count, (self.line, self.column) < (line, column) {
            let byte = bytes[position]
            position += 1
            if byte == FileText.newline {
                (self.line, self.column) = (self.line + 1, 1)
            } else if position >= bytes.count || bytes[position] & 0xC0 != 0x80 {
                self.column += 1
            }
        }
    }

    /// Whether `0`, `x00`, `u0000` or `U00000000` follows a backslash.
    private func isNUL(behind backslash: Int) -> Bool {
        let rest = bytes[(backslash + 1)...]
        let count: Int
        switch rest.first {
        case UInt8(ascii: "0"): return true
        case UInt8(ascii: "x"): count = 2
        case UInt8(ascii: "u"): count = 4
        case UInt8(ascii: "U"): count = 8
        default: return false
        }
        let digits = rest.dropFirst().prefix(count)
        return digits.count == count && digits.allSatisfy { $0 == UInt8(ascii: "0") }
    }
}
