package import FoundationEssentials

/// A device file in JSON (RFC 8259), with the line of each value.
///
/// As in YAML, a comma may follow the last value of a list or object, and names must be unique.
package struct JSONText {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses one document.
    ///
    /// - Throws: ``DeviceFileError`` with the line of the syntax error.
    package static func read(_ data: Data) throws(DeviceFileError) -> FileNode {
        var reader = JSONText(try FileText.bytes(of: data))
        reader.skipSpace()
        guard reader.next != nil else { throw DeviceFileError(place: "", "is empty") }
        let node = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.next == nil else {
            throw reader.failure("unexpected text after the end of the document")
        }
        return node
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(DeviceFileError) -> FileNode {
        guard depth <= FileNode.maximumDepth else {
            throw DeviceFileError(
                place: "",
                "has more than \(FileNode.maximumDepth) levels",
                line: line
            )
        }
        let line = line
        switch next {
        case UInt8(ascii: "{"): return FileNode(line: line, content: try object(depth))
        case UInt8(ascii: "["): return FileNode(line: line, content: try list(depth))
        case UInt8(ascii: "\""): return FileNode(line: line, content: .text(try text()))
        default: return FileNode(line: line, content: try literal())
        }
    }

    private mutating func object(_ depth: Int) throws(DeviceFileError) -> FileNode.Content {
        var fields: [FileNode.Field] = []
        var names = FieldNames()
        position += 1
        while try !isEnd(UInt8(ascii: "}"), isFirst: fields.isEmpty) {
            guard next == UInt8(ascii: "\"") else {
                throw failure("expected a field name in quotes")
            }
            let start = self
            let name = try text()
            guard names.insert(name) else { throw start.failure("\(name) appears twice") }
            skipSpace()
            guard consume(UInt8(ascii: ":")) else { throw failure("expected a colon") }
            skipSpace()
            fields.append(FileNode.Field(name: name, value: try value(depth: depth + 1)))
        }
        return .object(fields)
    }

    private mutating func list(_ depth: Int) throws(DeviceFileError) -> FileNode.Content {
        var nodes: [FileNode] = []
        position += 1
        while try !isEnd(UInt8(ascii: "]"), isFirst: nodes.isEmpty) {
            nodes.append(try value(depth: depth + 1))
        }
        return .list(nodes)
    }

    /// Consumes the end of a list or object, or the comma before the next value.
    private mutating func isEnd(_ end: UInt8, isFirst: Bool) throws(DeviceFileError) -> Bool {
        skipSpace()
        if consume(end) { return true }
        if !isFirst {
            guard consume(UInt8(ascii: ",")) else {
                throw failure("expected a comma or \(Character(Unicode.Scalar(end)))")
            }
            skipSpace()
            if consume(end) { return true }
        }
        return false
    }

    private mutating func literal() throws(DeviceFileError) -> FileNode.Content {
        let start = self
        while let byte = next, !Self.isDelimiter(byte) { position += 1 }
        let word = String(decoding: bytes[start.position..<position], as: UTF8.self)
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        case "": throw failure("expected a value")
        default:
            guard WholeNumber.isNumber(word) else {
                throw start.failure("\(word.prefix(40)) is not a value; a string requires quotes")
            }
            return .number(word)
        }
    }

    // MARK: Texts

    private mutating func text() throws(DeviceFileError) -> String {
        position += 1
        var text = ""
        var start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                text.unicodeScalars.append(try escape())
                start = position
            case 0..<0x20: throw failure("a string contains a control character")
            default: position += 1
            }
        }
        throw failure("unterminated string")
    }

    private mutating func escape() throws(DeviceFileError) -> Unicode.Scalar {
        let start = self
        position += 1
        guard let byte = next else { throw failure("unterminated string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw start.failure("unknown escape sequence in a string")
        }
        guard let first = unit() else {
            throw start.failure("\\u requires four hexadecimal digits")
        }
        if let scalar = Unicode.Scalar(first) {
            guard scalar.value > 0 else { throw FileText.nul(inLine: line) }
            return scalar
        }
        // A character above U+FFFF is a surrogate pair.
        guard first < 0xDC00, consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")),
            let second = unit(),
            (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
            )
        else { throw start.failure("\\u with half of a surrogate pair") }
        return scalar
    }

    private mutating func unit() -> UInt16? {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy(HexDigits.isDigit)
        else {
            return nil
        }
        defer { position += 4 }
        return UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "\n"):
                position += 1
                (line, lineStart) = (line + 1, position)
            default: return
            }
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"),
            UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""):
            true
        default: false
        }
    }

    private func failure(_ reason: String) -> DeviceFileError {
        let column = position - lineStart + 1
        return DeviceFileError(
            place: "",
            "is not JSON: \(reason) in line \(line), column \(column)"
        )
    }
}
