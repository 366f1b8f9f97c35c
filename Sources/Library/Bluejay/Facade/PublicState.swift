internal import BluejayBlueZ
internal import BluejayGLib

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
}

/// What any thread may read of the connected peripheral.
struct PublishedPeripheral: Swift.Sendable {
    /// Whether there is a link that can be written to.
    var isUp = false
    var mtu: Int?
    var services: [PeripheralService] = []
    var details: PeripheralDetails?
    /// The listens; nil while no peripheral is connected.
    var listens: ListenStateMachine<CharacteristicIdentifier>?
}

/// The settings of a `Bluejay`, as its users see them.
struct Settings: Swift.Sendable {
    let broadcastsErrors = LoopProperty(false)
    let reconnectOptions = LoopProperty(ReconnectOptions())
    let defaultTimeouts = LoopProperty(DefaultTimeouts())
    let usesWriteSockets = LoopProperty(true)
}
