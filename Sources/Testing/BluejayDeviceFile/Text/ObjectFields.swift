struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The fields of one object of a file; unknown fields are rejected.
///
/// A null field counts as missing.
package struct ObjectFields {
    private let fields: [FileNode.Field]
    private let place: FilePlace
    private let line: Int

    /// Creates the fields of an object; fields not in `known` throw.
    package init(
        _ node: FileNode,
        at place: FilePlace,
        known: [String]
    ) throws(DeviceFileError) {
        self.place = place
        line = node.line
        guard case .object(let fields) = node.content else {
            throw DeviceFileError(place: "\(place)", "is not an object", line: node.line)
        }
        self.fields = fields
        if let unknown = fields.first(where: { !known.contains($0.name) }) {
            throw failure(
                unknown.name,
                "is an unknown field; use one of \(known.joined(separator: ", "))"
            )
        }
    }

    // MARK: Reading

    /// The value of a field, or `nil` if the field is missing or null.
    private func value(_ name: String) -> FileNode? {
        guard let value = fields.first(where: { $0.name == name })?.value else { return nil }
        if case .null = value.content { return nil }
        return value
    }

    private func required<Value>(
        _ name: String,
        _ read: (String) throws(DeviceFileError) -> Value?
    ) throws(DeviceFileError) -> Value {
        guard let value = try read(name) else { throw failure(name, "is missing") }
        return value
    }

    package func optionalText(_ name: String) throws(DeviceFileError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw failure(name, "is not a string") }
        return text
    }

    package func text(_ name: String) throws(DeviceFileError) -> String {
        try required(name) { name throws(DeviceFileError) in try optionalText(name) }
    }

    func optionalBoolean(_ name: String) throws(DeviceFileError) -> Bool? {
        switch value(name)?.content {
        case nil: return nil
        case .boolean(let value): return value
        case .plain("true"): return true
        case .plain("false"): return false
        default: throw failure(name, "must be true or false")
        }
    }

    package func whole(_ name: String) throws(DeviceFileError) -> Int {
        switch value(name)?.content {
        case nil: throw failure(name, "is missing")
        case .number(let text), .plain(let text):
            if let number = WholeNumber.read(text) { return number }
        default: break
        }
        throw failure(name, "is not a whole number")
    }

    /// Reads a number that may be missing.
    package func optionalNumber(_ name: String) throws(DeviceFileError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.number else { throw failure(name, "is not a number") }
        return number
    }

    /// Reads a list that may be missing; `read` receives each value with its position.
    package func optionalList<Value>(
        _ name: String,
        _ read: (FileNode, FilePlace) throws(DeviceFileError) -> Value
    ) throws(DeviceFileError) -> [Value] {
        guard let value = value(name) else { return [] }
        guard case .list(let nodes) = value.content else { throw failure(name, "is not a list") }
        var values: [Value] = []
        values.reserveCapacity(nodes.count)
        let list = FilePlace.field(place, name)
        for (index, node) in nodes.enumerated() {
            values.append(try read(node, .item(list, index)))
        }
        return values
    }

    func optionalTexts(_ name: String) throws(DeviceFileError) -> [String] {
        try optionalList(name) { node, place throws(DeviceFileError) in
            if let text = node.text { return text }
            throw DeviceFileError(place: "\(place)", "is not a string", line: node.line)
        }
    }

    package func has(_ name: String) -> Bool { value(name) != nil }

    /// The value of a field, or `nil` if the field is missing or null.
    package func node(_ name: String) -> FileNode? { value(name) }

    /// Reads a UUID, except those reserved for attributes that every device has.
    func uuid(
        _ name: String,
        except reserved: [String],
        because reason: String
    ) throws(DeviceFileError) -> AttributeUUID {
        let text = try text(name)
        guard let uuid = AttributeUUID(text) else {
            throw failure(name, Self.invalidUUIDMessage(text))
        }
        guard !reserved.contains(uuid.description) else { throw failure(name, reason) }
        return uuid
    }

    static func invalidUUIDMessage(_ text: String) -> String {
        "is not a UUID of 4, 8 or 36 characters: \(text)"
    }

    // MARK: Failing

    /// Returns an error about a field or an element of its list, with the line of the value.
    package func failure(_ name: String, at index: Int? = nil, _ words: String) -> DeviceFileError {
        let field = FilePlace.field(place, name)
        let node = fields.first { $0.name == name }?.value
        var line = node?.line ?? line
        if let index, case .list(let nodes)? = node?.content, nodes.indices.contains(index) {
            line = nodes[index].line
        }
        let place = index.map { FilePlace.item(field, $0) } ?? field
        return DeviceFileError(place: "\(place)", words, line: line)
    }
}

extension FileNode {
    /// The value as a finite number, or `nil`.
    package var number: Double? {
        switch content {
        case .number(let text), .plain(let text):
            guard WholeNumber.isNumber(text), let number = Double(text), number.isFinite else {
                return nil
            }
            return number
        default: return nil
        }
    }

    /// The elements of a list, or `nil`.
    package var list: [FileNode]? {
        if case .list(let nodes) = content { return nodes }
        return nil
    }

    fileprivate var text: String? {
        switch content {
        case .text(let text), .plain(let text): text
        default: nil
        }
    }
}
