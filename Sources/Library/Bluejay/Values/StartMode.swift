/// The initial state of `start(mode:)`.
public enum StartMode {
    /// A fresh start, or the restoration of an earlier run.
    case new(StartOptions)
    /// A connection taken over from another library or instance; see
    /// `stopAndExtractBluetoothState()`.
    case use(manager: CentralManager, peripheral: ConnectedPeripheral?)
}

/// The options of `start(mode:)`.
public struct StartOptions {
    /// Accepted for source compatibility; Linux has no such alert.
    ///
    /// ``Bluejay/Bluejay/bluetoothState`` has the reason if Bluetooth cannot be used.
    public let enableBluetoothAlert: Bool

    /// Whether to restore the peripheral and the listens of an earlier run.
    public let backgroundRestore: BackgroundRestoreMode

    /// Creates a set of options.
    public init(enableBluetoothAlert: Bool, backgroundRestore: BackgroundRestoreMode) {
        self.enableBluetoothAlert = enableBluetoothAlert
        self.backgroundRestore = backgroundRestore
    }

    /// No alert and no restoration.
    public static var `default`: StartOptions {
        StartOptions(enableBluetoothAlert: false, backgroundRestore: .disable)
    }
}
