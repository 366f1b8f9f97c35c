internal import CBluejay

/// Creates method returns by copying the header of an earlier one: calls usually have the same caller, and
/// building a new header costs four times as much.
final class ReplyTemplate {
    private var last: (caller: String, message: BusMessage)?

    func methodReturn(to call: BusMessage) throws(BusError) -> BusMessage {
        if let last, call.isFrom(last.caller), let copy = copy(of: last.message, to: call) {
            return copy
        }
        let message = try call.methodReturn([])
        if let caller = call.sender, let copy = copy(of: message, to: call) {
            last = (caller, copy)
        }
        return message
    }

    private func copy(of message: BusMessage, to call: BusMessage) -> BusMessage? {
        guard let pointer = unsafe dbus_message_copy(message.pointer) else { return nil }
        let copy = unsafe BusMessage(owning: pointer)
        let serial = unsafe dbus_message_get_serial(call.pointer)
        return unsafe dbus_message_set_reply_serial(pointer, serial) != 0 ? copy : nil
    }
}
