internal import CBluejay

/// The arguments of a message in place, in the form of the D-Bus specification, "Marshaling", and the byte
/// order of this machine.
///
/// libdbus validates each received message: every length lies inside its container, and every text is
/// terminated and valid. Reading along the signature therefore stays inside the body. A message that has been
/// read is not modified afterwards.
@safe struct MessageBody {
    /// The start of the body, which alignment is relative to.
    let start: UnsafePointer<UInt8>
    /// The types of the arguments; ends with a NUL.
    let signature: UnsafePointer<UInt8>

    static var empty: MessageBody {
        let nothing: StaticString = "\0"
        return unsafe MessageBody(start: nothing.utf8Start, signature: nothing.utf8Start)
    }

    /// Returns the body in libdbus's memory, or nil if its location cannot be determined.
    ///
    /// libdbus returns a text in place. The signature determines the bytes before the first text.
    // Takes the message itself, not its pointer: a temporary message would be released before the pointer is
    // used.
    static func inPlace(_ message: BusMessage) -> MessageBody? {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(message.pointer, &iterator) != 0,
            let signature = unsafe dbus_message_get_signature(message.pointer)
        else { return nil }
        return unsafe start(&iterator, types(signature)).map { start in
            unsafe MessageBody(start, signature)
        }
    }

    init(_ start: UnsafePointer<UInt8>, _ signature: UnsafePointer<CChar>) {
        unsafe self.init(start: start, signature: Self.types(signature))
    }

    private init(start: UnsafePointer<UInt8>, signature: UnsafePointer<UInt8>) {
        unsafe self.start = unsafe start
        unsafe self.signature = unsafe signature
    }

    private static func types(_ signature: UnsafePointer<CChar>) -> UnsafePointer<UInt8> {
        unsafe UnsafeRawPointer(signature).assumingMemoryBound(to: UInt8.self)
    }

    private static func start(
        _ iterator: inout DBusMessageIter,
        _ types: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        switch (unsafe types[0], unsafe types[1]) {
        case (.typeString, _), (.typePath, _):
            // Skip back over the length of the text.
            return unsafe text(&iterator)?.advanced(by: -4)
        case (.typeArray, .typeByte):
            var bytes = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &bytes)
            var first: UnsafePointer<UInt8>?
            var count: Int32 = 0
            unsafe dbus_message_iter_get_fixed_array(&bytes, &first, &count)
            return unsafe first?.advanced(by: -4)
        case (.typeArray, .typeEntryBegin):
            guard unsafe types[2] == .typeString || types[2] == .typePath else { return nil }
            var entries = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &entries)
            guard unsafe dbus_message_iter_get_arg_type(&entries) != 0 else { return nil }
            var entry = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&entries, &entry)
            // Skip back over the lengths of the array and the text, and the padding between them.
            return unsafe text(&entry)?.advanced(by: -12)
        default: return nil
        }
    }

    private static func text(_ iterator: inout DBusMessageIter) -> UnsafePointer<UInt8>? {
        var text: UnsafePointer<UInt8>?
        unsafe dbus_message_iter_get_basic(&iterator, &text)
        return unsafe text
    }

    /// Whether libdbus keeps the body of a message in one contiguous block, as all its versions do.
    ///
    /// libdbus does not guarantee this, so sample messages are compared with their documented form.
    static let isContiguous: Bool = {
        let texts = BusValue.properties([("a", .bytes([1, 2, 3])), ("b", .int64(4))])
        let bodies: [[BusValue]] = [
            [.string("text"), texts, .strings(["c", "d"])], [.objectPath("/a/b"), .uint16(5)],
            [texts, .double(6)], [.bytes([7, 8, 9]), .boolean(true)],
        ]
        return bodies.allSatisfy { arguments in
            guard
                let message = try? BusMessage.signal(
                    path: .root,
                    interface: "a.b",
                    member: "c",
                    arguments: arguments
                ), let body = inPlace(message), let copy = MarshalledMessage(message)
            else { return false }
            return withExtendedLifetime((message, copy)) {
                unsafe memcmp(body.start, copy.body, copy.bodyLength) == 0
            }
        }
    }()
}

/// A marshalled copy of a message.
@safe final class MarshalledMessage {
    private let start: UnsafeMutablePointer<CChar>
    let body: UnsafePointer<UInt8>
    let bodyLength: Int

    init?(_ message: BusMessage) {
        var iterator = unsafe DBusMessageIter()
        // Converts the message to the byte order of this machine.
        unsafe dbus_message_iter_init(message.pointer, &iterator)
        var start: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        guard unsafe dbus_message_marshal(message.pointer, &start, &length) != 0,
            let start = unsafe start
        else { return nil }
        unsafe self.start = unsafe start
        let bytes = UnsafeRawPointer(start)
        // D-Bus specification, "Message Format": the header fields begin after their length.
        let fields = Int(unsafe bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let header = (16 + fields + 7) & ~7
        unsafe body = unsafe (bytes + header).assumingMemoryBound(to: UInt8.self)
        bodyLength = Int(length) - header
    }

    deinit {
        unsafe dbus_free(start)
    }
}
