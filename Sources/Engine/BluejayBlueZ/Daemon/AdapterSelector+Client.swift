extension AdapterSelector {
    package mutating func changed(_ client: BlueZClient) -> [Action] {
        changed(client.state, client.objects.knownAdapters)
    }

    package mutating func select(_ choice: AdapterChoice, _ client: BlueZClient) -> [Action] {
        select(choice, client.state, client.objects.knownAdapters)
    }
}
