import BluejayCommandLine
import BluejayDeviceFile

/// Literals and comments of Swift with text from a file, which can end neither of them.
enum SwiftText {
    /// Returns a string literal.
    static func literal(_ text: some StringProtocol) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    /// Returns a string literal, in several parts if it is longer than `columns`.
    static func parts(_ text: String, columns: Int) -> [String] {
        var parts: [String] = []
        var part = ""
        for scalar in text.unicodeScalars {
            let next = escaped(scalar)
            if part.count + next.count + 2 > columns {
                parts.append("\"\(part)\"")
                part = ""
            }
            part += next
        }
        return parts + ["\"\(part)\""]
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\\", "\"": return "\\\(scalar)"
        case " "..."~": return String(scalar)
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .otherLetter, .decimalNumber, .otherSymbol,
            .mathSymbol, .currencySymbol, .otherPunctuation, .dashPunctuation:
            return String(scalar)
        default: return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    /// Returns text for a comment: on one line, without the marks of a sentence, of Markdown and of terminals.
    static func comment(_ text: String, maximumLength: Int = 32) -> String {
        let plain = text.printable.map { character in
            ".!?;`*_[]<>\\\u{FFFD}".contains(character) || character.isNewline ? " " : character
        }
        let words = String(plain).split(separator: " ").joined(separator: " ")
        guard words.count > maximumLength else { return words }
        return words.prefix(maximumLength - 1) + "…"
    }

    /// Returns bytes as an array literal in one line.
    static func bytes(_ bytes: [UInt8]) -> SwiftExpression {
        .array(bytes.map { .text("0x" + HexDigits.text([$0]).uppercased()) })
    }

    /// Returns the bytes of a text as a text, other bytes as an array.
    static func value(_ bytes: [UInt8]) -> SwiftExpression {
        let isText =
            (4...40).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
        guard isText else { return Self.bytes(bytes) }
        return .text("Array(\(literal(String(decoding: bytes, as: UTF8.self))).utf8)")
    }
}
