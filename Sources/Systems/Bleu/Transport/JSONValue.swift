internal import FoundationEssentials

/// The JSON of values on the air.
enum JSONValue {
    static func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        return try decoder.decode(type, from: data)
    }

    /// Splits a JSON array.
    ///
    /// The elements may be invalid. `JSONDecoder` can decode arrays only as a whole, but the types of arguments
    /// become known one by one.
    ///
    /// - Parameter array: The text of the array.
    /// - Returns: The text of each element, or `nil` if `array` is no array.
    static func elements(of array: Data) -> [Data]? {
        let space = " \t\r\n".utf8
        let trimmed = array.drop { space.contains($0) }
        guard trimmed.first == UInt8(ascii: "[") else { return nil }
        var elements: [Data] = []
        var start = trimmed.startIndex + 1
        var depth = 1
        var isString = false
        var isEscaped = false
        for index in start..<trimmed.endIndex {
            let byte = trimmed[index]
            if isString {
                if byte == UInt8(ascii: "\""), !isEscaped { isString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 1:
                elements.append(Data(trimmed[start..<index]))
                start = index + 1
            default: break
            }
            guard depth == 0 else { continue }
            guard byte == UInt8(ascii: "]"),
                trimmed[(index + 1)...].allSatisfy({ space.contains($0) })
            else { return nil }
            let last = Data(trimmed[start..<index])
            if !elements.isEmpty || !last.allSatisfy({ space.contains($0) }) {
                elements.append(last)
            }
            return elements
        }
        return nil
    }
}
