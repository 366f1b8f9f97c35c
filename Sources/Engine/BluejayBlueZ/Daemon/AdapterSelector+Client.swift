extension AdapterSelector {
    /// Calls `changed(_:_:)` with the client's current state and adapters.
    package mutating func changed(_ client: BlueZClient) -> [Action] {
        changed(client.state, client.objects.knownAdapters)
    }

    /// Calls `wants(_:_:_:)` with the client's current state and adapters.
    package mutating func wants(_ choice: AdapterChoice, _ client: BlueZClient) -> [Action] {
        wants(choice, client.state, client.objects.knownAdapters)
    }
}
