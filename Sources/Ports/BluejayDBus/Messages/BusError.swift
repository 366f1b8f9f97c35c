internal import CBluejay

/// An error of the bus, of a peer on it, or of a call to it: a name and a message.
package struct BusError: Error, Hashable, Swift.Sendable, CustomStringConvertible {
    /// The name, for example `org.bluez.Error.Failed`.
    package var name: String
    /// The accompanying text; may be empty.
    package var message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { message.isEmpty ? name : "\(name): \(message)" }

    private static let standard = "org.freedesktop.DBus.Error."

    /// The connection is closed, or was lost during the call.
    package static let disconnected = BusError(
        name: standard + "Disconnected",
        message: "the connection to the bus is closed"
    )
    /// The receiver of the call is not on the bus.
    package static let nameHasNoOwner = BusError(
        name: standard + "NameHasNoOwner",
        message: "the receiver is not on the bus"
    )
    /// The call received no reply within its time limit.
    package static let noReply = BusError(
        name: standard + "NoReply",
        message: "no reply within the time limit"
    )
    static let noMemory = BusError(
        name: standard + "NoMemory",
        message: "no memory for a message"
    )
    package static func invalidArguments(_ text: String) -> BusError {
        BusError(name: standard + "InvalidArgs", message: text)
    }
}

extension BusError {
    static func unknownMethod(_ message: BusMessage) -> BusError {
        unknownMethod(missing(message))
    }

    static func unknownObject(_ message: BusMessage) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: missing(message))
    }

    static func unknownMethod(_ text: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: text)
    }

    // libdbus uses this text for a missing object, too.
    private static func missing(_ message: BusMessage) -> String {
        "Method \"\(message.member ?? "")\" with signature \"\(message.signature)\" on interface "
            + "\"\(message.interface ?? "(null)")\" doesn't exist\n"
    }
}

/// Runs a libdbus function that takes a `DBusError`, and throws the error that it sets.
func withDBusError<R>(
    _ body: (UnsafeMutablePointer<DBusError>) -> R
) throws(BusError) -> R {
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    let result = unsafe body(&error)
    guard unsafe dbus_error_is_set(&error) != 0 else { return result }
    throw BusError(
        name: unsafe error.name.map { unsafe String(cString: $0) } ?? "",
        message: unsafe error.message.map { unsafe String(cString: $0) } ?? ""
    )
}
