internal import CBluejay

// Traversal of arguments in the form of the D-Bus specification, "Marshaling". libdbus has checked them
// against their signature.

extension UnsafePointer<UInt8> {
    /// Returns the number at an aligned position.
    func number<Number: BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        unsafe UnsafeRawPointer(self).loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Returns the text at a position aligned for its length.
    func characters(at offset: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: self + offset + 4,
            count: Int(number(at: offset, as: UInt32.self))
        )
    }

    /// Returns whether a signature begins with these types.
    func starts(with types: StaticString) -> Bool {
        unsafe strncmp(
            UnsafeRawPointer(self).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(types.utf8Start).assumingMemoryBound(to: CChar.self),
            types.utf8CodeUnitCount
        ) == 0
    }

    /// Returns the position after the value at `offset`, and advances `types` past its type.
    func skipValue(at offset: Int, _ types: inout UnsafePointer<UInt8>) -> Int {
        let code = unsafe types[0]
        unsafe types += 1
        switch code {
        case .typeByte: return offset + 1
        case .typeString, .typePath:
            let length = offset.aligned(to: 4)
            return unsafe length + 5 + Int(number(at: length, as: UInt32.self))
        case .typeArray:
            let length = offset.aligned(to: 4)
            let first = unsafe (length + 4).aligned(to: types[0].alignment)
            unsafe types = unsafe types.afterFirstType
            return unsafe first + Int(number(at: length, as: UInt32.self))
        case .typeVariant:
            var signature = unsafe self + offset + 1
            return unsafe skipValue(at: offset + 2 + Int(self[offset]), &signature)
        case .typeSignature: return unsafe offset + 2 + Int(self[offset])
        case .typeStructureBegin, .typeEntryBegin:
            var field = offset.aligned(to: 8)
            while unsafe !types[0].endsFields { unsafe field = skipValue(at: field, &types) }
            unsafe types += 1
            return field
        default: return offset.aligned(to: code.alignment) + code.alignment
        }
    }

    /// The signature after its first complete type.
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

    /// The first complete type of a signature; may be a dictionary entry.
    var firstType: String {
        // The most common types need no new text.
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
    /// Returns whether these are exactly the characters of a text.
    func equals(_ text: String) -> Bool {
        guard text.utf8.count == count, let start = baseAddress else { return false }
        return unsafe text.withCString { unsafe memcmp($0, start, count) } == 0
    }
}

extension Int {
    /// Rounds up to a multiple of 1, 2, 4 or 8.
    func aligned(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}

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

    /// The alignment of values of this type; the size of a number equals its alignment.
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
