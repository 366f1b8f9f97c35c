/// Reads the text of the demangler from its beginning.
struct TextReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }

    func hasPrefix(_ prefix: String) -> Bool { bytes[position...].starts(with: prefix.utf8) }

    mutating func consume(_ prefix: String) -> Bool {
        guard hasPrefix(prefix) else { return false }
        position += prefix.utf8.count
        return true
    }

    /// Takes an identifier, with its backticks if it has some.
    mutating func identifier() -> String {
        let start = position
        guard next == UInt8(ascii: "`") else {
            while let next, !".(<>), ".utf8.contains(next) { position += 1 }
            return text(from: start)
        }
        skipRawIdentifier()
        // A mangled name has no-break spaces in place of spaces.
        return String(text(from: start).map { $0 == "\u{A0}" ? " " : $0 })
    }

    /// Takes everything from an opening to its closing bracket.
    mutating func balanced() -> String {
        let start = position
        var depth = 0
        repeat { depth += skip() } while depth > 0 && position < bytes.count
        return text(from: start)
    }

    /// Takes everything up to a separator outside of brackets, or to the end.
    ///
    /// - Parameter separator: Skipped.
    /// - Returns: The text before the separator.
    mutating func piece(before separator: String) -> String {
        let start = position
        var depth = 0
        while position < bytes.count {
            if depth == 0, hasPrefix(separator) {
                let text = text(from: start)
                position += separator.utf8.count
                return text
            }
            depth += skip()
        }
        return text(from: start)
    }

    mutating func rest() -> String {
        let start = position
        position = bytes.count
        return text(from: start)
    }

    /// Skips a character, an arrow or a raw identifier.
    ///
    /// - Returns: 1 for an opening bracket, -1 for a closing one, otherwise 0.
    private mutating func skip() -> Int {
        if consume("->") { return 0 }
        switch next {
        case UInt8(ascii: "`"):
            skipRawIdentifier()
            return 0
        case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["):
            position += 1
            return 1
        case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "]"):
            position += 1
            return -1
        default:
            position += 1
            return 0
        }
    }

    private mutating func skipRawIdentifier() {
        position += 1
        while let next, next != UInt8(ascii: "`") { position += 1 }
        position = min(position + 1, bytes.count)
    }
}
