internal import CBluejay
internal import FoundationEssentials

/// A method call whose first argument is an `ay`, and which is made many times with other bytes.
///
/// To append arguments costs as much as all the rest of a call. So the message of the call before is kept,
/// and copied when the next value is as long: only the bytes differ.
@safe package final class BytesCallTemplate {
    private let call: CallTemplate
    private let further: ValidatedValue
    /// The message of the last value of another length, and that length.
    private var template: (message: BusMessage, count: Int)?

    /// - Parameters:
    ///   - call: The names, without arguments.
    ///   - further: The argument behind the bytes.
    /// - Throws: `InvalidArgs` for names or an argument that the specification does not allow.
    package init(_ call: MethodCall, _ further: BusValue) throws(BusError) {
        self.call = try CallTemplate(call)
        self.further = try ValidatedValue(further)
    }

    /// A message to be sent once.
    func message(_ bytes: Data) throws(BusError) -> BusMessage {
        if let template, template.count == bytes.count {
            let copy = try template.message.copy()
            if copy.replaceFirstBytes(bytes) { return copy }
        }
        let message = try call.message {
            $0.data(bytes)
            $0.append(further)
        }
        template = (message, bytes.count)
        return message
    }
}

extension BusMessage {
    /// A message with the same content that has not been sent.
    func copy() throws(BusError) -> BusMessage {
        guard let copy = unsafe dbus_message_copy(pointer) else { throw .noMemory }
        return unsafe BusMessage(owning: copy)
    }

    /// Changes the bytes of a first argument that is an `ay` of just as many; false for any other.
    ///
    /// libdbus gives the bytes to be read where they lie. A copy that nobody else has seen, and that is
    /// not locked since it was not sent, has them to itself.
    fileprivate func replaceFirstBytes(_ bytes: Data) -> Bool {
        var iterator = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_init(pointer, &iterator) != 0 else { return false }
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
        guard Int(count) == bytes.count else { return false }
        guard let start = unsafe start, count > 0 else { return true }
        let place = unsafe UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(mutating: start),
            count: bytes.count
        )
        unsafe bytes.withUnsafeBytes { unsafe place.copyMemory(from: $0) }
        return true
    }
}
