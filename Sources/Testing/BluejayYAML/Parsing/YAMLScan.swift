internal import BluejayDeviceFile

/// Checks of a YAML text before the parser reads it.
///
/// The scan ignores quoting: it may reject a harmless text, but it misses nothing.
struct YAMLScan {
    private let bytes: [UInt8]

    /// - Parameter bytes: Text with line feeds only, as `lines(_:)` returns it.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Replaces each line break of YAML 1.1 (CR, CR LF, NEL, LS and PS) with a line feed.
    static func lines(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        var place = 0
        func isThere(_ other: [UInt8]) -> Bool { bytes[place...].starts(with: other) }
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case 0x0D where isThere([0x0D, 0x0A]), 0xC2 where isThere([0xC2, 0x85]):
                lines.append(FileText.newline)
                place += 2
            case 0xE2 where isThere([0xE2, 0x80, 0xA8]) || isThere([0xE2, 0x80, 0xA9]):
                lines.append(FileText.newline)
                place += 3
            default:
                lines.append(byte == 0x0D ? FileText.newline : byte)
                place += 1
            }
        }
        return lines
    }

    // MARK: Depth

    /// The first line that may exceed a depth, counting open brackets and the indicators that begin a line.
    func lineOfDepth(above deepest: Int) -> Int? {
        var open = 0
        var start = 0
        var isStart = true
        var line = 1
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"): (start, isStart, line) = (0, true, line + 1)
            case UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): open = max(0, open - 1)
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
                if isStart { start += 1 }
                guard start <= 2 * deepest else { return line }
                continue
            default: break
            }
            if byte != UInt8(ascii: "\n") { isStart = false }
            guard open <= deepest else { return line }
        }
        return nil
    }

    // MARK: Keys

    /// The first line of a key that may be a list, an object or an alias, in a text with aliases; otherwise
    /// `nil`.
    ///
    /// The parser compares keys by their whole content, which nested aliases can make exponentially large.
    var lineOfKeyWithAliases: Int? {
        guard hasName(behind: UInt8(ascii: "&")), hasName(behind: UInt8(ascii: "*")) else {
            return nil
        }
        var line = 1
        // Whether only blanks and indicators that may begin a value precede the byte in its line.
        var isAtStart = true
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case FileText.newline: (line, isAtStart) = (line + 1, true)
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "?"):
                if isAtStart { return line }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if isColon(behind: place + 1) { return line }
                isAtStart = false
            case UInt8(ascii: "*"):
                if isColon(behind: endOfName(place + 1)) { return line }
                isAtStart = false
            case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","): isAtStart = true
            case UInt8(ascii: "-"), UInt8(ascii: ":"): break
            default: isAtStart = false
            }
        }
        return nil
    }

    private func hasName(behind sign: UInt8) -> Bool {
        bytes.indices.contains { bytes[$0] == sign && endOfName($0 + 1) > $0 + 1 }
    }

    private func endOfName(_ start: Int) -> Int {
        var place = start
        while place < bytes.count, Self.isOfName(bytes[place]) { place += 1 }
        return place
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    private func isColon(behind start: Int) -> Bool {
        var place = start
        while place < bytes.count, [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(bytes[place]) {
            place += 1
        }
        return place < bytes.count && bytes[place] == UInt8(ascii: ":")
    }
}
