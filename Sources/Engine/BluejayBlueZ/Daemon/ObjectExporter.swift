package import BluejayDBus
internal import BluejayGLib

/// Exports the objects of all servers of a context on the current connection to one bus.
///
/// Each connection has its own `ObjectServer`; a lost connection is replaced together with its server.
package final class ObjectExporter {
    private let client: BlueZClient
    private var server: ObjectServer?
    private var lastNumber = 0

    /// The exporter shared by all users on the client's context.
    package static func shared(by client: BlueZClient) -> ObjectExporter {
        client.context.sharedObject("ObjectExporter " + client.address.text) {
            ObjectExporter(client)
        }
    }

    package init(_ client: BlueZClient) {
        self.client = client
    }

    /// The server of the current connection, or `nil` without a connection.
    package var objects: ObjectServer? {
        guard let connection = client.connection else { return nil }
        if let server, server.connection === connection { return server }
        let server = ObjectServer(connection)
        server.isAllowed = { [weak client] in client?.owner == $0 }
        self.server = server
        return server
    }

    /// Calls bluetoothd over the connection that exports the objects.
    package func call(
        _ call: MethodCall,
        timeout: Duration = BusConnection.replyTimeout,
        reply: @escaping (CallResult) -> Void
    ) {
        client.call(call, timeout: timeout, reply: reply)
    }

    /// A path that no object of this process has had before.
    package func makePath(_ kind: String) -> ObjectPath {
        lastNumber += 1
        return ObjectPath("/org/bluejay/\(kind)\(lastNumber)") ?? .root
    }
}
