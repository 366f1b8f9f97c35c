/// The availability of Bluetooth, and the reason why it is unavailable.
public enum BluetoothState: Hashable, Swift.Sendable {
    /// Not known yet: Bluejay has not started, or BlueZ has not replied.
    case unknown
    /// The Bluetooth service is restarting.
    case resetting
    /// Bluetooth is available.
    case poweredOn
    /// The adapter is switched off.
    case poweredOff
    /// The adapter is blocked by rfkill, such as the airplane mode.
    case blocked
    /// The computer has no adapter.
    case noAdapter
    /// The computer has no adapter of this name, such as `hci1`.
    case adapterNotFound(String)
    /// `bluetoothd` is not running.
    case serviceNotRunning
    /// `bluetoothd` is running, but does not reply.
    case serviceNotResponding
    /// The system bus is unreachable; with the text of the failure.
    case busUnavailable(String)
    /// The bus does not allow this user to access BlueZ; with the text of the failure.
    case unauthorized(String)
}

extension BluetoothState: CustomStringConvertible {
    /// The state, and its remedy on Debian or Ubuntu.
    public var description: String {
        switch self {
        case .unknown:
            "the state of Bluetooth is unknown; call start() and wait for "
                + "bluetoothAvailable(true)"
        case .resetting:
            "the Bluetooth service is restarting; wait for bluetoothAvailable(true)"
        case .poweredOn:
            "Bluetooth is on"
        case .poweredOff:
            "the Bluetooth adapter is switched off; run `bluetoothctl power on`"
        case .blocked:
            "the Bluetooth adapter is blocked; run `sudo rfkill unblock bluetooth`, then "
                + "`bluetoothctl power on`"
        case .noAdapter:
            "no Bluetooth adapter found; plug one in and check `bluetoothctl list`"
        case .adapterNotFound(let name):
            "adapter \(name) not found; `ls /sys/class/bluetooth` lists the adapters"
        case .serviceNotRunning:
            "the Bluetooth service is not running; run `sudo systemctl start bluetooth`, or "
                + "`sudo apt install bluez` if the service does not exist"
        case .serviceNotResponding:
            "the Bluetooth service does not respond; run `sudo systemctl restart bluetooth`"
        case .busUnavailable(let text):
            "the D-Bus system bus is unreachable (\(text)); check that dbus is running "
                + "(`systemctl status dbus`) and that DBUS_SYSTEM_BUS_ADDRESS, if set, is right"
        case .unauthorized(let text):
            "access to Bluetooth denied (\(text)); run `bluejay doctor`, or check bluetooth.conf in "
                + "/etc/dbus-1/system.d and /usr/share/dbus-1/system.d"
        }
    }
}

extension BluetoothState {
    /// The same state as a reason why Bluetooth is unavailable.
    ///
    /// - Parameter other: The replacement for `poweredOn`, which is not a reason.
    /// - Returns: The reason.
    package func asReason(orElse other: BluetoothState) -> BluetoothState {
        self == .poweredOn ? other : self
    }

    /// Whether Bluetooth may become available without any action.
    var isTransient: Bool {
        switch self {
        case .unknown, .resetting, .poweredOn, .serviceNotResponding: true
        case .poweredOff, .blocked, .noAdapter, .adapterNotFound, .serviceNotRunning,
            .busUnavailable, .unauthorized:
            false
        }
    }
}
