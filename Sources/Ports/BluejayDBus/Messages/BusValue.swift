/// A value of the D-Bus type system (D-Bus specification, "Type System").
///
/// The signature is derived from the value; empty containers carry the signature of their elements. Only
/// recursive cases are heap objects: a byte or a text is not.
package enum BusValue: Equatable, Swift.Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(String)
    case fileDescriptor(BusFileDescriptor)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// Any other array; every element has the signature `element`.
    case array([BusValue], element: String)
    /// An array of dictionary entries, in the order in which they are sent or were received.
    indirect case dictionary([BusEntry], key: String, value: String)
    case structure([BusValue])
    indirect case variant(BusValue)

    /// The signature of the value, one complete type.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .fileDescriptor: "h"
        case .bytes: "ay"
        case .array(_, let element): "a" + element
        case .dictionary(_, let key, let value): "a{" + key + value + "}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }
}

package struct BusEntry: Equatable, Swift.Sendable {
    package var key: BusValue
    package var value: BusValue

    package init(_ key: BusValue, _ value: BusValue) {
        self.key = key
        self.value = value
    }
}

/// Properties by name, in the order in which they are sent.
package typealias BusProperties = [(name: String, value: BusValue)]

extension BusValue {
    package static func properties(_ properties: BusProperties) -> BusValue {
        .dictionary(
            properties.map { BusEntry(.string($0.name), .variant($0.value)) },
            key: "s",
            value: "v"
        )
    }

    package static func strings(_ texts: [String]) -> BusValue {
        .array(texts.map { .string($0) }, element: "s")
    }

    /// The value inside a variant, or the value itself.
    package var unwrapped: BusValue {
        if case .variant(let inner) = self { return inner.unwrapped }
        return self
    }

    package var text: String? {
        if case .string(let text) = unwrapped { return text }
        return nil
    }

    package var boolean: Bool? {
        if case .boolean(let value) = unwrapped { return value }
        return nil
    }

    package var path: ObjectPath? {
        if case .objectPath(let path) = unwrapped { return path }
        return nil
    }

    /// The bytes of an `ay`, or nil.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = unwrapped { return bytes }
        return nil
    }

    /// The value of any integer type, or nil if it does not fit into `Int`.
    package var integer: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(exactly: value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// Returns the value of one integer type, or nil for any other type.
    package func integer(as type: BusReader.Kind) -> Int? {
        switch (unwrapped, type) {
        case (.byte, .byte), (.int16, .int16), (.uint16, .uint16), (.int32, .int32),
            (.uint32, .uint32), (.int64, .int64), (.uint64, .uint64):
            integer
        default: nil
        }
    }

    /// The elements of an array of strings, or nil if an element has another type.
    package var texts: [String]? {
        guard case .array(let elements, _) = unwrapped else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }

    package var elements: [BusValue]? {
        if case .array(let elements, _) = unwrapped { return elements }
        return nil
    }

    package var entries: [BusEntry]? {
        if case .dictionary(let entries, _, _) = unwrapped { return entries }
        return nil
    }

    /// The entries of an `a{sv}` by name, without their variants; nil for other types.
    package var namedValues: [String: BusValue]? {
        guard let entries else { return nil }
        var values: [String: BusValue] = [:]
        for entry in entries {
            guard let name = entry.key.text else { return nil }
            values[name] = entry.value.unwrapped
        }
        return values
    }
}
