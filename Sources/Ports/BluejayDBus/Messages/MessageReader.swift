internal import CBluejay

/// Builds values from the arguments of a message.
struct MessageReader {
    static func values(_ position: BusReader) -> [BusValue] {
        var position = position
        var values: [BusValue] = []
        while let value = value(position) {
            values.append(value)
            position.next()
        }
        return values
    }

    /// Returns the current argument; nil at the end.
    static func value(_ position: BusReader) -> BusValue? {
        switch position.kind {
        case .end, .dictionaryEntry: nil
        case .byte: .byte(position.number(as: UInt8.self))
        case .boolean: .boolean(position.number(as: UInt32.self) != 0)
        case .int16: .int16(position.number(as: Int16.self))
        case .uint16: .uint16(position.number(as: UInt16.self))
        case .int32: .int32(position.number(as: Int32.self))
        case .uint32: .uint32(position.number(as: UInt32.self))
        case .int64: .int64(position.number(as: Int64.self))
        case .uint64: .uint64(position.number(as: UInt64.self))
        case .double: .double(position.number(as: Double.self))
        case .string: .string(position.text)
        case .objectPath: .objectPath(ObjectPath(unchecked: position.text))
        case .signature: .signature(position.text)
        case .fileDescriptor: fileDescriptor(position)
        case .array: array(position)
        case .structure: position.enter().map { .structure(values($0)) }
        case .variant: position.enter().flatMap(value).map { .variant($0) }
        }
    }

    private static func array(_ position: BusReader) -> BusValue? {
        if let bytes = position.bytes() { return .bytes(bytes) }
        guard let elements = position.enter() else { return nil }
        guard let types = position.entrySignatures else {
            return .array(values(elements), element: position.elementSignature)
        }
        return .dictionary(entries(elements), key: types.key, value: types.value)
    }

    private static func entries(_ position: BusReader) -> [BusEntry] {
        var position = position
        var entries: [BusEntry] = []
        while var entry = position.enter() {
            if let key = value(entry), entry.next(), let value = value(entry) {
                entries.append(BusEntry(key, value))
            }
            position.next()
        }
        return entries
    }

    // A message holds the index of a descriptor; only libdbus has the descriptors themselves.
    private static func fileDescriptor(_ position: BusReader) -> BusValue? {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(position.message.pointer, &iterator) != 0 else {
            return nil
        }
        return unsafe fileDescriptor(at: position, position.message.reader, &iterator)
            .map { .fileDescriptor($0) }
    }

    private static func fileDescriptor(
        at position: BusReader,
        _ reader: BusReader,
        _ iterator: inout DBusMessageIter
    ) -> BusFileDescriptor? {
        var reader = reader
        while reader.kind != .end {
            if reader.isAtOffset(of: position) {
                var number: Int32 = -1
                unsafe dbus_message_iter_get_basic(&iterator, &number)
                return BusFileDescriptor(owning: number)
            }
            if let inside = reader.enter() {
                var inner = unsafe DBusMessageIter()
                unsafe dbus_message_iter_recurse(&iterator, &inner)
                if let found = unsafe fileDescriptor(at: position, inside, &inner) { return found }
            }
            reader.next()
            unsafe dbus_message_iter_next(&iterator)
        }
        return nil
    }
}
