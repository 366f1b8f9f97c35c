/// A method call from the bus that waits for its answer.
///
/// It is answered once; further answers are ignored. One that is let go unanswered gets an error, so
/// that a caller never waits in vain.
package final class MethodInvocation {
    /// The message of the call.
    package let message: BusMessage
    /// The arguments, of the signature that the method declares; `message.reader` reads them in place.
    // libdbus has checked them against the signature: reading does not fail.
    package private(set) lazy var arguments = (try? message.arguments()) ?? []
    private let connection: BusConnection
    private let replies: ReplyTemplate
    private var isAnswered = false

    init(
        _ message: BusMessage,
        on connection: BusConnection,
        _ replies: ReplyTemplate = ReplyTemplate()
    ) {
        self.message = message
        self.connection = connection
        self.replies = replies
    }

    deinit {
        fail("org.freedesktop.DBus.Error.Failed", "the call was not answered")
    }

    /// The unique name of the caller.
    package var sender: String { message.sender ?? "" }

    /// Answers with the values of the declared signature.
    package func reply(_ values: [BusValue] = []) {
        answer { () throws(BusError) in
            let reply = try self.replies.methodReturn(to: self.message)
            try unsafe MessageWriter.append(values, to: reply.pointer)
            return reply
        }
    }

    /// Answers with what `write` writes, of the declared signature: bytes are copied once.
    package func reply(writing write: (inout BusWriter) -> Void) {
        answer { () throws(BusError) in
            let reply = try self.replies.methodReturn(to: self.message)
            try reply.append(write)
            return reply
        }
    }

    /// Answers with an error.
    package func fail(_ name: String, _ text: String) {
        fail(BusError(name: name, message: text))
    }

    /// Answers with an error.
    package func fail(_ error: BusError) {
        answer { () throws(BusError) in try self.message.errorReply(error) }
    }

    private func answer(_ make: () throws(BusError) -> BusMessage) {
        guard !isAnswered else { return }
        isAnswered = true
        guard message.wantsReply else { return }
        do throws(BusError) {
            connection.send(try make())
        } catch {
            // The answer itself cannot be written (a value of the wrong shape): say so instead.
            if let reply = try? message.errorReply(
                BusError(name: "org.freedesktop.DBus.Error.Failed", message: error.description)
            ) {
                connection.send(reply)
            }
        }
    }
}
