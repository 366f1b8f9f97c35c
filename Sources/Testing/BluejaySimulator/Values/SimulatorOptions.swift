/// The configuration of a simulated BlueZ.
public struct SimulatorOptions: Swift.Sendable {
    /// The number of adapters.
    ///
    /// They are `hci0`, `hci1` … with the addresses 00:AA:01:00:00:00, 00:AA:01:01:00:01 …
    public var adapters = 2
    /// Whether the adapters are powered on.
    public var isPowered = true
    /// The duration of one simulated second, in seconds.
    ///
    /// bluetoothd's real delays apply: 2 s in `Disconnect`, 30 s for an ATT answer, 41 s for a connection,
    /// 30 s until an unseen device is removed. A value below 1 makes them shorter. Values below 0.0001 and NaN
    /// count as 0.0001, values above 1000 as 1000.
    public var timeScale = 1.0 {
        didSet { timeScale = min(1000, timeScale >= 0.0001 ? timeScale : 0.0001) }
    }
    /// Whether the bus restarts an ended bluetoothd on demand, like D-Bus activation on most systems.
    public var isActivated = false
    /// Whether adapters support advertisement monitors: bluetoothd 5.56 and later with `--experimental`.
    public var takesMonitors = true
    /// Whether the simulator provides L2CAP channels; otherwise programs use the kernel's, as with a real
    /// bluetoothd.
    public var makesChannels = true
    /// Whether programs may listen for channels below 0x0080, as with `CAP_NET_BIND_SERVICE`.
    public var permitsReservedPSM = false
    /// The type of the controllers, which determines whether a connection ends their advertising.
    public var controller = SimulatedController.legacy
    /// The number of advertisements that an adapter can send concurrently.
    public var advertisingInstances = 5 {
        didSet { advertisingInstances = min(255, max(0, advertisingInstances)) }
    }
    /// The ATT MTU that adapters agree to, 23 to 517.
    public var mtu = 517 {
        didSet { mtu = min(517, max(23, mtu)) }
    }
    /// The version of bluetoothd.
    public var version = SimulatedBlueZVersion.v5_66
    /// The version of Linux, which the library asks for on the simulated bus instead of `uname`.
    public var kernel = SimulatedKernel.v6_1_176
    /// The `Modalias` of the adapters, as configured by `DeviceID` in main.conf.
    ///
    /// The default, `nil`, means a text that contains ``version``; an empty string removes the property.
    public var modalias: String?
    /// The faults of the world, from its start.
    public var faults = FaultSchedule()

    /// Creates the default configuration: two powered adapters, real delays, BlueZ 5.66.
    public init() {}
}

/// The type of a simulated adapter's controller.
public enum SimulatedController: Swift.Sendable {
    /// A Bluetooth 4 controller: the kernel resumes advertising immediately after a connection, where a real
    /// controller takes up to two seconds.
    case legacy
    /// A controller with Extended Advertising: the first connection ends an advertisement.
    ///
    /// Neither the kernel nor bluetoothd restarts it, and `Release` is not called; the next central can
    /// connect after another registration. The adapter has the properties of such a controller, and uses the
    /// transmit power that an advertisement requests.
    case extended
}
