/// A peripheral found by a scan.
public struct ScanDiscovery: Hashable, Swift.Sendable {
    /// The identifier of the peripheral.
    public let peripheralIdentifier: PeripheralIdentifier

    /// The advertised data of the peripheral.
    public let advertisement: Advertisement

    /// The strength of the received signal in dBm; 127 if unknown.
    public let rssi: Int

    /// Whether this computer is already connected to the peripheral.
    ///
    /// A killed earlier run of the program may have left the link, or another program may use it. Such a
    /// peripheral need not advertise: the advertisement contains bluetoothd's stored data and all services of
    /// the peripheral. A `connect` shares the link.
    public let isConnected: Bool

    /// Creates a discovery, for tests of your own code.
    public init(
        peripheralIdentifier: PeripheralIdentifier,
        advertisement: Advertisement,
        rssi: Int,
        isConnected: Bool = false
    ) {
        self.isConnected = isConnected
        self.peripheralIdentifier = peripheralIdentifier
        self.advertisement = advertisement
        self.rssi = rssi
    }

    /// The advertisement as the dictionary that CoreBluetooth would provide.
    ///
    /// The keys are ``CBAdvertisementDataLocalNameKey`` and its companions. ``advertisement`` has the same
    /// values with types.
    public var advertisementPacket: [String: Any] { advertisement.packet }
}
