internal import CBluejay

/// Builds values from the arguments of a message.
struct MessageReader {
    static func values(_ place: BusReader) -> [BusValue] {
        var place = place
        var values: [BusValue] = []
        while let value = value(place) {
            values.append(value)
            place.next()
        }
        return values
    }

    /// Returns the current argument; nil at the end.
    static func value(_ place: BusReader) -> BusValue? {
        switch place.kind {
        case .end, .dictionaryEntry: nil
        case .byte: .byte(place.number(as: UInt8.self))
        case .boolean: .boolean(place.number(as: UInt32.self) != 0)
        case .int16: .int16(place.number(as: Int16.self))
        case .uint16: .uint16(place.number(as: UInt16.self))
        case .int32: .int32(place.number(as: Int32.self))
        case .uint32: .uint32(place.number(as: UInt32.self))
        case .int64: .int64(place.number(as: Int64.self))
        case .uint64: .uint64(place.number(as: UInt64.self))
        case .double: .double(place.number(as: Double.self))
        case .string: .string(place.text)
        case .objectPath: .objectPath(ObjectPath(unchecked: place.text))
        case .signature: .signature(place.text)
        case .fileDescriptor: fileDescriptor(place)
        case .array: array(place)
        case .structure: place.enter().map { .structure(values($0)) }
        case .variant: place.enter().flatMap(value).map { .variant($0) }
        }
    }

    private static func array(_ place: BusReader) -> BusValue? {
        if let bytes = place.bytes() { return .bytes(bytes) }
        guard let elements = place.enter() else { return nil }
        guard let types = place.entrySignatures else {
            return .array(values(elements), element: place.elementSignature)
        }
        return .dictionary(entries(elements), key: types.key, value: types.value)
    }

    private static func entries(_ place: BusReader) -> [BusEntry] {
        var place = place
        var entries: [BusEntry] = []
        while var entry = place.enter() {
            if let key = value(entry), entry.next(), let value = value(entry) {
                entries.append(BusEntry(key, value))
            }
            place.next()
        }
        return entries
    }

    // A message holds the index of a descriptor; only libdbus has the descriptors themselves.
    private static func fileDescriptor(_ place: BusReader) -> BusValue? {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(place.message.pointer, &iterator) != 0 else {
            return nil
        }
        return unsafe fileDescriptor(at: place, place.message.reader, &iterator)
            .map { .fileDescriptor($0) }
    }

    private static func fileDescriptor(
        at place: BusReader,
        _ reader: BusReader,
        _ iterator: inout DBusMessageIter
    ) -> BusFileDescriptor? {
        var reader = reader
        while reader.kind != .end {
            if reader.isAtOffset(of: place) {
                var number: Int32 = -1
                unsafe dbus_message_iter_get_basic(&iterator, &number)
                return BusFileDescriptor(owning: number)
            }
            if let inside = reader.enter() {
                var inner = unsafe DBusMessageIter()
                unsafe dbus_message_iter_recurse(&iterator, &inner)
                if let found = unsafe fileDescriptor(at: place, inside, &inner) { return found }
            }
            reader.next()
            unsafe dbus_message_iter_next(&iterator)
        }
        return nil
    }
}
