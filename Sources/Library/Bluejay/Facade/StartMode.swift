/// What ``Bluejay/Bluejay/start(mode:)`` begins with.
public enum StartMode {
    /// With nothing, or with what was there before a restart.
    case new(StartOptions)
    /// With what another library, or another instance, has set up; see
    /// ``Bluejay/Bluejay/stopAndExtractBluetoothState()``.
    case use(manager: CentralManager, peripheral: ConnectedPeripheral?)
}

/// How ``Bluejay/Bluejay/start(mode:)`` begins.
public struct StartOptions {
    /// Accepted for source compatibility: Linux has no such alert, and what is wrong is in
    /// ``Bluejay/Bluejay/bluetoothState``.
    public let enableBluetoothAlert: Bool

    /// Whether the peripheral and the listens of an earlier run are taken up again.
    public let backgroundRestore: BackgroundRestoreMode

    /// Makes a set of options.
    public init(enableBluetoothAlert: Bool, backgroundRestore: BackgroundRestoreMode) {
        self.enableBluetoothAlert = enableBluetoothAlert
        self.backgroundRestore = backgroundRestore
    }

    /// No alert and no restoration.
    public static var `default`: StartOptions {
        StartOptions(enableBluetoothAlert: false, backgroundRestore: .disable)
    }
}
