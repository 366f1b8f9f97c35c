/// What any thread may read of a `Bluejay`, as one value.
struct PublicState: Equatable {
    var hasStarted = false
    var bluetoothState = BluetoothState.unknown
    var isConnecting = false
    var isConnected = false
    var connectedPeripheral: PeripheralIdentifier?
    var isDisconnecting = false
    var isScanning = false
    var shouldAutoReconnect = true
    var isRestorationEnabled = false
    var broadcastsErrors = false
    var reconnectOptions = ReconnectOptions()
    var defaultTimeouts = DefaultTimeouts()
}

extension OperationRunner {
    /// The present state; on the loop.
    var publicState: PublicState {
        PublicState(
            hasStarted: hasStarted,
            bluetoothState: bluetoothState,
            isConnecting: queue.isConnecting,
            isConnected: queue.isConnected,
            connectedPeripheral: queue.isConnected ? peripheral : nil,
            isDisconnecting: queue.isDisconnecting,
            isScanning: queue.isScanning,
            shouldAutoReconnect: reconnecting.isWanted,
            isRestorationEnabled: restoration != nil,
            broadcastsErrors: broadcastsErrors,
            reconnectOptions: reconnecting.options,
            defaultTimeouts: defaultTimeouts
        )
    }

    /// Lets other threads read the present state.
    ///
    /// It is called around every callback: what the queue says is compared first, and the rest only when
    /// it was touched.
    func publish() {
        let glance = queue.glance
        guard isTouched || glance != lastGlance else { return }
        isTouched = false
        lastGlance = glance
        let state = publicState
        guard state != lastPublished else { return }
        lastPublished = state
        published.value = state
    }
}
