internal import BluejayCore

/// The state of a server that any thread may read.
struct ServerState: Swift.Sendable {
    var hasStarted = false
    var bluetoothState: BluetoothState = .unknown
    var isAdvertising = false
    var connectedDevices: [PeripheralIdentifier] = []
    var centrals: [PeripheralIdentifier] = []
    var addressing = NotificationAddressing.broadcast
    var rejectedRequestCount = 0
    var canSetTxPower = false
}
