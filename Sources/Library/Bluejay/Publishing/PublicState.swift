internal import BluejayBlueZ
internal import BluejayGLib

/// The state of a `Bluejay` that all threads may read, as one value.
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

/// The state of the connected peripheral that all threads may read.
struct PublishedPeripheral: Swift.Sendable {
    /// Whether a link exists that accepts writes.
    var isUp = false
    var mtu: Int?
    var services: [PeripheralService] = []
    var details: PeripheralDetails?
    /// The characteristics with a listen, or `nil` while no peripheral is connected.
    var listens: Set<CharacteristicIdentifier>?
}

/// The settings of a `Bluejay`, as last set on any thread.
struct Settings: Swift.Sendable {
    let broadcastsErrors = LoopProperty(false)
    let reconnectOptions = LoopProperty(ReconnectOptions())
    let defaultTimeouts = LoopProperty(DefaultTimeouts())
    let usesWriteSockets = LoopProperty(true)
}

extension Collection<CharacteristicIdentifier> {
    /// Returns whether a characteristic is an element; with a UUID alone, whether any element has it.
    func containsMatch(of characteristic: CharacteristicIdentifier) -> Bool {
        contains(characteristic)
            || characteristic.service.isAny && contains { $0.uuid == characteristic.uuid }
    }
}
