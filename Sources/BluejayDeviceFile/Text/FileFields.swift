/// The name of a field, or the number of one in a list.
struct FileKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The fields of one object of a file; those that nobody knows are refused.
struct FileFields {
    private let container: KeyedDecodingContainer<FileKey>

    /// Reads an object that has these fields at most.
    init(_ decoder: any Decoder, known: [String]) throws {
        container = try decoder.container(keyedBy: FileKey.self)
        // The decoder has them in no order: the same file has the same error.
        let unknown = container.allKeys.map(\.stringValue).filter { !known.contains($0) }.min()
        if let unknown {
            throw failure(
                unknown,
                "is not known here; possible are \(known.joined(separator: ", "))"
            )
        }
    }

    func optional<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        let key = FileKey(name)
        return container.contains(key) ? try container.decode(type, forKey: key) : nil
    }

    func required<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        try container.decode(type, forKey: FileKey(name))
    }

    /// Reads a number without a fraction.
    func whole(_ name: String) throws -> Int {
        // As a number of any kind first: the decoder has no place for one that is no `Int`.
        guard let number = Int(exactly: try required(Double.self, name)) else {
            throw failure(name, "is not a whole number")
        }
        return number
    }

    /// Reads a UUID that is not one of those which a device has by itself.
    func uuid(_ name: String, except reserved: [String], because reason: String) throws
        -> AttributeUUID
    {
        let text = try required(String.self, name)
        guard let uuid = AttributeUUID(text) else { throw failure(name, Self.noUUID(text)) }
        guard !reserved.contains(uuid.description) else { throw failure(name, reason) }
        return uuid
    }

    static func noUUID(_ text: String) -> String {
        "is not a UUID of 4, 8 or 36 characters: \(text)"
    }

    /// What is wrong with a field, or with one of a list.
    func failure(_ name: String, at index: Int? = nil, _ words: String) -> DeviceFileError {
        let path = container.codingPath.map { $0 as any CodingKey } + [FileKey(name)]
        return DeviceFileError(place: DeviceFileError.place(path, index), words)
    }
}
