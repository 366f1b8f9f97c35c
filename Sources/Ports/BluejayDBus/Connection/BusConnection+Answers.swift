internal import CBluejay

extension BusConnection {
    private static let peer = "org.freedesktop.DBus.Peer"

    /// Answers a call that comes in: what every connection answers by itself, what the owner takes, and
    /// what nobody knows.
    func receiveCall(_ message: BusMessage) {
        if message.hasInterface(Self.peer) { return answerPeer(message) }
        if let onMethodCall, onMethodCall(message) { return }
        guard !message.isNamed("org.freedesktop.DBus.Introspectable", "Introspect") else {
            return answer(message, [.string(Introspection.document([], children: []))])
        }
        answer(message, .unknownMethod(message))
    }

    // The words are those of libdbus's dispatch, in whose place this stands.
    private func answerPeer(_ message: BusMessage) {
        if message.hasMember("Ping") { return answer(message, []) }
        guard message.hasMember("GetMachineId") else {
            let text = "Unknown method invoked on \(Self.peer) interface"
            return answer(message, .unknownMethod(text))
        }
        do throws(BusError) {
            let machine = try unsafe withDBusError { unsafe dbus_try_get_local_machine_id($0) }
            guard let machine = unsafe machine else { throw .noMemory }
            defer { unsafe dbus_free(machine) }
            answer(message, [.string(unsafe String(cString: machine))])
        } catch {
            answer(message, error)
        }
    }

    private func answer(_ message: BusMessage, _ values: [BusValue]) {
        guard message.wantsReply, let reply = try? message.methodReturn(values) else { return }
        send(reply)
    }

    /// Answers a method call that no exported object serves with an error.
    package func answer(_ message: BusMessage, _ error: BusError) {
        guard message.wantsReply, let reply = try? message.errorReply(error) else { return }
        send(reply)
    }
}

extension BusError {
    /// Nobody has the method that was called.
    static func unknownMethod(_ message: BusMessage) -> BusError {
        unknownMethod(missing(message))
    }

    /// Nobody has the object that was called.
    static func unknownObject(_ message: BusMessage) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: missing(message))
    }

    fileprivate static func unknownMethod(_ text: String) -> BusError {
        BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: text)
    }

    // The text is libdbus's, for a missing object too.
    private static func missing(_ message: BusMessage) -> String {
        "Method \"\(message.member ?? "")\" with signature \"\(message.signature)\" on interface "
            + "\"\(message.interface ?? "(null)")\" doesn't exist\n"
    }
}
