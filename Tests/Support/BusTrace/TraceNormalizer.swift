internal import BluejayDBus

/// Converts recorded messages to a `Trace`.
package struct TraceNormalizer: Swift.Sendable {
    /// The clients whose calls are included.
    package enum Clients: Equatable, Swift.Sendable {
        /// All connections.
        case everybody
        /// The connections of some processes.
        case processes(Set<Int>)
        /// Some connections, by unique name.
        case connections(Set<String>)
    }

    /// The adapter under test; events of others are omitted.
    package var adapter: String
    /// The connections under test; calls of others are omitted, their effects are included.
    package var clients: Clients
    /// Whether a reply to GetManagedObjects lists the objects of the adapter.
    package var listsObjects: Bool

    package init(
        adapter: String = "hci0",
        clients: Clients = .everybody,
        listsObjects: Bool = true
    ) {
        self.adapter = adapter
        self.clients = clients
        self.listsObjects = listsObjects
    }

    package func trace(of messages: [RecordedMessage]) -> Trace {
        var writer = TraceWriter(self, messages)
        for message in messages { writer.write(message) }
        return Trace(writer.events)
    }

    /// Returns the connections whose calls are included, by unique name; `nil` for all.
    func clientNames(_ messages: [RecordedMessage]) -> Set<String>? {
        switch clients {
        case .everybody: nil
        case .connections(let names): names
        case .processes(let numbers):
            Set(
                messages.filter { $0.senderProcess.map(numbers.contains) ?? false }.map(\.sender)
            )
        }
    }
}
