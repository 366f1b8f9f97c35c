/// A snapshot of a Bluetooth adapter of this computer.
public struct BluetoothAdapter: Hashable, Swift.Sendable {
    /// The system's name, such as `hci0`, which may change if the adapter is replugged.
    public let name: String

    /// The address, such as `00:1A:7D:DA:71:13`, which replugging does not change.
    public let address: String

    /// Whether the address is random rather than public.
    public package(set) var isRandomAddress = false

    /// The name shown to people here and on other devices; the computer's name by default.
    public package(set) var alias = ""

    /// Whether the adapter is on and can be used.
    public package(set) var isPowered = false

    /// Whether rfkill, such as the airplane mode, blocks the adapter.
    ///
    /// Reported by BlueZ 5.66 and later; before, a blocked adapter counts as off.
    public package(set) var isBlocked = false

    /// Whether this or any other program is discovering.
    public package(set) var isDiscovering = false

    /// Whether another program is discovering, or `nil` if that is unknown.
    ///
    /// bluetoothd reports a discovery without its owner. The owner is therefore unknown while this program
    /// scans, and for a discovery that outlasts its scan. Code on another main loop counts as another
    /// program.
    public package(set) var isDiscoveringForOtherPrograms: Bool? = false

    /// The version of the adapter's bluetoothd, or `nil` if the adapter does not report it.
    public package(set) var bluezVersion: BlueZVersion?

    /// The capabilities of the adapter.
    public package(set) var features: Features = []

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// Whether `text` is the name or the address, which may be in lower case.
    package func matches(_ text: String) -> Bool {
        name == text || address.uppercased() == text.uppercased()
    }
}

extension BluetoothAdapter {
    /// The capabilities of an adapter, its driver and its bluetoothd; later versions may add more.
    public struct Features: OptionSet, Hashable, Swift.Sendable {
        /// The features as bits.
        public let rawValue: Int

        /// Creates a set of features from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Connects to peripherals.
        public static let central = Features(rawValue: 1)
        /// Acts as a peripheral.
        public static let peripheral = Features(rawValue: 2)
        /// Acts as a central and a peripheral at the same time.
        public static let centralAndPeripheral = Features(rawValue: 4)
        /// Sends advertisements of programs (`LEAdvertisingManager1`).
        public static let advertising = Features(rawValue: 8)
        /// Supports advertisement monitors (`AdvertisementMonitorManager1`).
        public static let advertisementMonitors = Features(rawValue: 16)
    }
}

extension BluetoothAdapter: CustomStringConvertible {
    /// The name and the address, such as `hci0 (00:1A:7D:DA:71:13)`.
    public var description: String { "\(name) (\(address))" }
}
