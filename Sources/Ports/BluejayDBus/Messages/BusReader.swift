internal import CBluejay
package import FoundationEssentials

/// Reads the arguments of a message in place, one by one, without building a `BusValue` for each.
///
/// The reader is positioned at one argument. A getter returns nil if the argument has another type, and does
/// not advance; `next` advances, and `enter` returns a reader of a container's content. For
/// `PropertiesChanged`, `sa{sv}as`:
///
/// ```swift
/// var arguments = message.reader
/// guard arguments.isString("org.bluez.GattCharacteristic1"), arguments.next(),
///     var changed = arguments.enter(), var entry = changed.enter(), !changed.next(),
///     entry.isString("Value"), entry.next(), entry.openVariant()
/// else { return nil }
/// return entry.data()
/// ```
///
/// The reader keeps the message alive. Returned values are copies, which outlive both.
// The reader follows the signature through the bytes of the message; `MessageBody` explains why it stays
// inside. Copies of a reader advance separately.
@safe package struct BusReader {
    /// The type of an argument; see the D-Bus specification, "Type System".
    package enum Kind: UInt8 {
        /// No argument is left.
        case end = 0
        case byte = 0x79
        case boolean = 0x62
        case int16 = 0x6E
        case uint16 = 0x71
        case int32 = 0x69
        case uint32 = 0x75
        case int64 = 0x78
        case uint64 = 0x74
        case double = 0x64
        case string = 0x73
        case objectPath = 0x6F
        case signature = 0x67
        case fileDescriptor = 0x68
        case array = 0x61
        case variant = 0x76
        case structure = 0x28
        case dictionaryEntry = 0x7B
    }

    let message: BusMessage
    private let body: UnsafePointer<UInt8>
    /// The signature, from the type of the current argument on.
    private(set) var types: UnsafePointer<UInt8>
    /// The position of the argument in the body, before alignment.
    private var offset: Int
    /// The end of the array whose elements are read; -1 outside of arrays.
    private let end: Int

    /// The type of the current argument.
    package private(set) var kind = Kind.end

    init(_ message: BusMessage) {
        self.message = message
        let content = message.body
        unsafe body = unsafe content.start
        unsafe types = unsafe content.signature
        offset = 0
        end = -1
        peek()
    }

    private init(
        inside outer: BusReader,
        _ types: UnsafePointer<UInt8>,
        at offset: Int,
        end: Int = -1
    ) {
        message = outer.message
        unsafe body = unsafe outer.body
        unsafe self.types = unsafe types
        self.offset = offset
        self.end = end
        peek()
    }

    // MARK: Advancing

    /// Advances to the next argument, element or field; returns false at the end, where `kind` is `end`.
    @discardableResult
    package mutating func next() -> Bool {
        guard kind != .end else { return false }
        var following = unsafe types
        offset = unsafe body.skipValue(at: offset, &following)
        // The elements of an array have the same type.
        if end < 0 { unsafe types = unsafe following }
        peek()
        return kind != .end
    }

    /// Returns a reader of the content of an array, dictionary entry, structure or variant; nil for other
    /// types.
    ///
    /// A dictionary is an array of entries, and an entry holds a key and a value. The reader of an empty
    /// array is at `end`.
    package func enter() -> BusReader? {
        switch kind {
        case .array:
            let elements = elements
            return unsafe BusReader(
                inside: self,
                types + 1,
                at: elements.lowerBound,
                end: elements.upperBound
            )
        case .structure, .dictionaryEntry:
            return unsafe BusReader(inside: self, types + 1, at: offset.aligned(to: 8))
        case .variant:
            let content = offset + 2 + Int(unsafe body[offset])
            return unsafe BusReader(inside: self, body + offset + 1, at: content)
        default: return nil
        }
    }

    /// Moves into the current variant permanently; returns false for any other type.
    package mutating func openVariant() -> Bool {
        guard kind == .variant, let inner = enter() else { return false }
        self = inner
        return true
    }

    /// Moves into the current variant, and into nested ones.
    package mutating func openVariants() {
        while openVariant() {}
    }

    /// Returns a reader of the entries of a dictionary, also inside a variant; nil for other types.
    ///
    /// An empty array of any type is an empty dictionary.
    package func enterDictionary() -> BusReader? {
        var dictionary = self
        dictionary.openVariants()
        guard dictionary.kind == .array, let entries = dictionary.enter() else { return nil }
        return entries.kind == .dictionaryEntry || entries.kind == .end ? entries : nil
    }

    private mutating func peek() {
        let isInside = end < 0 || offset < end
        kind = isInside ? unsafe Kind(rawValue: types[0]) ?? .end : .end
    }

    /// The positions of the elements of the current array.
    private var elements: Range<Int> {
        let length = offset.aligned(to: 4)
        let first = unsafe (length + 4).aligned(to: types[1].alignment)
        return unsafe first..<first + Int(body.number(at: length, as: UInt32.self))
    }

    /// Returns the value of a property, of any type, if the arguments are those of a `PropertiesChanged`,
    /// `sa{sv}as`, for this property only; otherwise nil.
    ///
    /// Equivalent to reading step by step, but much cheaper: most signals are read this way.
    package func onlyChange(of interface: String, to property: String) -> BusReader? {
        guard isString(interface), unsafe types.starts(with: Self.changes) else { return nil }
        let length = unsafe (offset.aligned(to: 4) + 5 + characters.count).aligned(to: 4)
        let entry = (length + 4).aligned(to: 8)
        let end = unsafe entry + Int(body.number(at: length, as: UInt32.self))
        guard entry < end, unsafe body.characters(at: entry).equals(property) else { return nil }
        let variant = unsafe entry + 5 + body.characters(at: entry).count
        let held = unsafe variant + 2 + Int(body[variant])
        var type = unsafe body + variant + 1
        guard unsafe body.skipValue(at: held, &type) == end else { return nil }
        return unsafe BusReader(inside: self, body + variant + 1, at: held)
    }

    private static var changes: StaticString { "sa{sv}" }

    // MARK: Values

    /// Returns whether the argument is a string with exactly these characters; builds no text.
    package func isString(_ text: String) -> Bool {
        guard kind == .string else { return false }
        return unsafe characters.equals(text)
    }

    /// Returns the index of the first of these texts that equals the argument; builds no text.
    package func position(in texts: [String]) -> Int? {
        guard kind == .string else { return nil }
        let characters = unsafe characters
        return texts.firstIndex { unsafe characters.equals($0) }
    }

    package func isPath(_ path: ObjectPath) -> Bool {
        guard kind == .objectPath else { return false }
        return unsafe characters.equals(path.text)
    }

    package func string() -> String? {
        kind == .string ? text : nil
    }

    package func path() -> ObjectPath? {
        kind == .objectPath ? ObjectPath(unchecked: text) : nil
    }

    package func boolean() -> Bool? {
        guard kind == .boolean else { return nil }
        return number(as: UInt32.self) != 0
    }

    /// Returns the value of any integer type that fits into `Int`.
    package func integer() -> Int? {
        switch kind {
        case .byte: Int(number(as: UInt8.self))
        case .int16: Int(number(as: Int16.self))
        case .uint16: Int(number(as: UInt16.self))
        case .int32: Int(number(as: Int32.self))
        case .uint32: Int(exactly: number(as: UInt32.self))
        case .int64: Int(exactly: number(as: Int64.self))
        case .uint64: Int(exactly: number(as: UInt64.self))
        default: nil
        }
    }

    /// Returns the bytes of an `ay`, copied once.
    package func data() -> Data? {
        guard let bytes = unsafe rawBytes else { return nil }
        return unsafe Data(bytes)
    }

    /// Returns the bytes of an `ay`, copied once.
    package func bytes() -> [UInt8]? {
        guard let bytes = unsafe rawBytes else { return nil }
        return unsafe Array(bytes)
    }

    /// Returns the argument as a value of any type; nil at the end.
    ///
    /// Each call duplicates a descriptor.
    package func value() -> BusValue? { MessageReader.value(self) }

    /// Returns the entries of an `a{sv}` by name, without their variants; nil for other types.
    ///
    /// If a name occurs twice, the first entry counts.
    package func namedValues() -> [String: BusValue]? {
        guard var entries = enterDictionary() else { return nil }
        var values: [String: BusValue] = [:]
        while var entry = entries.enter() {
            guard let name = entry.string(), entry.next() else { return nil }
            entry.openVariants()
            guard let value = entry.value() else { return nil }
            if values[name] == nil { values[name] = value }
            entries.next()
        }
        return values
    }
}

