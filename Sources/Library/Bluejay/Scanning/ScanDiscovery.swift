/// A peripheral that was seen while scanning.
public struct ScanDiscovery: Hashable, Swift.Sendable {
    /// Which peripheral was seen.
    public let peripheralIdentifier: PeripheralIdentifier

    /// What the peripheral said about itself.
    public let advertisement: Advertisement

    /// The strength of the received signal in dBm; 127 is unknown.
    public let rssi: Int

    /// Whether this machine is connected to it already: an earlier run of the program that was killed
    /// has left the link, or another program uses it.
    ///
    /// It need not advertise then, so that the advertisement is what bluetoothd remembers, with all
    /// services that it has. A `connect` takes part in the link.
    public let isConnected: Bool

    /// Makes a discovery, for tests of your own code.
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

    /// The advertisement as the dictionary CoreBluetooth would give.
    ///
    /// The keys are ``CBAdvertisementDataLocalNameKey`` and its companions. ``advertisement`` has
    /// the same values with types.
    public var advertisementPacket: [String: Any] { advertisement.packet }
}
