/// What a simulated system begins with.
public struct SimulatorOptions: Swift.Sendable {
    /// Which bluetoothd is simulated.
    public var kind = BlueZKind.bluez5_66
    /// How many adapters there are; they are `hci0`, `hci1` … with the addresses
    /// 00:AA:01:00:00:00, 00:AA:01:01:00:01 …
    public var adapterCount = 2
    /// Whether the adapters are on.
    public var isPoweredAtStart = true
    /// How long a simulated second takes: 0.1 makes all waits ten times shorter.
    public var timeScale = 1.0
    /// Devices that are in the air from the start.
    public var devices: [DeviceBuilder] = []

    /// Two adapters that are on, real waits, nothing else in the air.
    public init() {}
}
