internal import CBluejay

/// Reads the arguments of a message.
///
/// libdbus has checked the message against its signature before.
struct MessageReader {
    static func arguments(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return try unsafe values(&iterator)
    }

    private static func values(
        _ iterator: inout DBusMessageIter
    ) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while unsafe dbus_message_iter_get_arg_type(&iterator) != BLUEJAY_TYPE_INVALID.code {
            values.append(try unsafe value(&iterator))
            unsafe dbus_message_iter_next(&iterator)
        }
        return values
    }

    /// The value at the iterator, which stays where it is.
    static func value(_ iterator: inout DBusMessageIter) throws(BusError) -> BusValue {
        let type = unsafe dbus_message_iter_get_arg_type(&iterator)
        switch bluejay_type_code(UInt32(type)) {
        case BLUEJAY_TYPE_ARRAY: return try unsafe array(&iterator)
        case BLUEJAY_TYPE_VARIANT:
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            return .variant(try unsafe value(&inner))
        case BLUEJAY_TYPE_STRUCT:
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            return .structure(try unsafe values(&inner))
        default: return try unsafe basic(&iterator, type)
        }
    }

    private static func basic(
        _ iterator: inout DBusMessageIter,
        _ type: Int32
    ) throws(BusError) -> BusValue {
        var basic = unsafe DBusBasicValue()
        unsafe dbus_message_iter_get_basic(&iterator, &basic)
        switch bluejay_type_code(UInt32(type)) {
        case BLUEJAY_TYPE_BYTE: return .byte(unsafe basic.byt)
        case BLUEJAY_TYPE_BOOLEAN: return .boolean(unsafe basic.bool_val != 0)
        case BLUEJAY_TYPE_INT16: return .int16(unsafe basic.i16)
        case BLUEJAY_TYPE_UINT16: return .uint16(unsafe basic.u16)
        case BLUEJAY_TYPE_INT32: return .int32(unsafe basic.i32)
        case BLUEJAY_TYPE_UINT32: return .uint32(unsafe basic.u32)
        case BLUEJAY_TYPE_INT64: return .int64(Int64(unsafe basic.i64))
        case BLUEJAY_TYPE_UINT64: return .uint64(UInt64(unsafe basic.u64))
        case BLUEJAY_TYPE_DOUBLE: return .double(unsafe basic.dbl)
        case BLUEJAY_TYPE_UNIX_FD: return .descriptor(BusDescriptor(owning: unsafe basic.fd))
        default: break
        }
        guard let characters = unsafe basic.str else {
            throw .invalidArguments("a value of type \(type) cannot be read")
        }
        let text = unsafe String(cString: characters)
        switch bluejay_type_code(UInt32(type)) {
        case BLUEJAY_TYPE_STRING: return .string(text)
        case BLUEJAY_TYPE_SIGNATURE: return .signature(text)
        case BLUEJAY_TYPE_OBJECT_PATH: return .objectPath(ObjectPath(unchecked: text))
        default: throw .invalidArguments("a value of type \(type) cannot be read")
        }
    }

    private static func array(_ iterator: inout DBusMessageIter) throws(BusError) -> BusValue {
        let elementType = unsafe dbus_message_iter_get_element_type(&iterator)
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        if elementType == BLUEJAY_TYPE_BYTE.code { return unsafe bytes(&inner) }
        guard elementType == BLUEJAY_TYPE_DICT_ENTRY.code else {
            let elements = try unsafe values(&inner)
            // libdbus makes a text of its own for a signature: only an empty array needs it.
            let element = unsafe elements.first?.signature ?? elementSignature(&inner)
            return .array(elements, element: element)
        }
        let entries = try unsafe entries(&inner)
        if let first = entries.first {
            return .dictionary(entries, key: first.key.signature, value: first.value.signature)
        }
        // The signature is `{kv}`, and a key is always one character.
        let types = unsafe elementSignature(&inner).dropFirst().dropLast()
        return .dictionary([], key: String(types.prefix(1)), value: String(types.dropFirst()))
    }

    private static func entries(
        _ iterator: inout DBusMessageIter
    ) throws(BusError) -> [BusEntry] {
        var entries: [BusEntry] = []
        while unsafe dbus_message_iter_get_arg_type(&iterator) == BLUEJAY_TYPE_DICT_ENTRY.code {
            var entry = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &entry)
            let key = try unsafe value(&entry)
            unsafe dbus_message_iter_next(&entry)
            entries.append(BusEntry(key, try unsafe value(&entry)))
            unsafe dbus_message_iter_next(&iterator)
        }
        return entries
    }

    private static func bytes(_ inner: inout DBusMessageIter) -> BusValue {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
        guard let start = unsafe start, count > 0 else { return .bytes([]) }
        return .bytes(unsafe Array(UnsafeBufferPointer(start: start, count: Int(count))))
    }

    private static func elementSignature(_ inner: inout DBusMessageIter) -> String {
        guard let characters = unsafe dbus_message_iter_get_signature(&inner) else { return "" }
        defer { unsafe dbus_free(characters) }
        return unsafe String(cString: characters)
    }
}

extension bluejay_type_code {
    /// The code as libdbus's functions take and give it.
    var code: Int32 { Int32(rawValue) }
}
