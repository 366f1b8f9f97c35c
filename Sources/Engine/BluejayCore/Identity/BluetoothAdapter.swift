/// A Bluetooth adapter of this computer, as it was when it was asked for.
public struct BluetoothAdapter: Hashable, Swift.Sendable {
    /// What the system calls it, such as `hci0`; plugged in again it may be called otherwise.
    public let name: String

    /// Its address, such as `00:1A:7D:DA:71:13`, which stays the same when it is plugged in again.
    public let address: String

    /// Whether the address is random rather than public.
    public package(set) var isRandomAddress = false

    /// What people call it, and what others see of it; the computer's name unless somebody set it.
    public package(set) var alias = ""

    /// Whether it is on, and can be used.
    public package(set) var isPowered = false

    /// Whether rfkill, such as the airplane mode, keeps it off.
    ///
    /// Known from BlueZ 5.66 on; before, a blocked adapter is one that is off.
    public package(set) var isBlocked = false

    /// Whether anybody discovers with it, this program or another.
    public package(set) var isDiscovering = false

    /// Whether others than this program discover with it; nil when that cannot be known.
    ///
    /// bluetoothd tells that there is a discovery, and not whose: it is not known while this program
    /// scans, nor of a discovery that outlasts its scan. What uses another main loop counts as another
    /// program.
    public package(set) var isDiscoveringForOthers: Bool? = false

    /// The version of the bluetoothd behind it; nil when the adapter does not say it.
    public package(set) var bluezVersion: BlueZVersion?

    /// What it can do.
    public package(set) var features: Features = []

    package init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    /// Whether this is its name or its address; an address may be in lower case.
    package func isCalled(_ text: String) -> Bool {
        name == text || address.uppercased() == text.uppercased()
    }
}

extension BluetoothAdapter {
    /// What an adapter, its driver and its bluetoothd can do; a later version may know more.
    public struct Features: OptionSet, Hashable, Swift.Sendable {
        /// The features as bits.
        public let rawValue: Int

        /// Makes a set of features from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// It can connect to peripherals.
        public static let central = Features(rawValue: 1)
        /// It can be a peripheral.
        public static let peripheral = Features(rawValue: 2)
        /// It can be both at once.
        public static let centralAndPeripheral = Features(rawValue: 4)
        /// It sends advertisements of programs (`LEAdvertisingManager1`).
        public static let advertising = Features(rawValue: 8)
        /// It takes advertisement monitors (`AdvertisementMonitorManager1`).
        public static let advertisementMonitors = Features(rawValue: 16)
    }
}

extension BluetoothAdapter: CustomStringConvertible {
    /// Such as `hci0 (00:1A:7D:DA:71:13)`.
    public var description: String { "\(name) (\(address))" }
}
