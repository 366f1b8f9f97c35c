internal import CBluejay
internal import FoundationEssentials

/// A message of the bus, which owns one reference to libdbus's message.
@safe package final class BusMessage {
    package enum Kind: Equatable {
        case methodCall, methodReturn, error, signal
    }

    let pointer: OpaquePointer
    private var knownBody: MessageBody?
    private var marshalled: MarshalledMessage?

    /// Takes ownership of the caller's reference.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    convenience init(sharing pointer: OpaquePointer) {
        unsafe dbus_message_ref(pointer)
        unsafe self.init(owning: pointer)
    }

    deinit {
        unsafe dbus_message_unref(pointer)
    }

    package var kind: Kind {
        switch unsafe dbus_message_get_type(pointer) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .methodCall
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .methodReturn
        case DBUS_MESSAGE_TYPE_ERROR: .error
        default: .signal
        }
    }

    /// The object that is called, or that sends a signal; validated by libdbus and built once.
    package private(set) lazy var path: ObjectPath? = unsafe text(dbus_message_get_path(pointer))
        .map { ObjectPath(unchecked: $0) }

    package var interface: String? { unsafe text(dbus_message_get_interface(pointer)) }
    package var member: String? { unsafe text(dbus_message_get_member(pointer)) }
    package var sender: String? { unsafe text(dbus_message_get_sender(pointer)) }
    package var destination: String? { unsafe text(dbus_message_get_destination(pointer)) }
    package var errorName: String? { unsafe text(dbus_message_get_error_name(pointer)) }
    package var signature: String { unsafe text(dbus_message_get_signature(pointer)) ?? "" }
    package var serial: UInt32 { unsafe dbus_message_get_serial(pointer) }
    package var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(pointer) }
    package var expectsReply: Bool { unsafe dbus_message_get_no_reply(pointer) == 0 }

    // The members below compare in place: each property above builds a text at every access.

    /// Marks a call that needs no reply.
    func setNoReplyExpected() {
        unsafe dbus_message_set_no_reply(pointer, 1)
    }

    package func isNamed(_ interface: String, _ member: String) -> Bool {
        hasMember(member) && hasInterface(interface)
    }

    /// Whether the message was sent by the connection with this unique name.
    package func isFrom(_ sender: String) -> Bool {
        unsafe equals(dbus_message_get_sender(pointer), sender)
    }

    /// Whether the message concerns exactly this object.
    package func hasPath(_ path: ObjectPath) -> Bool {
        unsafe equals(dbus_message_get_path(pointer), path.text)
    }

    /// The `ObjectPath.fastHash` of the message's object, computed without building a path.
    package var pathHash: UInt64 {
        guard let path = unsafe dbus_message_get_path(pointer) else { return 0 }
        return unsafe ObjectPath.fastHash(of: UnsafeRawPointer(path), strlen(path))
    }

    /// Whether the message concerns this object or one below it.
    package func hasPath(inNamespace space: ObjectPath) -> Bool {
        guard let path = unsafe dbus_message_get_path(pointer) else { return false }
        let count = space.text.utf8.count
        guard unsafe space.text.withCString({ unsafe strncmp(path, $0, count) }) == 0 else {
            return false
        }
        return unsafe count == 1 || path[count] == 0 || path[count] == CChar(UInt8(ascii: "/"))
    }

    func hasInterface(_ interface: String) -> Bool {
        unsafe equals(dbus_message_get_interface(pointer), interface)
    }

    /// Whether the message names an interface, which a call may omit.
    var hasInterface: Bool { unsafe dbus_message_get_interface(pointer) != nil }

    func hasSignature(_ signature: String) -> Bool {
        unsafe equals(dbus_message_get_signature(pointer), signature)
    }

    func hasMember(_ member: String) -> Bool {
        unsafe equals(dbus_message_get_member(pointer), member)
    }

    private func equals(_ characters: UnsafePointer<CChar>?, _ text: String) -> Bool {
        guard let characters = unsafe characters else { return false }
        return unsafe text.withCString { unsafe strcmp($0, characters) } == 0
    }

    /// The names of a message, fetched once for several comparisons.
    @safe struct HeaderFields {
        // Keeps the memory of the names alive.
        private let message: BusMessage
        private let interface: UnsafeBufferPointer<UInt8>
        private let member: UnsafeBufferPointer<UInt8>

        init(_ message: BusMessage) {
            self.message = message
            unsafe interface = Self.bytes(dbus_message_get_interface(message.pointer))
            unsafe member = Self.bytes(dbus_message_get_member(message.pointer))
        }

        private static func bytes(_ text: UnsafePointer<CChar>?) -> UnsafeBufferPointer<UInt8> {
            guard let text = unsafe text else {
                return unsafe UnsafeBufferPointer(start: nil, count: 0)
            }
            let start = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
            return unsafe UnsafeBufferPointer(start: start, count: strlen(text))
        }

        func hasInterface(_ text: String) -> Bool { unsafe interface.equals(text) }
        func hasMember(_ text: String) -> Bool { unsafe member.equals(text) }
    }

    var headerFields: HeaderFields { HeaderFields(self) }

    /// The arguments, in the message or in a copy of it.
    var body: MessageBody {
        if let known = knownBody { return known }
        let found = findBody()
        knownBody = found
        return found
    }

    private func findBody() -> MessageBody {
        if MessageBody.isContiguous, let body = MessageBody.inPlace(self) { return body }
        guard let signature = unsafe dbus_message_get_signature(pointer), unsafe signature[0] != 0,
            let copy = MarshalledMessage(self)
        else { return .empty }
        marshalled = copy
        return unsafe MessageBody(copy.body, signature)
    }

    /// Returns a reader of the arguments in place; see `BusReader`.
    package var reader: BusReader { BusReader(self) }

    package func arguments() throws(BusError) -> [BusValue] {
        MessageReader.values(reader)
    }

    package var error: BusError {
        let text = (try? arguments().first)?.text ?? ""
        return BusError(name: errorName ?? "", message: text)
    }

    private func text(_ characters: UnsafePointer<CChar>?) -> String? {
        unsafe characters.map { unsafe String(cString: $0) }
    }
}

