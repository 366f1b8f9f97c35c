package import BluejayDBus
internal import BluejayGLib

/// The objects that all servers of a context have on one bus, on the connection of the moment.
///
/// A connection has one `ObjectServer`, and is replaced by another when the bus was lost.
package final class ObjectExporter {
    private let client: BlueZClient
    private var server: ObjectServer?
    private var lastNumber = 0

    /// The one that everything on the client's context shares.
    package static func shared(by client: BlueZClient) -> ObjectExporter {
        client.context.attachment("ExportHub " + client.address.text) { ObjectExporter(client) }
    }

    package init(_ client: BlueZClient) {
        self.client = client
    }

    /// The server of the present connection; nil while there is none.
    package var objects: ObjectServer? {
        guard let connection = client.connection else { return nil }
        if let server, server.connection === connection { return server }
        let server = ObjectServer(connection)
        server.isAllowed = { [weak client] in client?.owner == $0 }
        self.server = server
        return server
    }

    /// A path that no object of this process has had.
    package func freshPath(_ kind: String) -> ObjectPath {
        lastNumber += 1
        return ObjectPath("/org/bluejay/\(kind)\(lastNumber)") ?? .root
    }
}
