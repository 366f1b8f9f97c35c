package import BluejayCore

extension AdapterSelector {
    /// As `changed(_:_:)`, with what a client knows at present.
    package mutating func changed(_ client: BlueZClient) -> [Action] {
        changed(client.state, client.objects.knownAdapters)
    }
}

extension BlueZClient {
    /// The state of Bluetooth in the user's words, without an adapter that is kept.
    ///
    /// - Parameters:
    ///   - choice: The adapter that counts.
    ///   - previous: What was told last: a daemon that comes back is not the same as one not yet known.
    /// - Returns: The present state.
    package func bluetoothState(
        _ choice: AdapterChoice,
        before previous: BluetoothState = .unknown
    ) -> BluetoothState {
        var selector = AdapterSelector(choice)
        _ = selector.changed(self)
        let isBack = selector.state == .unknown && previous != .unknown
        return isBack ? .resetting : selector.state
    }
}
