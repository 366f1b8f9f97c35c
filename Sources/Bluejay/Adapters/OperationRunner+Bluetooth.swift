internal import BluejayBlueZ
internal import BluejayDBus

/// Follows bluetoothd and its adapters.
extension OperationRunner {
    func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged: follow()
        case .changed(let changes):
            if changes.contains(where: \.concernsAdapter) { follow() }
        }
    }

    /// bluetoothd or an adapter may be different.
    func follow() {
        updateBluetoothState()
        guard selector.isKnown else { return }
        for question in adapterDesk.takeQuestions() { question() }
    }

    /// Asks again whether Bluetooth can be used.
    func updateBluetoothState() {
        guard let client = engine?.client else { return }
        if client.state != .connecting {
            // What waits for Bluetooth begins on the adapter that was chosen before it.
            for choice in adapterDesk.takeChoices() { choice() }
        }
        perform(selector.changed(client))
    }

    // While something of this instance is on an adapter, or is to return to it, it stays with it.
    func pin() {
        let isUsed =
            lease != nil || reconnecting.isPending || queue.isConnecting || queue.isScanning
        guard isUsed != selector.isPinned else { return }
        perform(selector.setPinned(isUsed))
    }

    /// Tells what is different of the adapters, and then what the selector has found.
    func perform(_ actions: [AdapterSelector.Action]) {
        let stops = adapterDesk.stops
        tell(noteAdapters())
        // Who is told may stop it, and start it anew.
        for action in actions where adapterDesk.stops == stops {
            // What is used ends when its user is told why.
            if case .tell(let state) = action { became(state) }
        }
    }

    private func became(_ state: BluetoothState) {
        guard state != bluetoothState else { return }
        bluetoothState = state
        publish()
        switch state {
        case .unknown: break
        case .poweredOn:
            let actions = queue.becameAvailable()
            // What an earlier run left comes before what the observers ask for.
            if restoration?.isUnderWay == true { restore() }
            handle(actions)
            perform(reconnecting.becameAvailable())
        default:
            handle(queue.becameUnavailable(state))
            perform(reconnecting.becameUnavailable())
        }
    }
}
