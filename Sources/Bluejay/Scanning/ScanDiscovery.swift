/// A peripheral that was seen while scanning.
public struct ScanDiscovery: Hashable, Swift.Sendable {
    /// Which peripheral was seen.
    public let peripheralIdentifier: PeripheralIdentifier

    /// What the peripheral said about itself.
    public let advertisement: Advertisement

    /// The strength of the received signal in dBm.
    public let rssi: Int

    /// Makes a discovery, for tests of your own code.
    public init(
        peripheralIdentifier: PeripheralIdentifier,
        advertisement: Advertisement,
        rssi: Int
    ) {
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
