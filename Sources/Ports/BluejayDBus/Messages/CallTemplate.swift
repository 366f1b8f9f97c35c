/// A method call for repeated use, whose names are checked once.
///
/// Each call sends a copy of a finished message, so the header is built once.
package final class CallTemplate {
    private var call: MethodCall
    private var template: BusMessage

    /// - Parameter call: The names, and the arguments that every call begins with.
    /// - Throws: `InvalidArgs` for names or arguments that the specification does not allow.
    package init(_ call: MethodCall) throws(BusError) {
        self.call = call
        template = try BusMessage.methodCall(call)
    }

    /// The receiver of the messages.
    var destination: String { call.destination }

    /// Returns a message.
    ///
    /// `destination` receives it and all later messages; nil keeps the former receiver.
    func message(to destination: String? = nil) throws(BusError) -> BusMessage {
        if let destination, destination != call.destination {
            var readdressed = call
            readdressed.destination = destination
            template = try BusMessage.methodCall(readdressed)
            call = readdressed
        }
        return try template.copy()
    }

    /// Returns a message with further arguments, which `write` adds.
    func message(
        to destination: String? = nil,
        _ write: (inout BusWriter) -> Void
    ) throws(BusError) -> BusMessage {
        let message = try message(to: destination)
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
