extension AdapterSelector {
    package mutating func changed(_ client: BlueZClient) -> [Action] {
        changed(client.state, client.objects.knownAdapters)
    }

    package mutating func wants(_ choice: AdapterChoice, _ client: BlueZClient) -> [Action] {
        wants(choice, client.state, client.objects.knownAdapters)
    }
}
