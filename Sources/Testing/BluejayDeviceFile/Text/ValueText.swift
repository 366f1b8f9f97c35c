/// A value in a file: `"value"` with hexadecimal digits, or `"text"`.
enum ValueText {
    /// The longest value of an attribute (Core Specification, Vol 3, Part F, 3.2.9).
    static let maximumLength = 512
    /// Shorter values may be numbers that happen to look like letters.
    private static let minimumTextLength = 4

    /// Reads the value of an object; returns `nil` if it has neither field.
    static func read(
        _ fields: ObjectFields,
        maximumLength: Int = maximumLength
    ) throws(DeviceFileError) -> [UInt8]? {
        let digits = try fields.optionalText("value")
        let text = try fields.optionalText("text")
        let bytes: [UInt8]
        switch (digits, text) {
        case (nil, nil): return nil
        case (_?, _?):
            throw fields.failure("text", "cannot be combined with \"value\"")
        case (let digits?, nil):
            guard let read = HexDigits.written(digits) else {
                throw fields.failure("value", "must be pairs of hexadecimal digits")
            }
            bytes = read
        case (nil, let text?): bytes = Array(text.utf8)
        }
        guard bytes.count <= maximumLength else {
            let key = digits == nil ? "text" : "value"
            throw fields.failure(key, "has \(bytes.count) bytes; the limit is \(maximumLength)")
        }
        return bytes
    }

    static func required(
        _ fields: ObjectFields,
        maximumLength: Int = maximumLength
    ) throws(DeviceFileError) -> [UInt8] {
        guard let value = try read(fields, maximumLength: maximumLength) else {
            throw fields.failure("value", "is missing; write \"value\" or \"text\"")
        }
        return value
    }

    /// Writes a value, as text if every byte is printable.
    static func write(
        _ value: [UInt8],
        to container: inout KeyedEncodingContainer<FieldKey>
    ) throws {
        let isText =
            value.count >= minimumTextLength && value.allSatisfy { (0x20...0x7E).contains($0) }
        if isText {
            try container.encode(String(decoding: value, as: UTF8.self), forKey: FieldKey("text"))
        } else {
            try container.encode(HexDigits.text(value), forKey: FieldKey("value"))
        }
    }
}
