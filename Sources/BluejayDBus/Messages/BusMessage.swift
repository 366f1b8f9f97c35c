internal import CBluejay

/// A message of the bus.
///
/// It owns one reference to libdbus's message.
@safe package final class BusMessage {
    /// The four kinds of messages.
    package enum Kind: Equatable {
        case methodCall, methodReturn, error, signal
    }

    let pointer: OpaquePointer

    /// Takes over a reference that the caller holds.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    /// Adds a reference of its own.
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

    /// The object that is called or that sends; libdbus has validated it, and it is built once.
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
    package var wantsReply: Bool { unsafe dbus_message_get_no_reply(pointer) == 0 }

    // What follows compares in place: a property above builds a text at each call.

    /// Whether the message is the signal or the call `interface.member`.
    package func isNamed(_ interface: String, _ member: String) -> Bool {
        hasMember(member) && hasInterface(interface)
    }

    /// Whether the message comes from the connection with this unique name.
    package func isFrom(_ sender: String) -> Bool {
        unsafe equals(dbus_message_get_sender(pointer), sender)
    }

    /// Whether the message is about this very object.
    package func isAbout(_ path: ObjectPath) -> Bool {
        unsafe equals(dbus_message_get_path(pointer), path.text)
    }

    /// Whether the message is about this object or one below it.
    package func isAbout(everythingAt space: ObjectPath) -> Bool {
        guard let path = unsafe dbus_message_get_path(pointer) else { return false }
        let count = space.text.utf8.count
        guard unsafe space.text.withCString({ unsafe g_str_has_prefix(path, $0) }) != 0 else {
            return false
        }
        return unsafe count == 1 || path[count] == 0 || path[count] == CChar(UInt8(ascii: "/"))
    }

    func hasInterface(_ interface: String) -> Bool {
        unsafe equals(dbus_message_get_interface(pointer), interface)
    }

    func hasMember(_ member: String) -> Bool {
        unsafe equals(dbus_message_get_member(pointer), member)
    }

    private func equals(_ characters: UnsafePointer<CChar>?, _ text: String) -> Bool {
        unsafe text.withCString { unsafe g_strcmp0($0, characters) } == 0
    }

    /// Begins to read the arguments in place; see `BusReader`.
    package var reader: BusReader { BusReader(self) }

    /// The arguments, read anew at each call.
    package func arguments() throws(BusError) -> [BusValue] {
        try unsafe MessageReader.arguments(of: pointer)
    }

    /// The error that an error message carries.
    package var error: BusError {
        let text = (try? arguments().first)?.text ?? ""
        return BusError(name: errorName ?? "", message: text)
    }

    private func text(_ characters: UnsafePointer<CChar>?) -> String? {
        unsafe characters.map { unsafe String(cString: $0) }
    }
}

extension BusMessage {
    /// Builds a method call; refuses names that the specification does not allow.
    static func methodCall(_ call: MethodCall) throws(BusError) -> BusMessage {
        try checkName(call.destination, unsafe dbus_validate_bus_name(call.destination, nil))
        try checkName(call.interface, unsafe dbus_validate_interface(call.interface, nil))
        try checkName(call.member, unsafe dbus_validate_member(call.member, nil))
        return try unsafe make(
            dbus_message_new_method_call(
                call.destination,
                call.path.text,
                call.interface,
                call.member
            ),
            call.arguments
        )
    }

    static func signal(
        path: ObjectPath,
        interface: String,
        member: String,
        arguments: [BusValue]
    ) throws(BusError) -> BusMessage {
        try checkName(interface, unsafe dbus_validate_interface(interface, nil))
        try checkName(member, unsafe dbus_validate_member(member, nil))
        return try unsafe make(
            dbus_message_new_signal(path.text, interface, member),
            arguments
        )
    }

    func methodReturn(_ arguments: [BusValue]) throws(BusError) -> BusMessage {
        try unsafe Self.make(dbus_message_new_method_return(pointer), arguments)
    }

    func errorReply(_ error: BusError) throws(BusError) -> BusMessage {
        try Self.checkName(error.name, unsafe dbus_validate_error_name(error.name, nil))
        let text = error.message.utf8.contains(0) ? "" : error.message
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

    private static func checkName(_ name: String, _ valid: dbus_bool_t) throws(BusError) {
        guard valid != 0, !name.utf8.contains(0) else {
            throw .invalidArguments("\(name) is not a valid name")
        }
    }
}

/// A call of a method of an object on the bus.
package struct MethodCall {
    package var destination: String
    package var path: ObjectPath
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    package init(
        _ destination: String,
        _ path: ObjectPath,
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