extension BusMessage {
    /// Creates a method call; throws for names that the specification does not allow.
    static func methodCall(_ call: MethodCall) throws(BusError) -> BusMessage {
        try unsafe check(call.destination) { unsafe dbus_validate_bus_name($0, nil) }
        try unsafe check(call.interface) { unsafe dbus_validate_interface($0, nil) }
        try unsafe check(call.member) { unsafe dbus_validate_member($0, nil) }
        let message = unsafe call.destination.withCString { destination in
            unsafe withNames(call.path, call.interface, call.member) {
                unsafe dbus_message_new_method_call(destination, $0, $1, $2)
            }
        }
        return try unsafe make(message, call.arguments)
    }

    /// Creates a signal; throws for names that the specification does not allow.
    static func signal(
        path: ObjectPath,
        interface: String,
        member: String,
        arguments: [BusValue]
    ) throws(BusError) -> BusMessage {
        try unsafe check(interface) { unsafe dbus_validate_interface($0, nil) }
        try unsafe check(member) { unsafe dbus_validate_member($0, nil) }
        let message = unsafe withNames(path, interface, member) {
            unsafe dbus_message_new_signal($0, $1, $2)
        }
        return try unsafe make(message, arguments)
    }

    // The implicit conversion of a text to a C string would copy it into an array first.
    private static func withNames(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ make: (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>
        ) -> OpaquePointer?
    ) -> OpaquePointer? {
        unsafe path.text.withCString { path in
            unsafe interface.withCString { interface in
                unsafe member.withCString { unsafe make(path, interface, $0) }
            }
        }
    }

    func methodReturn(_ arguments: [BusValue]) throws(BusError) -> BusMessage {
        try unsafe Self.make(dbus_message_new_method_return(pointer), arguments)
    }

    func errorReply(_ error: BusError) throws(BusError) -> BusMessage {
        try unsafe Self.check(error.name) { unsafe dbus_validate_error_name($0, nil) }
        let text = error.message.containsNUL ? "" : error.message
        return try unsafe Self.make(dbus_message_new_error(pointer, error.name, text), [])
    }

    private static func make(
        _ pointer: OpaquePointer?,
        _ arguments: [BusValue]
    ) throws(BusError) -> BusMessage {
        guard let pointer = unsafe pointer else {
            throw .noMemory
        }
        let message = unsafe BusMessage(owning: pointer)
        try unsafe MessageWriter.append(arguments, to: pointer)
        return message
    }

    private static func check(
        _ name: String,
        _ validate: (UnsafePointer<CChar>) -> dbus_bool_t
    ) throws(BusError) {
        guard unsafe name.isValid(validate) else {
            throw .invalidArguments("\(name) is not a valid name")
        }
    }
}

package struct MethodCall {
    package var destination: String
    package var path: ObjectPath
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    package init(
        to destination: String,
        at path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}
