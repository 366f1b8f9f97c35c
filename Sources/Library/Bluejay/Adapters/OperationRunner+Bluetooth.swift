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
        guard isBluetoothKnown else { return }
        for question in adapterDesk.takeQuestions() { question() }
    }

    /// Asks again whether Bluetooth can be used.
    func updateBluetoothState() {
        guard let client = engine?.client else { return }
        if client.state != .connecting {
            // What waits for Bluetooth begins on the adapter that was chosen before it.
            for choice in adapterDesk.takeChoices() { choice() }
        }
        tracker?.update()
        tell(noteAdapters())
    }

    /// Whether it is known that Bluetooth is usable or unusable.
    var isBluetoothKnown: Bool { tracker?.isKnown ?? false }

    // While something of this instance is on an adapter, or is to return to it, it stays with it.
    func pin() {
        let isUsed =
            lease != nil || reconnecting.isPending || queue.isConnecting || queue.isScanning
        guard isUsed != isPinned else { return }
        isPinned = isUsed
        tracker?.pin(isUsed)
        tell(noteAdapters())
    }

    /// Notifies the observers of the adapters before those of the connection.
    func perform(_ action: AdapterSelector.Action) {
        let stops = adapterDesk.stops
        tell(noteAdapters())
        // An observer may stop the instance and start it again.
        guard adapterDesk.stops == stops, case .tell(let state) = action else { return }
        became(state)
    }

    private func became(_ new: BluetoothState) {
        guard new != bluetoothState else { return }
        bluetoothState = new
        state.publish()
        switch new {
        case .unknown: break
        case .poweredOn:
            let actions = queue.becameAvailable()
            // What an earlier run left comes before what the observers ask for.
            if restoration?.isUnderWay == true { restore() }
            handle(actions)
            perform(reconnecting.becameAvailable())
        default:
            handle(queue.becameUnavailable(new))
            perform(reconnecting.becameUnavailable())
        }
    }
}
