/// A method call whose names are checked once and which is made many times.
///
/// It is a finished message of which each call sends a copy: the header is not built anew.
package final class CallTemplate {
    private let template: BusMessage

    /// - Parameter call: The names, and arguments that every call begins with.
    /// - Throws: `InvalidArgs` for names or arguments that the specification does not allow.
    package init(_ call: MethodCall) throws(BusError) {
        template = try BusMessage.methodCall(call)
    }

    /// A message to be sent once.
    func message() throws(BusError) -> BusMessage {
        try template.copy()
    }

    /// A message to be sent once, with what `write` adds behind the arguments that every call has.
    func message(_ write: (inout BusWriter) -> Void) throws(BusError) -> BusMessage {
        let message = try message()
        try message.append(write)
        return message
    }
}

extension BusMessage {
    /// Adds arguments behind those that the message has.
    func append(_ write: (inout BusWriter) -> Void) throws(BusError) {
        var writer = BusWriter(self)
        write(&writer)
        if let failure = writer.failure { throw failure }
    }
}
