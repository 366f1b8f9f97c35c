internal import BluejayDeviceFile
internal import FoundationEssentials
internal import Yams

/// A device file in YAML, with the line of each value.
///
/// The field decides between number and string, not the spelling: `2A37`, `0059` and `1e3` can be unquoted
/// strings.
struct YAMLText {
    /// The number of values, with each use of an alias, may exceed the number of bytes by this much.
    private static let maximumAliasExpansion = 100_000

    /// `nil` if no string can contain a NUL.
    private var quotes: YAMLQuotes?
    private let maximumCount: Int
    private var count = 0

    private init(_ bytes: [UInt8]) {
        quotes = YAMLQuotes(bytes)
        maximumCount = bytes.count + Self.maximumAliasExpansion
    }

    /// Parses one document.
    ///
    /// - Throws: ``DeviceFileError`` with the line of the syntax error.
    static func read(_ data: Data) throws(DeviceFileError) -> FileNode {
        let bytes = try FileText.bytes(of: data)
        let lines = YAMLScan.lines(bytes)
        let scan = YAMLScan(lines)
        // The parser is recursive.
        if let line = scan.lineOfDepth(above: FileNode.maximumDepth) { throw tooDeep(line) }
        // The parser compares whole keys with all their aliases expanded.
        if let line = scan.lineOfKeyWithAliases { throw noName(line) }
        let root: Node?
        do {
            root = try compose(
                yaml: String(decoding: bytes, as: UTF8.self),
                .default,
                .default,
                .utf8
            )
        } catch {
            throw DeviceFileError(place: "", "is not YAML: \(reason(error, bytes))")
        }
        guard let root else { throw DeviceFileError(place: "", "is empty") }
        var reader = YAMLText(lines)
        return try reader.node(root, depth: 0)
    }

    private static func tooDeep(_ line: Int) -> DeviceFileError {
        DeviceFileError(place: "", "has more than \(FileNode.maximumDepth) levels", line: line)
    }

    private static func noName(_ line: Int) -> DeviceFileError {
        DeviceFileError(place: "", "has a field name that is not a string", line: line)
    }

    private static func reason(_ error: any Error, _ bytes: [UInt8]) -> String {
        func at(_ mark: Mark) -> String { " in line \(mark.line), column \(mark.column)" }
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return problem + at(mark)
        case .duplicatedKeysInMapping(let keys, let context):
            return "\(keys.joined(separator: ", ")) appears twice" + at(context.mark)
        case .reader(let problem, let offset, _, _):
            return problem + (offset.map { " in line \(FileText.line(of: $0, in: bytes))" } ?? "")
        default: return "unknown error"
        }
    }

    // MARK: Nodes

    private mutating func node(_ node: Node, depth: Int) throws(DeviceFileError) -> FileNode {
        let line = node.mark?.line ?? 1
        count += 1
        guard count <= maximumCount else {
            throw DeviceFileError(
                place: "",
                "has more than \(maximumCount) values, including those repeated by aliases",
                line: line
            )
        }
        guard depth <= FileNode.maximumDepth else { throw Self.tooDeep(line) }
        switch node {
        case .scalar(let scalar):
            return FileNode(line: line, content: try content(scalar))
        case .mapping(let mapping):
            return FileNode(line: line, content: try object(mapping, depth))
        case .sequence(let sequence):
            var nodes: [FileNode] = []
            nodes.reserveCapacity(sequence.count)
            for element in sequence { nodes.append(try self.node(element, depth: depth + 1)) }
            return FileNode(line: line, content: .list(nodes))
        case .alias:
            throw DeviceFileError(place: "", "has an alias without an anchor", line: line)
        }
    }

    private mutating func object(
        _ mapping: Node.Mapping,
        _ depth: Int
    ) throws(DeviceFileError) -> FileNode.Content {
        var fields: [FileNode.Field] = []
        var names = FieldNames()
        for (key, value) in mapping {
            let line = key.mark?.line ?? 1
            guard case .scalar(let name) = key else { throw Self.noName(line) }
            try checkNUL(name)
            // The parser treats equal names with different tags as different.
            guard names.insert(name.string) else {
                throw DeviceFileError(place: "", "has \(name.string) twice", line: line)
            }
            let node = try node(value, depth: depth + 1)
            fields.append(FileNode.Field(name: name.string, value: node))
        }
        return .object(fields)
    }

    private mutating func content(
        _ scalar: Node.Scalar
    ) throws(DeviceFileError) -> FileNode.Content {
        try checkNUL(scalar)
        guard scalar.style == .plain || scalar.style == .any else { return .text(scalar.string) }
        let isNull = ["", "~", "null", "Null", "NULL"].contains(scalar.string)
        return isNull ? .null : .plain(scalar.string)
    }

    private mutating func checkNUL(_ scalar: Node.Scalar) throws(DeviceFileError) {
        guard scalar.style == .doubleQuoted, let mark = scalar.mark else { return }
        if quotes?.hasNUL(inLine: mark.line, column: mark.column) == true {
            throw FileText.nul(inLine: mark.line)
        }
    }
}
