public import BluejayGLib

/// The location of Bluetooth: a main loop, the bus of bluetoothd, and one of its adapters.
///
/// All products of this package that share a loop and a bus also share one connection to bluetoothd, one
/// discovery and one link for each device. A program therefore creates one host and passes it to all of
/// them. A host is a plain value that any thread may use; creating one opens nothing.
///
/// ```swift
/// let host = BluetoothHost(adapter: "hci1")
/// let bluejay = Bluejay(host: host)
/// let server = GATTServer(host: host)
/// ```
public struct BluetoothHost: Swift.Sendable {
    /// The loop that runs the callbacks, and on which methods with callbacks must be called.
    public var mainLoop: MainLoop

    /// The name (`hci1`) or address of an adapter; nil is the first adapter that is on.
    public var adapter: String?

    /// The address of bluetoothd's bus; nil is the system bus, or the value of `DBUS_SYSTEM_BUS_ADDRESS`.
    public var busAddress: String?

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - mainLoop: A loop that the program runs; ``MainLoop/background`` runs by itself.
    ///   - adapter: The name (`hci1`) or address of an adapter; nil is the first adapter that is on.
    ///   - busAddress: The address of bluetoothd's bus; nil is the system bus, or the value of
    ///     `DBUS_SYSTEM_BUS_ADDRESS`.
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
