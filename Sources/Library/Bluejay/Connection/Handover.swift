internal import BluejayDBus

/// Where bluetoothd is, and which adapter is used: what CoreBluetooth keeps in a central manager.
///
/// A plain value; it holds no connection to the bus.
public struct CentralManager: Hashable, Swift.Sendable {
    /// The bus on which bluetoothd is, in the notation of D-Bus; nil is the system bus.
    public let busAddress: String?

    /// The object of the adapter, such as `/org/bluez/hci0`; nil is the first adapter that is on.
    public let adapterPath: String?

    /// Names a bus and an adapter.
    public init(busAddress: String? = nil, adapterPath: String? = nil) {
        self.busAddress = busAddress
        self.adapterPath = adapterPath
    }
}

/// A peripheral that bluetoothd is connected to: what is handed from one library to another.
///
/// A plain value; the link is bluetoothd's and stays until somebody calls
/// `org.bluez.Device1.Disconnect` or the peripheral leaves.
public struct ConnectedPeripheral: Hashable, Swift.Sendable {
    /// The object of the device, such as `/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02`.
    public let devicePath: String

    /// Names the device; nil when it was made from a path.
    public let identifier: PeripheralIdentifier?

    /// Names a device that another library has connected to.
    public init(devicePath: String) {
        self.devicePath = devicePath
        identifier = nil
    }

    init(devicePath: String, identifier: PeripheralIdentifier) {
        self.devicePath = devicePath
        self.identifier = identifier
    }
}

/// The name ``CentralManager`` has in CoreBluetooth.
public typealias CBCentralManager = CentralManager

/// The name ``ConnectedPeripheral`` has in CoreBluetooth.
public typealias CBPeripheral = ConnectedPeripheral
