/// A method call for repeated use, whose names are checked once.
///
/// Each call sends a copy of a finished message, so the header is built once.
package final class CallTemplate {
    private let template: BusMessage

    /// - Parameter call: The names, and the arguments that every call begins with.
    /// - Throws: `InvalidArgs` for names or arguments that the specification does not allow.
    package init(_ call: MethodCall) throws(BusError) {
        template = try BusMessage.methodCall(call)
    }

    func message() throws(BusError) -> BusMessage {
        try template.copy()
    }

    /// Returns a message with further arguments, which `write` adds.
    func message(_ write: (inout BusWriter) -> Void) throws(BusError) -> BusMessage {
        let message = try message()
        try message.append(write)
        return message
    }
}

extension BusMessage {
    func append(_ write: (inout BusWriter) -> Void) throws(BusError) {
        var writer = BusWriter(self)
        write(&writer)
        if let failure = writer.failure { throw failure }
    }
}
