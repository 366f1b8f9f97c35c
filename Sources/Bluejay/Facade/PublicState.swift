/// What any thread may read of a `Bluejay`, as one value.
struct PublicState: Equatable {
    var hasStarted = false
    var bluetoothState = BluetoothState.unknown
    var isConnecting = false
    var isConnected = false
    var isDisconnecting = false
    var isScanning = false
    var shouldAutoReconnect = true
    var isRestorationEnabled = false
    var broadcastsErrors = false
    var reconnectOptions = ReconnectOptions()
}

extension OperationRunner {
    /// The present state; on the loop.
    var publicState: PublicState {
        PublicState(
            hasStarted: hasStarted,
            bluetoothState: bluetoothState,
            isConnecting: queue.isConnecting,
            isConnected: queue.isConnected,
            isDisconnecting: queue.isDisconnecting,
            isScanning: queue.isScanning,
            shouldAutoReconnect: reconnecting.isWanted,
            isRestorationEnabled: restoration != nil,
            broadcastsErrors: broadcastsErrors,
            reconnectOptions: reconnecting.options
        )
    }

    /// Lets other threads read the present state.
    func publish() {
        let state = publicState
        guard state != lastPublished else { return }
        lastPublished = state
        published.value = state
    }
}
