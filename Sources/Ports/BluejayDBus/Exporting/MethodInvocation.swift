/// A method call from the bus that awaits a reply.
///
/// Only the first reply counts. A call that is released without a reply fails with an error, so that its
/// caller does not wait forever.
package final class MethodInvocation {
    package let message: BusMessage
    /// The arguments, with the signature that the method declares; `message.reader` reads them in place.
    // libdbus has checked them against the signature: parsing cannot fail.
    package private(set) lazy var arguments = (try? message.arguments()) ?? []
    private let connection: BusConnection
    private let replies: ReplyTemplate
    private var isCompleted = false

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

    package func reply(_ values: [BusValue] = []) {
        complete { () throws(BusError) in
            let reply = try self.replies.methodReturn(to: self.message)
            try unsafe MessageWriter.append(values, to: reply.pointer)
            return reply
        }
    }

    /// Replies with the arguments that `write` writes; bytes are copied once.
    package func reply(writing write: (inout BusWriter) -> Void) {
        complete { () throws(BusError) in
            let reply = try self.replies.methodReturn(to: self.message)
            try reply.append(write)
            return reply
        }
    }

    package func fail(_ name: String, _ text: String) {
        fail(BusError(name: name, message: text))
    }

    package func fail(_ error: BusError) {
        complete { () throws(BusError) in try self.message.errorReply(error) }
    }

    private func complete(_ make: () throws(BusError) -> BusMessage) {
        guard !isCompleted else { return }
        isCompleted = true
        guard message.expectsReply else { return }
        do throws(BusError) {
            connection.send(try make())
        } catch {
            // The reply cannot be written (a value of the wrong type): send an error instead.
            if let reply = try? message.errorReply(
                BusError(name: "org.freedesktop.DBus.Error.Failed", message: error.description)
            ) {
                connection.send(reply)
            }
        }
    }
}
