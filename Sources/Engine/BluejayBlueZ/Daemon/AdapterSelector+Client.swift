extension AdapterSelector {
    /// As `changed(_:_:)`, with what a client knows at present.
    package mutating func changed(_ client: BlueZClient) -> [Action] {
        changed(client.state, client.objects.knownAdapters)
    }

    /// As `wants(_:_:_:)`, with what a client knows at present.
    package mutating func wants(_ choice: AdapterChoice, _ client: BlueZClient) -> [Action] {
        wants(choice, client.state, client.objects.knownAdapters)
    }
}
