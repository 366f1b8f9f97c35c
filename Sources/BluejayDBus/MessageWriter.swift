internal import CBluejay

/// Appends values to a message, checking what libdbus would end the process for.
struct MessageWriter {
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        var iterator = unsafe DBusMessageIter()
        unsafe dbus_message_iter_init_append(message, &iterator)
        for value in values { try unsafe append(value, &iterator) }
    }

    private static func append(
        _ value: BusValue,
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        switch value {
        case .string(let text): try unsafe append(text, BLUEJAY_TYPE_STRING, &iterator)
        case .objectPath(let path):
            try unsafe append(path.text, BLUEJAY_TYPE_OBJECT_PATH, &iterator)
        case .signature(let text):
            try checkSignature(text)
            try unsafe append(text, BLUEJAY_TYPE_SIGNATURE, &iterator)
        case .bytes(let bytes): try unsafe append(bytes, &iterator)
        case .array(let elements, let element):
            for item in elements where item.signature != element {
                throw .invalidArguments("an array of \(element) holds \(item.signature)")
            }
            try checkSignature(element)
            try unsafe appendContainer(BLUEJAY_TYPE_ARRAY, element, elements, &iterator)
        case .dictionary(let entries, let key, let content):
            try unsafe append(entries, key, content, &iterator)
        case .structure(let fields):
            guard !fields.isEmpty else { throw .invalidArguments("a structure needs a field") }
            try unsafe appendContainer(BLUEJAY_TYPE_STRUCT, nil, fields, &iterator)
        case .variant(let inner):
            try unsafe appendContainer(
                BLUEJAY_TYPE_VARIANT,
                inner.signature,
                [inner],
                &iterator
            )
        default: try unsafe appendNumber(value, &iterator)
        }
    }

    private static func appendNumber(
        _ value: BusValue,
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
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
            (type, unsafe basic.fd) = (BLUEJAY_TYPE_UNIX_FD, descriptor.number)
        default: throw .invalidArguments("\(value.signature) is not a basic type")
        }
        try check(unsafe dbus_message_iter_append_basic(&iterator, type.code, &basic))
    }

    private static func append(
        _ text: String,
        _ type: bluejay_type_code,
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        // A NUL would silently cut the text: C strings end there.
        guard !text.utf8.contains(0) else { throw .invalidArguments("a text holds a NUL") }
        let appended = unsafe text.withCString { characters in
            var pointer: UnsafePointer<CChar>? = unsafe characters
            return unsafe dbus_message_iter_append_basic(&iterator, type.code, &pointer)
        }
        try check(appended)
    }

    private static func append(
        _ bytes: [UInt8],
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        guard bytes.count <= 1 << 26 else { throw .invalidArguments("an array is too long") }
        var inner = unsafe DBusMessageIter()
        try check(
            unsafe dbus_message_iter_open_container(
                &iterator,
                BLUEJAY_TYPE_ARRAY.code,
                "y",
                &inner
            )
        )
        let appended = unsafe bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return buffer.isEmpty
                ? 1
                : unsafe dbus_message_iter_append_fixed_array(
                    &inner,
                    BLUEJAY_TYPE_BYTE.code,
                    &start,
                    Int32(buffer.count)
                )
        }
        try check(appended)
        try check(unsafe dbus_message_iter_close_container(&iterator, &inner))
    }

    private static func append(
        _ entries: [BusEntry],
        _ key: String,
        _ content: String,
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        try checkSignature("a{\(key)\(content)}")
        var inner = unsafe DBusMessageIter()
        try check(
            unsafe dbus_message_iter_open_container(
                &iterator,
                BLUEJAY_TYPE_ARRAY.code,
                "{\(key)\(content)}",
                &inner
            )
        )
        for entry in entries {
            guard entry.key.signature == key, entry.value.signature == content else {
                throw .invalidArguments(
                    "a dictionary of \(key)\(content) holds "
                        + entry.key.signature + entry.value.signature
                )
            }
            try unsafe appendContainer(
                BLUEJAY_TYPE_DICT_ENTRY,
                nil,
                [entry.key, entry.value],
                &inner
            )
        }
        try check(unsafe dbus_message_iter_close_container(&iterator, &inner))
    }

    private static func appendContainer(
        _ type: bluejay_type_code,
        _ signature: String?,
        _ values: [BusValue],
        _ iterator: inout DBusMessageIter
    ) throws(BusError) {
        var inner = unsafe DBusMessageIter()
        try check(
            unsafe dbus_message_iter_open_container(&iterator, type.code, signature, &inner)
        )
        for value in values { try unsafe append(value, &inner) }
        try check(unsafe dbus_message_iter_close_container(&iterator, &inner))
    }

    private static func checkSignature(_ text: String) throws(BusError) {
        guard !text.utf8.contains(0), unsafe dbus_signature_validate(text, nil) != 0 else {
            throw .invalidArguments("\(text) is not a signature")
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
