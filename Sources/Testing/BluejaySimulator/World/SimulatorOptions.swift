/// How a simulated BlueZ is set up.
public struct SimulatorOptions: Swift.Sendable {
    /// How many adapters there are.
    ///
    /// They are `hci0`, `hci1` … with the addresses 00:AA:01:00:00:00, 00:AA:01:01:00:01 …
    public var adapters = 2
    /// Whether they are on.
    public var isPowered = true
    /// What one second of bluetoothd's waits takes, in seconds.
    ///
    /// The waits are those of the real one: 2 s in `Disconnect`, 30 s for an ATT answer, 41 s for a
    /// connection, 30 s until a silent device is dropped. Below 1 they are shorter. What is below
    /// 0.0001, or not a number, counts as 0.0001, and what is above 1000 as 1000.
    public var timeScale = 1.0 {
        didSet { timeScale = min(1000, timeScale >= 0.0001 ? timeScale : 0.0001) }
    }
    /// Whether the bus starts a bluetoothd that has ended when a program asks for it, as D-Bus activation
    /// does on most systems.
    public var isActivated = false
    /// Whether adapters take advertisement monitors: bluetoothd from 5.56 on, with `--experimental`.
    public var takesMonitors = true
    /// Whether L2CAP channels are made here; else programs use the kernel's, as with the real bluetoothd.
    public var makesChannels = true
    /// Whether programs may listen for channels below 0x0080, as with `CAP_NET_BIND_SERVICE`.
    public var permitsReservedPSM = false
    /// What the controllers do when a central connects to what they advertise.
    public var controller = SimulatedController.legacy
    /// How many advertisements an adapter sends at once.
    public var advertisingInstances = 5 {
        didSet { advertisingInstances = min(255, max(0, advertisingInstances)) }
    }
    /// The ATT MTU that adapters agree to, 23 to 517.
    public var mtu = 517 {
        didSet { mtu = min(517, max(23, mtu)) }
    }
    /// Which bluetoothd it is.
    public var kind = BlueZKind.v5_66
    /// What the adapters say in `Modalias`, as `DeviceID` of main.conf may have it; nil is the kind's own,
    /// which tells the version, and an empty text is none.
    public var modalias: String?

    /// Makes the usual set-up: two adapters that are on, real waits, BlueZ 5.66.
    public init() {}
}

/// Which kind of controller the adapters of a simulator have.
public enum SimulatedController: Swift.Sendable {
    /// One of Bluetooth 4: the kernel has it advertise again at once after a connection, where a real one
    /// takes up to two seconds.
    case legacy
    /// One with Extended Advertising: what it advertises ends with the first connection.
    ///
    /// Neither kernel nor bluetoothd begins it again, and `Release` is not called; another registration
    /// lets the next central in. The adapter has the properties of such a controller, and sets the power
    /// that an advertisement asks for.
    case extended
}
