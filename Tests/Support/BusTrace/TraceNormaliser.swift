internal import BluejayDBus

/// Turns recorded messages into a `Trace`.
package struct TraceNormaliser: Swift.Sendable {
    /// Whose calls are of interest.
    package enum Clients: Equatable, Swift.Sendable {
        /// Those of everybody.
        case everybody
        /// Those of the connections of some processes.
        case processes(Set<Int>)
        /// Those of some connections, by their unique names.
        case connections(Set<String>)
    }

    /// The adapter under test; what concerns another one is left out.
    package var adapter: String
    /// The connections under test; the calls of others are left out, their effects are not.
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

    /// The events of a recording.
    package func trace(of messages: [RecordedMessage]) -> Trace {
        var writer = TraceWriter(self, messages)
        for message in messages { writer.write(message) }
        return Trace(writer.events)
    }

    /// The connections whose calls are of interest, by unique name; nil for all.
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
