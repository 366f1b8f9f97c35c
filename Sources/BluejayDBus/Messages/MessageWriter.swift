internal import CBluejay

/// Appends values to a message, checking what libdbus would end the process for, and what the bus
/// would end the connection for.
@safe struct MessageWriter {
    /// Containers in each other, variants included; D-Bus specification, "Valid Signatures" and
    /// "Marshalling containers".
    private static let depthLimit = 64

    /// - Throws: An error when a value has no form on the bus; the message is of no use then.
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        try check(values)
        var writer = unsafe MessageWriter(message)
        for value in values { try writer.append(value) }
    }

    /// The whole has limits of its own: 255 characters, 32 arrays or structures in each other.
    static func check(_ values: [BusValue]) throws(BusError) {
        try check(signature: values.map(\.signature).joined())
    }

    private var iterator: DBusMessageIter
    private let depth: Int

    /// Writes behind what the message has.
    init(_ message: OpaquePointer) {
        unsafe iterator = unsafe DBusMessageIter()
        depth = 0
        unsafe dbus_message_iter_init_append(message, &iterator)
    }

    private init(inside depth: Int) {
        unsafe iterator = unsafe DBusMessageIter()
        self.depth = depth + 1
    }

    mutating func append(string text: String) throws(BusError) {
        try append(text, BLUEJAY_TYPE_STRING)
    }

    mutating func append(bytes: UnsafeRawBufferPointer) throws(BusError) {
        guard bytes.count <= 1 << 26 else { throw .invalidArguments("an array is too long") }
        try appendContainer(BLUEJAY_TYPE_ARRAY, "y") { (inner) throws(BusError) in
            try unsafe inner.appendElements(bytes)
        }
    }

    mutating func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .string(let text): try append(text, BLUEJAY_TYPE_STRING)
        case .objectPath(let path): try append(path.text, BLUEJAY_TYPE_OBJECT_PATH)
        case .signature(let text):
            try Self.check(signature: text)
            try append(text, BLUEJAY_TYPE_SIGNATURE)
        case .bytes(let bytes):
            var failure: BusError?
            unsafe bytes.withUnsafeBytes {
                do throws(BusError) {
                    try unsafe append(bytes: $0)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        case .array(let elements, let element):
            for item in elements where item.signature != element {
                throw .invalidArguments("an array of \(element) holds \(item.signature)")
            }
            try Self.check(type: element)
            try appendContainer(BLUEJAY_TYPE_ARRAY, element, elements)
        case .dictionary(let entries, let key, let content):
            try append(entries, key, content)
        case .structure(let fields):
            guard !fields.isEmpty else { throw .invalidArguments("a structure needs a field") }
            try appendContainer(BLUEJAY_TYPE_STRUCT, nil, fields)
        case .variant(let inner):
            let type = inner.signature
            try Self.check(type: type)
            try appendContainer(BLUEJAY_TYPE_VARIANT, type, [inner])
        default: try appendNumber(value)
        }
    }

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
        case .descriptor(let descriptor):
            guard descriptor.number >= 0 else { throw .invalidArguments("no open descriptor") }
            (type, unsafe basic.fd) = (BLUEJAY_TYPE_UNIX_FD, descriptor.number)
        default: throw .invalidArguments("\(value.signature) is not a basic type")
        }
        try Self.check(unsafe dbus_message_iter_append_basic(&iterator, type.code, &basic))
    }

    private mutating func append(_ text: String, _ type: bluejay_type_code) throws(BusError) {
        // A NUL would silently cut the text: C strings end there.
        guard !text.utf8.contains(0) else { throw .invalidArguments("a text holds a NUL") }
        let appended = unsafe text.withCString { characters in
            var pointer: UnsafePointer<CChar>? = unsafe characters
            return unsafe dbus_message_iter_append_basic(&iterator, type.code, &pointer)
        }
        try Self.check(appended)
    }

    private mutating func appendElements(_ bytes: UnsafeRawBufferPointer) throws(BusError) {
        guard bytes.count > 0 else { return }
        var start = bytes.baseAddress
        let appended = unsafe dbus_message_iter_append_fixed_array(
            &iterator,
            BLUEJAY_TYPE_BYTE.code,
            &start,
            Int32(bytes.count)
        )
        try Self.check(appended)
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
                    let types = entry.key.signature + entry.value.signature
                    throw .invalidArguments("a dictionary of \(key)\(content) holds \(types)")
                }
                try inner.appendContainer(BLUEJAY_TYPE_DICT_ENTRY, nil, [entry.key, entry.value])
            }
        }
    }

    private mutating func appendContainer(
        _ type: bluejay_type_code,
        _ signature: String?,
        _ values: [BusValue]
    ) throws(BusError) {
        try appendContainer(type, signature) { (inner) throws(BusError) in
            for value in values { try inner.append(value) }
        }
    }

    private mutating func appendContainer(
        _ type: bluejay_type_code,
        _ signature: String?,
        _ fill: (inout MessageWriter) throws(BusError) -> Void
    ) throws(BusError) {
        guard depth < Self.depthLimit else { throw .invalidArguments("values nest too deep") }
        var inner = MessageWriter(inside: depth)
        try Self.check(
            unsafe dbus_message_iter_open_container(
                &iterator,
                type.code,
                signature,
                &inner.iterator
            )
        )
        do throws(BusError) {
            try fill(&inner)
        } catch {
            // Frees what the open container holds; the message itself is given up.
            unsafe dbus_message_iter_abandon_container(&iterator, &inner.iterator)
            throw error
        }
        try Self.check(unsafe dbus_message_iter_close_container(&iterator, &inner.iterator))
    }

    private static func check(signature text: String) throws(BusError) {
        guard !text.utf8.contains(0), unsafe dbus_signature_validate(text, nil) != 0 else {
            throw .invalidArguments("\(text) is not a signature")
        }
    }

    /// One complete type; "ss" is a signature, but an array or a variant of it breaks libdbus.
    private static func check(type text: String) throws(BusError) {
        guard !text.utf8.contains(0), unsafe dbus_signature_validate_single(text, nil) != 0 else {
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
}
