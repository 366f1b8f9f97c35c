internal import CBluejay
package import FoundationEssentials

/// Reads the arguments of a message where they lie, one after the other, without building a
/// `BusValue` for each.
///
/// It stands on one argument. A getter gives nil when that is of another type, and moves nothing; `next`
/// moves on, `enter` gives a reader of what a container holds. For `PropertiesChanged`, `sa{sv}as`:
///
/// ```swift
/// var arguments = message.reader
/// guard arguments.isString("org.bluez.GattCharacteristic1"), arguments.next(),
///     var changed = arguments.enter(), var entry = changed.enter(), !changed.next(),
///     entry.isString("Value"), entry.next(), entry.openVariant()
/// else { return }
/// let value = entry.data()
/// ```
///
/// It keeps the message alive. What it gives is a copy, which outlives both.
// A copy of an iterator is an iterator: it points into the message, which nobody changes once it has
// come. That is why a getter may look with a copy.
@safe package struct BusReader {
    /// The type of an argument; specified by the D-Bus specification, "Type System".
    package enum Kind: UInt8 {
        /// There is no argument, or none any more.
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
        case descriptor = 0x68
        case array = 0x61
        case variant = 0x76
        case structure = 0x72
        case dictionaryEntry = 0x65
    }

    private let message: BusMessage
    private var iterator: DBusMessageIter

    /// The type of the argument on which the reader stands.
    package private(set) var kind = Kind.end

    init(_ message: BusMessage) {
        self.message = message
        unsafe iterator = unsafe DBusMessageIter()
        if unsafe dbus_message_iter_init(message.pointer, &iterator) != 0 { look() }
    }

    private init(inside outer: BusReader, _ iterator: DBusMessageIter) {
        message = outer.message
        unsafe self.iterator = unsafe iterator
        look()
    }

    // MARK: Moving

    /// Moves to the next argument, element or field; false when there is none, and `kind` is `end`.
    @discardableResult
    package mutating func next() -> Bool {
        guard kind != .end else { return false }
        unsafe dbus_message_iter_next(&iterator)
        look()
        return kind != .end
    }

    /// A reader of what the array, dictionary entry, structure or variant holds; nil for other types.
    ///
    /// A dictionary is an array of entries, and an entry holds a key and a value. The reader of an empty
    /// array stands on `end`.
    package func enter() -> BusReader? {
        switch kind {
        case .array, .variant, .structure, .dictionaryEntry: break
        default: return nil
        }
        var outer = unsafe iterator
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&outer, &inner)
        return unsafe BusReader(inside: self, inner)
    }

    /// Moves into the variant on which the reader stands, for good; false when it is none.
    package mutating func openVariant() -> Bool {
        guard kind == .variant else { return false }
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        unsafe iterator = unsafe inner
        look()
        return true
    }

    /// Moves into the variant on which the reader stands, and into those that it holds.
    package mutating func openVariants() {
        while openVariant() {}
    }

    /// A reader of the entries of a dictionary, one in a variant too; nil for other types.
    ///
    /// An empty array of whatever is an empty dictionary.
    package func enterDictionary() -> BusReader? {
        var dictionary = self
        dictionary.openVariants()
        guard dictionary.kind == .array, let entries = dictionary.enter() else { return nil }
        return entries.kind == .dictionaryEntry || entries.kind == .end ? entries : nil
    }

    private mutating func look() {
        let type = unsafe dbus_message_iter_get_arg_type(&iterator)
        kind = Kind(rawValue: UInt8(truncatingIfNeeded: type)) ?? .end
    }

    // MARK: Values

    /// Whether the argument is a string of just these characters; builds nothing.
    package func isString(_ text: String) -> Bool {
        guard kind == .string, let characters = unsafe characters() else { return false }
        return unsafe text.withCString { unsafe strcmp($0, characters) } == 0
    }

    /// The place of the first of these texts that the argument is; builds nothing.
    package func position(in texts: [String]) -> Int? {
        guard kind == .string, let characters = unsafe characters() else { return nil }
        return texts.firstIndex { text in
            unsafe text.withCString { unsafe strcmp($0, characters) } == 0
        }
    }

    /// Whether the argument is an object path of just these characters; builds nothing.
    package func isPath(_ path: ObjectPath) -> Bool {
        guard kind == .objectPath, let characters = unsafe characters() else { return false }
        return unsafe path.text.withCString { unsafe strcmp($0, characters) } == 0
    }

    /// The text of a string.
    package func string() -> String? {
        guard kind == .string, let characters = unsafe characters() else { return nil }
        return unsafe String(cString: characters)
    }

    /// An object path.
    package func path() -> ObjectPath? {
        guard kind == .objectPath, let characters = unsafe characters() else { return nil }
        return ObjectPath(unchecked: unsafe String(cString: characters))
    }

    /// The value of a boolean.
    package func boolean() -> Bool? {
        guard kind == .boolean else { return nil }
        return unsafe basic().bool_val != 0
    }

    /// The value of any integer type that fits.
    package func integer() -> Int? {
        switch kind {
        case .byte: Int(unsafe basic().byt)
        case .int16: Int(unsafe basic().i16)
        case .uint16: Int(unsafe basic().u16)
        case .int32: Int(unsafe basic().i32)
        case .uint32: Int(exactly: unsafe basic().u32)
        case .int64: Int(exactly: unsafe basic().i64)
        case .uint64: Int(exactly: unsafe basic().u64)
        default: nil
        }
    }

    /// The bytes of an `ay`, copied once.
    package func data() -> Data? {
        guard let bytes = unsafe rawBytes() else { return nil }
        return unsafe Data(bytes)
    }

    /// The bytes of an `ay`, copied once.
    package func bytes() -> [UInt8]? {
        guard let bytes = unsafe rawBytes() else { return nil }
        return unsafe Array(bytes)
    }

    /// The argument as a value, whatever it is; nil at the end.
    ///
    /// A descriptor is duplicated by each call.
    package func value() -> BusValue? {
        guard kind != .end else { return nil }
        var iterator = unsafe iterator
        return try? unsafe MessageReader.value(&iterator)
    }

    /// The entries of an `a{sv}` by name, variants opened; nil when it is something else.
    ///
    /// Of two entries of one name the first counts.
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

    private func basic() -> DBusBasicValue {
        var iterator = unsafe iterator
        var basic = unsafe DBusBasicValue()
        unsafe dbus_message_iter_get_basic(&iterator, &basic)
        return unsafe basic
    }

    private func characters() -> UnsafePointer<CChar>? {
        var iterator = unsafe iterator
        var characters: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &characters)
        return unsafe characters
    }

    private func rawBytes() -> UnsafeBufferPointer<UInt8>? {
        guard kind == .array else { return nil }
        var iterator = unsafe iterator
        guard unsafe dbus_message_iter_get_element_type(&iterator) == BLUEJAY_TYPE_BYTE.code
        else { return nil }
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
        return unsafe UnsafeBufferPointer(start: start, count: unsafe start == nil ? 0 : Int(count))
    }
}
