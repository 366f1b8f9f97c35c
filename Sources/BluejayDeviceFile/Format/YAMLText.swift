internal import FoundationEssentials
internal import Yams

/// A device file in YAML, as the JSON that says the same.
///
/// What is a number and what is a text is decided by the field, not by the looks: `2A37`, `0059` and `1e3`
/// are texts without quotes, too.
enum YAMLText {
    /// The fields whose values are no texts.
    private static let numbers: Set = ["version", "milliseconds"]
    private static let booleans: Set = ["primary"]
    /// More than any device has; aliases count each time that they are used.
    private static let largestCount = 1_000_000
    /// A device has five levels.
    private static let deepest = 100

    /// Reads one document.
    ///
    /// - Throws: ``DeviceFileError``, with the line where it is no YAML.
    static func json(_ bytes: Data) throws(DeviceFileError) -> Data {
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw DeviceFileError(place: "", "is not UTF-8")
        }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        // The parser calls itself for each level.
        guard isShallow(text) else { throw tooDeep }
        let root: Node?
        do {
            root = try compose(yaml: text, .default, .default, .utf8)
        } catch {
            throw DeviceFileError(place: "", "is not YAML: \(reason(error))")
        }
        guard let root else { throw DeviceFileError(place: "", "is empty") }
        var writer = Writer()
        try writer.write(root, as: nil, depth: 0)
        return Data(writer.json.utf8)
    }

    private static var tooDeep: DeviceFileError {
        DeviceFileError(place: "", "has more than \(deepest) levels")
    }

    /// Whether no value can be deeper than is read: brackets that are open, and what a line begins with.
    private static func isShallow(_ text: String) -> Bool {
        var open = 0
        var start = 0
        var isStart = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): (start, isStart) = (0, true)
            case UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): open = max(0, open - 1)
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
                if isStart { start += 1 }
                guard start <= 2 * deepest else { return false }
                continue
            default: break
            }
            if byte != UInt8(ascii: "\n") { isStart = false }
            guard open <= deepest else { return false }
        }
        return true
    }

    private static func reason(_ error: any Error) -> String {
        func at(_ mark: Mark) -> String { " in line \(mark.line), column \(mark.column)" }
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return problem + at(mark)
        case .duplicatedKeysInMapping(let keys, let context):
            return "\(keys.joined(separator: ", ")) is there twice" + at(context.mark)
        case .reader(let problem, _, _, _): return problem
        default: return "it cannot be read"
        }
    }

    /// Writes nodes as JSON.
    private struct Writer {
        var json = ""
        private var count = 0

        mutating func write(_ node: Node, as field: String?, depth: Int) throws(DeviceFileError) {
            count += 1
            guard count <= largestCount else {
                throw DeviceFileError(place: "", "has more than \(largestCount) values")
            }
            guard depth <= deepest else { throw tooDeep }
            switch node {
            case .scalar(let scalar): try write(scalar, as: field)
            case .mapping(let mapping): try write(mapping, depth)
            case .sequence(let sequence):
                json += "["
                for (index, node) in sequence.enumerated() {
                    if index > 0 { json += "," }
                    try write(node, as: field, depth: depth + 1)
                }
                json += "]"
            case .alias: throw DeviceFileError(place: "", "has an alias of what is not there")
            }
        }

        /// What is null is not there.
        private mutating func write(_ mapping: Node.Mapping, _ depth: Int) throws(DeviceFileError) {
            json += "{"
            var isFirst = true
            for (key, value) in mapping where !isNull(value) {
                guard case .scalar(let name) = key else {
                    throw DeviceFileError(place: "", "has a field whose name is no text")
                }
                if !isFirst { json += "," }
                isFirst = false
                try quote(name.string)
                json += ":"
                try write(value, as: name.string, depth: depth + 1)
            }
            json += "}"
        }

        private mutating func write(
            _ scalar: Node.Scalar,
            as field: String?
        ) throws(DeviceFileError) {
            let isPlain = scalar.style == .plain || scalar.style == .any
            let text = scalar.string
            switch field {
            case let field? where isPlain && numbers.contains(field) && isNumber(text),
                let field? where isPlain && booleans.contains(field) && isBoolean(text):
                json += text
            default:
                if isNull(.scalar(scalar)) { json += "null" } else { try quote(text) }
            }
        }

        private func isNull(_ node: Node) -> Bool {
            guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any
            else { return false }
            return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
        }

        private func isNumber(_ text: String) -> Bool {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            return (1...15).contains(digits.utf8.count)
                && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                && (digits.utf8.first != UInt8(ascii: "0") || digits == "0")
        }

        private func isBoolean(_ text: String) -> Bool { text == "true" || text == "false" }

        private mutating func quote(_ text: String) throws(DeviceFileError) {
            do {
                json += String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            } catch {
                throw DeviceFileError(place: "", "has a text that cannot be read: \(error)")
            }
        }
    }
}
