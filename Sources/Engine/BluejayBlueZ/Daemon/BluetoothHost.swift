public import BluejayGLib

/// Where Bluetooth is: a loop, the bus on which bluetoothd is, and one of its adapters.
///
/// What shares a loop and a bus shares one connection to bluetoothd, one discovery and one link for each
/// device, whatever product of this package it is of. So a program makes one value and gives it to
/// everything. A value is any thread's; nothing is opened by making one.
///
/// ```swift
/// let host = BluetoothHost(adapter: "hci1")
/// let bluejay = Bluejay(host: host)
/// let server = GATTServer(host: host)
/// ```
public struct BluetoothHost: Swift.Sendable {
    /// The loop that callbacks come on, and calls with callbacks are made on.
    public var mainLoop: MainLoop

    /// A name (`hci1`) or an address; nil is the first adapter that is on.
    public var adapter: String?

    /// The bus on which bluetoothd is; nil is the system bus, or what `DBUS_SYSTEM_BUS_ADDRESS` says.
    public var busAddress: String?

    /// Names a host.
    ///
    /// - Parameters:
    ///   - mainLoop: One that somebody runs; the one of ``MainLoop/background`` runs by itself.
    ///   - adapter: A name (`hci1`) or an address; nil is the first adapter that is on.
    ///   - busAddress: The bus on which bluetoothd is; nil is the system bus, or what
    ///     `DBUS_SYSTEM_BUS_ADDRESS` says.
    public init(
        mainLoop: MainLoop = .background,
        adapter: String? = nil,
        busAddress: String? = nil
    ) {
        self.mainLoop = mainLoop
        self.adapter = adapter
        self.busAddress = busAddress
    }
}
