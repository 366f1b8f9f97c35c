internal import CBluejay

// Walking through arguments in the form of the D-Bus specification, "Marshaling"; what is walked through
// has been checked against its signature.

extension UnsafePointer<UInt8> {
    /// The number that lies at a place that is aligned for it.
    func number<Number: BitwiseCopyable>(at place: Int, as type: Number.Type) -> Number {
        unsafe UnsafeRawPointer(self).loadUnaligned(fromByteOffset: place, as: type)
    }

    /// The text that lies at a place that is aligned for its length.
    func characters(at place: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: self + place + 4,
            count: Int(number(at: place, as: UInt32.self))
        )
    }

    /// Whether these are the first characters of a signature.
    func begin(with types: StaticString) -> Bool {
        unsafe strncmp(
            UnsafeRawPointer(self).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(types.utf8Start).assumingMemoryBound(to: CChar.self),
            types.utf8CodeUnitCount
        ) == 0
    }

    /// The place behind the value at `place`; moves `types` behind its type.
    func skipValue(at place: Int, _ types: inout UnsafePointer<UInt8>) -> Int {
        let code = unsafe types[0]
        unsafe types += 1
        switch code {
        case .typeByte: return place + 1
        case .typeString, .typePath:
            let length = place.aligned(to: 4)
            return unsafe length + 5 + Int(number(at: length, as: UInt32.self))
        case .typeArray:
            let length = place.aligned(to: 4)
            let first = unsafe (length + 4).aligned(to: types[0].alignment)
            unsafe types = unsafe types.afterFirstType
            return unsafe first + Int(number(at: length, as: UInt32.self))
        case .typeVariant:
            var held = unsafe self + place + 1
            return unsafe skipValue(at: place + 2 + Int(self[place]), &held)
        case .typeSignature: return unsafe place + 2 + Int(self[place])
        case .typeStructureBegin, .typeEntryBegin:
            var field = place.aligned(to: 8)
            while unsafe !types[0].endsFields { unsafe field = skipValue(at: field, &types) }
            unsafe types += 1
            return field
        default: return place.aligned(to: code.alignment) + code.alignment
        }
    }

    /// What follows the first complete type of a signature.
    var afterFirstType: UnsafePointer<UInt8> {
        var types = unsafe self
        while unsafe types[0] == .typeArray { unsafe types += 1 }
        guard unsafe types[0] == .typeStructureBegin || types[0] == .typeEntryBegin else {
            return unsafe types + 1
        }
        unsafe types += 1
        while unsafe !types[0].endsFields { unsafe types = unsafe types.afterFirstType }
        return unsafe types + 1
    }

    /// The first complete type of a signature, an entry of a dictionary too.
    var firstType: String {
        // Nearly all are one of these.
        switch unsafe self[0] {
        case .typeString: return "s"
        case .typeVariant: return "v"
        default: break
        }
        let length = unsafe afterFirstType - self
        let characters = unsafe UnsafeBufferPointer(start: self, count: length)
        return unsafe String(decoding: characters, as: UTF8.self)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these are the characters of a text, and no more.
    func hold(_ text: String) -> Bool {
        guard text.utf8.count == count, let start = baseAddress else { return false }
        return unsafe text.withCString { unsafe memcmp($0, start, count) } == 0
    }
}

extension Int {
    /// The next multiple of 1, 2, 4 or 8.
    func aligned(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}

/// The codes of types in a signature.
extension UInt8 {
    static var typeByte: UInt8 { 0x79 }
    static var typeString: UInt8 { 0x73 }
    static var typePath: UInt8 { 0x6F }
    static var typeSignature: UInt8 { 0x67 }
    static var typeArray: UInt8 { 0x61 }
    static var typeVariant: UInt8 { 0x76 }
    static var typeStructureBegin: UInt8 { 0x28 }
    static var typeStructureEnd: UInt8 { 0x29 }
    static var typeEntryBegin: UInt8 { 0x7B }
    static var typeEntryEnd: UInt8 { 0x7D }

    var endsFields: Bool { self == .typeStructureEnd || self == .typeEntryEnd }

    /// How values of this type are aligned; a number is as long as that.
    var alignment: Int {
        switch self {
        case .typeByte, .typeSignature, .typeVariant: 1
        // n and q.
        case 0x6E, 0x71: 2
        // x, t and d.
        case .typeStructureBegin, .typeEntryBegin, 0x78, 0x74, 0x64: 8
        default: 4
        }
    }
}
