internal import BluejayDBus

/// The bus and the adapter, which CoreBluetooth keeps in a central manager.
///
/// The type is a plain value and holds no connection to the bus.
public struct CentralManager: Hashable, Swift.Sendable {
    /// The D-Bus address of bluetoothd's bus, or `nil` for the system bus.
    public let busAddress: String?

    /// The object path of the adapter, such as `/org/bluez/hci0`, or `nil` for the first adapter that is on.
    public let adapterPath: String?

    /// Creates a reference to a bus and an adapter.
    public init(busAddress: String? = nil, adapterPath: String? = nil) {
        self.busAddress = busAddress
        self.adapterPath = adapterPath
    }
}

/// A peripheral that is connected in bluetoothd, for a handover between libraries.
///
/// The type is a plain value. bluetoothd owns the link, which stays until a program calls
/// `org.bluez.Device1.Disconnect` or the peripheral disconnects.
public struct ConnectedPeripheral: Hashable, Swift.Sendable {
    /// The object path of the device, such as `/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02`.
    public let devicePath: String

    /// The identifier of the device, or `nil` if the value was created from a path.
    public let identifier: PeripheralIdentifier?

    /// Creates a reference to a device that another library is connected to.
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
