internal import CBluejay

/// The arguments of a message as they lie in it: in the form of the D-Bus specification, "Marshaling",
/// in the byte order of this machine.
///
/// libdbus checks each message that comes before it gives it out: every length is inside its container,
/// every text is ended and valid. Whoever walks along the signature stays inside the body. A message
/// that has been read is not written to any more.
@safe struct MessageBody {
    /// The beginning of the body, from which alignment counts.
    let start: UnsafePointer<UInt8>
    /// The types of the arguments; ends with a NUL.
    let signature: UnsafePointer<UInt8>

    /// That of a message without arguments.
    static var empty: MessageBody {
        let nothing: StaticString = "\0"
        return unsafe MessageBody(start: nothing.utf8Start, signature: nothing.utf8Start)
    }

    /// The body where libdbus has it; nil where it does not tell where that is.
    ///
    /// A text is given by libdbus where it lies in the message: in front of the first one lies what the
    /// signature says.
    // The message itself, not its pointer: a temporary one would be gone when its pointer is used.
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
            // The length of the text.
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
            // The length of the array, what aligns the entry to 8, the length of the text.
            return unsafe text(&entry)?.advanced(by: -12)
        default: return nil
        }
    }

    private static func text(_ iterator: inout DBusMessageIter) -> UnsafePointer<UInt8>? {
        var text: UnsafePointer<UInt8>?
        unsafe dbus_message_iter_get_basic(&iterator, &text)
        return unsafe text
    }

    /// Whether libdbus keeps the body of a message in one piece, as all its versions do.
    ///
    /// It does not promise it: a message that holds something of everything is compared with its
    /// documented form.
    static let isInOnePiece: Bool = {
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

/// A message in the form in which it is sent, in memory of its own.
@safe final class MarshalledMessage {
    private let start: UnsafeMutablePointer<CChar>
    let body: UnsafePointer<UInt8>
    let bodyLength: Int

    init?(_ message: BusMessage) {
        var iterator = unsafe DBusMessageIter()
        // Brings it into the byte order of this machine.
        unsafe dbus_message_iter_init(message.pointer, &iterator)
        var start: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        guard unsafe dbus_message_marshal(message.pointer, &start, &length) != 0,
            let start = unsafe start
        else { return nil }
        unsafe self.start = unsafe start
        let bytes = UnsafeRawPointer(start)
        // D-Bus specification, "Message Format": the fields of the header begin behind their length.
        let fields = Int(unsafe bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let header = (16 + fields + 7) & ~7
        unsafe body = unsafe (bytes + header).assumingMemoryBound(to: UInt8.self)
        bodyLength = Int(length) - header
    }

    deinit {
        unsafe dbus_free(start)
    }
}