// MARK: Bytes

extension BusReader {
    /// The text of a string, path or signature.
    var text: String { unsafe String(decoding: characters, as: UTF8.self) }

    /// Returns the current number, of a type of this size.
    func number<Number: BitwiseCopyable>(as type: Number.Type) -> Number {
        unsafe body.number(at: offset.aligned(to: MemoryLayout<Number>.size), as: type)
    }

    /// The signature of the elements of the current array.
    var elementSignature: String { unsafe (types + 1).firstType }

    /// The signatures of the keys and values of the current dictionary; nil for any other array.
    var entrySignatures: (key: String, value: String)? {
        guard unsafe types[1] == .typeEntryBegin else { return nil }
        // A key is always one character.
        return unsafe ((types + 2).firstType, (types + 3).firstType)
    }

    func isAtOffset(of other: BusReader) -> Bool { offset == other.offset && kind == other.kind }

    private var characters: UnsafeBufferPointer<UInt8> {
        if kind == .signature {
            return unsafe UnsafeBufferPointer(
                start: body + offset + 1,
                count: Int(body[offset])
            )
        }
        return unsafe body.characters(at: offset.aligned(to: 4))
    }

    private var rawBytes: UnsafeBufferPointer<UInt8>? {
        guard kind == .array, unsafe types[1] == .typeByte else { return nil }
        let elements = elements
        return unsafe UnsafeBufferPointer(
            start: body + elements.lowerBound,
            count: elements.count
        )
    }
}
