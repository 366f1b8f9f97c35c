/// Which bluetoothd is simulated.
public enum BlueZKind: String, CaseIterable, Swift.Sendable {
    /// Debian 12's.
    case v5_66 = "5.66"
    /// A newer one: the reply of `Disconnect` comes last, disconnections have reasons.
    case v5_86 = "5.86"
}

/// How a simulated BlueZ is set up.
public struct SimulatorOptions: Swift.Sendable {
    /// How many adapters there are: hci0, hci1, …
    public var adapters = 2
    /// Whether they are on.
    public var isPowered = true
    /// What one second of bluetoothd's waits takes, in seconds.
    ///
    /// The waits are those of the real one: 2 s in `Disconnect`, 30 s for an ATT answer, 41 s for a
    /// connection, 30 s until a silent device is dropped. Below 1 they are shorter.
    public var timeScale = 1.0
    /// Which bluetoothd it is.
    public var kind = BlueZKind.v5_66

    /// Makes the usual set-up: two adapters that are on, real waits, BlueZ 5.66.
    public init() {}
}

/// The waits of a real bluetoothd.
struct Waits {
    /// From `Connect` to the link, when the peer advertises.
    var linkUp = Duration.milliseconds(5)
    /// From the link to resolved services, the first time and when they are cached.
    var firstResolve = Duration.milliseconds(150)
    var cachedResolve = Duration.milliseconds(60)
    var disconnect = Duration.seconds(2)
    /// The ATT transaction timeout, Core Specification, Vol 3, Part F, 3.3.3.
    var attribute = Duration.seconds(30)
    /// From the ATT timeout to the end of the link.
    var afterAttributeTimeout = Duration.seconds(2)
    var connect = Duration.seconds(41)
    /// `TemporaryTimeout`.
    var temporary = Duration.seconds(30)
    /// From the reply of `StartDiscovery` to the first report.
    var firstReport = Duration.milliseconds(2)
    /// Between two advertisements of one device.
    var advertisingInterval = Duration.seconds(1)
}
