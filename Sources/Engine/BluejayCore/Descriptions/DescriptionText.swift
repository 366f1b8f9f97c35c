package import FoundationEssentials

/// Parts of the descriptions of values, on one line and without control characters.
package enum DescriptionText {
    /// Joins the parts that are present.
    package static func line(_ parts: String?...) -> String {
        parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// All stored properties of a value by their names, with absent ones.
    package static func all(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        let fields = mirror.children.map { "\($0.label ?? "_"): \(text($0.value))" }
        return "\(type(of: value))(\(fields.joined(separator: ", ")))"
    }

    /// A number with a unit, or `nil`.
    package static func number(_ number: (some CustomStringConvertible)?, _ unit: String) -> String?
    {
        number.map { "\($0) \(unit)" }
    }

    /// The numbers of the bits that are set, such as `bits 0, 4`.
    package static func bits(_ number: some BinaryInteger) -> String {
        let bits = (0..<number.bitWidth).filter { number >> $0 & 1 != 0 }.map { "\($0)" }
        return list("bits", bits) ?? "none"
    }

    /// Bytes as hexadecimal digits.
    package static func bytes(_ data: Data) -> String {
        data.isEmpty
            ? "no bytes"
            : data.map { Hexadecimal.text(UInt64($0), digits: 2, isUppercase: true) }.joined()
    }

    /// A list, or `nil` if it is empty.
    package static func list(_ label: String, _ texts: [String]) -> String? {
        texts.isEmpty ? nil : "\(label) \(texts.joined(separator: ", "))"
    }

    private static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { text($0.value) } ?? "nil"
        }
        switch value {
        case let text as String: return "\"\(text.displayText)\""
        case let data as Data: return bytes(data)
        default: return "\(value)"
        }
    }
}

extension BluetoothUUID {
    /// The standard name and the number, such as `Heart Rate (180D)`, or the UUID alone.
    package var namedText: String {
        let text = uuidString.displayText
        return standardName.map { "\($0) (\(text))" } ?? text
    }

    /// The standard name and the number, followed by the instance if that is not 0.
    package func namedText(_ instance: Int) -> String {
        instance == 0 ? namedText : "\(namedText) instance \(instance)"
    }
}

extension ServiceIdentifier {
    /// Such as `Heart Rate (180D)`.
    package var namedText: String { isAny ? description : uuid.namedText(instance) }
}

extension CharacteristicIdentifier {
    /// Such as `Heart Rate Measurement (2A37)`.
    package var namedText: String { uuid.namedText(instance) }
}
