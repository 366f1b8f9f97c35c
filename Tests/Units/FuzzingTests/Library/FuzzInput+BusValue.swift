import Foundation

@testable import BluejayDBus

/// A type of D-Bus (D-Bus specification, "Type System"), without descriptors.
indirect enum FuzzedType {
    case basic(Character)
    case variant
    case array(FuzzedType)
    case dictionary(Character, FuzzedType)
    case structure([FuzzedType])

    var signature: String {
        switch self {
        case .basic(let code): String(code)
        case .variant: "v"
        case .array(let element): "a" + element.signature
        case .dictionary(let key, let value): "a{\(key)\(value.signature)}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        }
    }
}

extension FuzzInput {
    private static let basicTypes = Array("ybnqiuxtdsog")

    mutating func type(depth: Int = 0) -> FuzzedType {
        let number = number(below: depth < 4 ? 16 : 12)
        switch number {
        case 12: return .variant
        case 13: return .array(type(depth: depth + 1))
        case 14: return .dictionary(choice(of: Self.basicTypes), type(depth: depth + 1))
        case 15:
            return .structure((0...self.number(below: 3)).map { _ in type(depth: depth + 1) })
        default: return .basic(Self.basicTypes[number])
        }
    }

    /// A value of any type.
    mutating func value(depth: Int = 0) -> BusValue {
        let type = type(depth: depth)
        return value(of: type, depth: depth)
    }

    mutating func value(of type: FuzzedType, depth: Int = 0) -> BusValue {
        switch type {
        case .basic(let code): return basic(code)
        case .variant: return .variant(depth < 6 ? value(depth: depth + 1) : .byte(0))
        case .array(.basic("y")): return .bytes([UInt8](bytes()))
        case .array(let element):
            let elements = (0..<number(below: 5)).map { _ in value(of: element, depth: depth + 1) }
            return .array(elements, element: element.signature)
        case .dictionary(let key, let content):
            let entries = (0..<number(below: 5)).map { _ in
                BusEntry(basic(key), value(of: content, depth: depth + 1))
            }
            return .dictionary(entries, key: String(key), value: content.signature)
        case .structure(let fields):
            return .structure(fields.map { value(of: $0, depth: depth + 1) })
        }
    }

    private mutating func basic(_ code: Character) -> BusValue {
        switch code {
        case "y": return .byte(byte())
        case "b": return .boolean(flag())
        case "n": return .int16(integer())
        case "q": return .uint16(integer())
        case "i": return .int32(integer())
        case "u": return .uint32(integer())
        case "x": return .int64(integer())
        case "t": return .uint64(integer())
        case "d":
            let number = Double(bitPattern: integer())
            // NaN differs from itself.
            return .double(number.isNaN ? 0 : number)
        case "s": return .string(text())
        case "o": return .objectPath(choice(of: ["/", "/a", "/org/bluez/hci0/dev_0/s/c"]))
        default: return .signature(choice(of: ["", "s", "a{sv}", "(yy)ai"]))
        }
    }
}

extension BusMessage {
    /// A signal with these arguments, or `nil` if D-Bus cannot represent them.
    static func fuzzed(_ arguments: [BusValue], at path: ObjectPath = .root) -> BusMessage? {
        try? signal(path: path, interface: "a.b", member: "c", arguments: arguments)
    }
}
