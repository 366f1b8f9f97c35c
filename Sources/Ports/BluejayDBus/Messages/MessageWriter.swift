internal import CBluejay
internal import FoundationEssentials

/// Appends values to a message, after checks for errors that would make libdbus abort or the bus disconnect.
@safe struct MessageWriter {
    /// The maximum depth of nested containers, including variants; D-Bus specification, "Valid Signatures"
    /// and "Marshalling containers".
    private static let maximumDepth = 64
    /// The maximum length of an array in bytes; D-Bus specification, "Marshalling containers".
    private static let maximumArrayLength = 1 << 26

    /// - Throws: An error if D-Bus cannot represent a value; the message is unusable then.
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        guard !values.isEmpty else { return }
        try check(values)
        var writer = unsafe MessageWriter(message)
        for value in values { try writer.append(value) }
    }

    /// Checks the limits of the whole signature: 255 characters, 32 nested arrays or structures.
    static func check(_ values: [BusValue]) throws(BusError) {
        // A plain type has at most five characters.
        if values.count <= 32, values.allSatisfy(\.hasPlainType) { return }
        try check(signature: values.map(\.signature).joined())
    }

    private var iterator: DBusMessageIter
    private let depth: Int

    init(_ message: OpaquePointer) {
        unsafe iterator = unsafe DBusMessageIter()
        depth = 0
        unsafe dbus_message_iter_init_append(message, &iterator)
    }

    private init(inside depth: Int) {
        unsafe iterator = unsafe DBusMessageIter()
        self.depth = depth + 1
    }

    mutating func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .string(let text): try append(string: text)
        case .objectPath(let path): try append(text: path.text, BLUEJAY_TYPE_OBJECT_PATH)
        case .signature(let text):
            try Self.check(signature: text)
            try append(text: text, BLUEJAY_TYPE_SIGNATURE)
        case .bytes(let bytes): try append(bytes: bytes)
        case .array(let elements, let element): try append(elements, of: element)
        case .dictionary(let entries, let key, let content):
            if key == "s", content == "v" {
                try append(properties: entries)
            } else {
                try append(entries, key, content)
            }
        case .structure(let fields):
            guard !fields.isEmpty else { throw .invalidArguments("a structure needs a field") }
            try appendContainer(BLUEJAY_TYPE_STRUCT, nil) { (inner) throws(BusError) in
                for field in fields { try inner.append(field) }
            }
        case .variant(let inner): try append(variant: inner)
        default: try appendNumber(value)
        }
    }

    // MARK: Basic types

    private mutating func appendNumber(_ value: BusValue) throws(BusError) {
        var basic = unsafe DBusBasicValue()
        let type: bluejay_type_code
        switch value {
        case .byte(let number): (type, unsafe basic.byt) = (BLUEJAY_TYPE_BYTE, number)
        case .boolean(let flag):
            (type, unsafe basic.bool_val) = (BLUEJAY_TYPE_BOOLEAN, flag ? 1 : 0)
        case .int16(let number): (type, unsafe basic.i16) = (BLUEJAY_TYPE_INT16, number)
        case .uint16(let number): (type, unsafe basic.u16) = (BLUEJAY_TYPE_UINT16, number)
        case .int32(let number): (type, unsafe basic.i32) = (BLUEJAY_TYPE_INT32, number)
        case .uint32(let number): (type, unsafe basic.u32) = (BLUEJAY_TYPE_UINT32, number)
        case .int64(let number):
            (type, unsafe basic.i64) = (BLUEJAY_TYPE_INT64, dbus_int64_t(number))
        case .uint64(let number):
            (type, unsafe basic.u64) = (BLUEJAY_TYPE_UINT64, dbus_uint64_t(number))
        case .double(let number): (type, unsafe basic.dbl) = (BLUEJAY_TYPE_DOUBLE, number)
        case .fileDescriptor(let descriptor):
            guard descriptor.number >= 0 else { throw .invalidArguments("no open descriptor") }
            (type, unsafe basic.fd) = (BLUEJAY_TYPE_UNIX_FD, descriptor.number)
        default: throw .invalidArguments("\(value.signature) is not a basic type")
        }
        try Self.check(unsafe dbus_message_iter_append_basic(&iterator, type.code, &basic))
    }

    mutating func append(string text: String) throws(BusError) {
        guard !text.containsNUL else { throw .invalidArguments("a text holds a NUL") }
        try append(text: text, BLUEJAY_TYPE_STRING)
    }

    private mutating func append(text: String, _ type: bluejay_type_code) throws(BusError) {
        let appended = unsafe text.withCString { characters in
            var pointer: UnsafePointer<CChar>? = unsafe characters
            return unsafe dbus_message_iter_append_basic(&iterator, type.code, &pointer)
        }
        try Self.check(appended)
    }

    // MARK: Bytes

    mutating func append(bytes: some ContiguousBytes) throws(BusError) {
        try appendContainer(BLUEJAY_TYPE_ARRAY, "y") { (inner) throws(BusError) in
            let (count, appended) = unsafe bytes.withUnsafeBytes {
                unsafe ($0.count, $0.count > Self.maximumArrayLength ? 1 : inner.appendElements($0))
            }
            guard count <= Self.maximumArrayLength else {
                throw .invalidArguments("an array is too long")
            }
            try Self.check(appended)
        }
    }

    private mutating func appendElements(_ bytes: UnsafeRawBufferPointer) -> dbus_bool_t {
        guard bytes.count > 0 else { return 1 }
        var start = bytes.baseAddress
        return unsafe dbus_message_iter_append_fixed_array(
            &iterator,
            BLUEJAY_TYPE_BYTE.code,
            &start,
            Int32(bytes.count)
        )
    }

    // MARK: Containers

    private mutating func append(
        _ elements: [BusValue],
        of element: String
    ) throws(BusError) {
        if element == "s" {
            return try appendContainer(BLUEJAY_TYPE_ARRAY, "s") { (inner) throws(BusError) in
                for item in elements {
                    guard case .string(let text) = item else { throw Self.misfit(item, element) }
                    try inner.append(string: text)
                }
            }
        }
        for item in elements where item.signature != element { throw Self.misfit(item, element) }
        try Self.check(type: element)
        try appendContainer(BLUEJAY_TYPE_ARRAY, element) { (inner) throws(BusError) in
            for item in elements { try inner.append(item) }
        }
    }

    private mutating func append(
        _ entries: [BusEntry],
        _ key: String,
        _ content: String
    ) throws(BusError) {
        try Self.check(type: "a{\(key)\(content)}")
        try appendContainer(BLUEJAY_TYPE_ARRAY, "{\(key)\(content)}") {
            (inner) throws(BusError) in
            for entry in entries {
                guard entry.key.signature == key, entry.value.signature == content else {
                    throw Self.misfit(entry, key, content)
                }
                try inner.appendContainer(BLUEJAY_TYPE_DICT_ENTRY, nil) {
                    (inner) throws(BusError) in
                    try inner.append(entry.key)
                    try inner.append(entry.value)
                }
            }
        }
    }

    /// Writes an `a{sv}`, the most common container.
    private mutating func append(properties: [BusEntry]) throws(BusError) {
        try appendProperties { (inner) throws(BusError) in
            for entry in properties {
                guard case .string(let name) = entry.key, case .variant(let value) = entry.value
                else { throw Self.misfit(entry, "s", "v") }
                try inner.appendProperty(name) { (inner) throws(BusError) in
                    try inner.append(variant: value)
                }
            }
        }
    }

    mutating func appendProperties(
        _ fill: (inout MessageWriter) throws(BusError) -> Void
    ) throws(BusError) {
        try appendContainer(BLUEJAY_TYPE_ARRAY, "{sv}", fill)
    }

    /// Writes one entry of an `a{sv}`; `value` writes a variant.
    mutating func appendProperty(
        _ name: String,
        _ value: (inout MessageWriter) throws(BusError) -> Void
    ) throws(BusError) {
        try appendContainer(BLUEJAY_TYPE_DICT_ENTRY, nil) { (inner) throws(BusError) in
            try inner.append(string: name)
            try value(&inner)
        }
    }

    private mutating func append(variant value: BusValue) throws(BusError) {
        let type = value.signature
        if !value.hasPlainType { try Self.check(type: type) }
        try appendVariant(type) { (inner) throws(BusError) in try inner.append(value) }
    }

    mutating func appendVariant(
        _ type: String,
        _ fill: (inout MessageWriter) throws(BusError) -> Void
    ) throws(BusError) {
        try appendContainer(BLUEJAY_TYPE_VARIANT, type, fill)
    }

    private mutating func appendContainer(
        _ type: bluejay_type_code,
        _ signature: String?,
        _ fill: (inout MessageWriter) throws(BusError) -> Void
    ) throws(BusError) {
        guard depth < Self.maximumDepth else { throw .invalidArguments("values nest too deep") }
        var inner = MessageWriter(inside: depth)
        let opened =
            if let signature {
                unsafe signature.withCString { unsafe open(type, $0, &inner) }
            } else {
                unsafe open(type, nil, &inner)
            }
        try Self.check(opened)
        do throws(BusError) {
            try fill(&inner)
        } catch {
            // Releases the memory of the open container; the message itself is abandoned.
            unsafe dbus_message_iter_abandon_container(&iterator, &inner.iterator)
            throw error
        }
        try Self.check(unsafe dbus_message_iter_close_container(&iterator, &inner.iterator))
    }

    private mutating func open(
        _ type: bluejay_type_code,
        _ signature: UnsafePointer<CChar>?,
        _ inner: inout MessageWriter
    ) -> dbus_bool_t {
        unsafe dbus_message_iter_open_container(
            &iterator,
            type.code,
            signature,
            &inner.iterator
        )
    }

    // MARK: Checks

    private static func check(signature text: String) throws(BusError) {
        guard unsafe text.isValid({ unsafe dbus_signature_validate($0, nil) }) else {
            throw .invalidArguments("\(text) is not a signature")
        }
    }

    /// Checks for one complete type: "ss" is a signature, but an array or a variant of it breaks libdbus.
    private static func check(type text: String) throws(BusError) {
        guard unsafe text.isValid({ unsafe dbus_signature_validate_single($0, nil) }) else {
            throw .invalidArguments("\(text) is not a type")
        }
    }

    private static func check(_ result: dbus_bool_t) throws(BusError) {
        if result == 0 {
            throw BusError(
                name: "org.freedesktop.DBus.Error.NoMemory",
                message: "the message did not fit"
            )
        }
    }

    private static func misfit(_ item: BusValue, _ element: String) -> BusError {
        .invalidArguments("an array of \(element) holds \(item.signature)")
    }

    private static func misfit(_ entry: BusEntry, _ key: String, _ content: String) -> BusError {
        let types = entry.key.signature + entry.value.signature
        return .invalidArguments("a dictionary of \(key)\(content) holds \(types)")
    }
}

extension BusValue {
    /// Whether the type needs no check: short, valid and barely nested.
    fileprivate var hasPlainType: Bool {
        switch self {
        case .structure: false
        case .array(_, let element): element == "s" || element == "o"
        case .dictionary(_, let key, let value): key == "s" && value == "v"
        default: true
        }
    }
}

extension bluejay_type_code {
    var code: Int32 { Int32(rawValue) }
}
