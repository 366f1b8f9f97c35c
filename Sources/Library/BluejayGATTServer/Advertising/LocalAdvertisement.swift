public import BluejayCore
public import FoundationEssentials

/// What this machine says about itself to everybody around.
///
/// It is sent in a packet of 31 bytes, and the name in a second one, the scan response. What does not
/// fit is refused before anything is sent: BlueZ would send it in a way that older phones do not see.
public struct LocalAdvertisement: Hashable, Swift.Sendable {
    /// The most bytes of a name: a scan response has 31, less the length and the type of the name.
    package static let maximumNameLength = 29

    /// The services to be found by; centrals see all the others once they are connected.
    ///
    /// Those of 16 bits take 2 bytes each, all others 16, and each of the two kinds 2 more.
    public var serviceUUIDs: [BluetoothUUID]
    /// The name in the scan response, at most 29 bytes of UTF-8; nil sends none.
    ///
    /// The name that a connected central reads is another: the alias of the adapter.
    public var localName: String?
    /// Data of companies, by the company's assigned number; 4 bytes each beside the data.
    public var manufacturerData: [UInt16: Data]
    /// Data of services; 4 bytes each beside the data, or 18 when the UUID is not of 16 bits.
    public var serviceData: [BluetoothUUID: Data]
    /// What the device looks like (Assigned Numbers, 2.6); 4 bytes.
    public var appearance: UInt16?
    /// Whether the power at which the adapter sends is part of it; 3 bytes.
    public var includesTxPower: Bool
    /// Whether centrals may connect; if not, it is a broadcast.
    public var isConnectable: Bool
    /// Whether phones show the device in their lists; 3 bytes, and not for a broadcast.
    public var isDiscoverable: Bool
    /// The least and the longest time between two packets, from 20 ms to 10,485 s; nil is BlueZ's own.
    ///
    /// BlueZ before 5.77 follows it only when it was started with `--experimental`.
    public var interval: ClosedRange<Duration>?
    /// After which whole seconds it ends by itself, at most 65,535; nil is never.
    public var timeout: Duration?
    /// The power to send at, from −127 to +20 dBm; nil is the adapter's own.
    ///
    /// It is a wish: followed where ``GATTServer/canSetTxPower`` says so, and rounded by the adapter to
    /// what it can.
    public var txPower: Int?
    /// Whether it is registered again after each connection of a central, so that the next one finds it.
    ///
    /// A controller with Extended Advertising ends it with the first connection, and nothing tells so.
    /// Others resume by themselves, whatever is said here; a broadcast does not end.
    public var keepsAdvertising: Bool

    /// Makes an advertisement; only what is given is sent.
    public init(
        serviceUUIDs: [BluetoothUUID] = [],
        localName: String? = nil,
        manufacturerData: [UInt16: Data] = [:],
        serviceData: [BluetoothUUID: Data] = [:],
        appearance: UInt16? = nil,
        includesTxPower: Bool = false,
        isConnectable: Bool = true,
        isDiscoverable: Bool = true,
        interval: ClosedRange<Duration>? = nil,
        timeout: Duration? = nil,
        txPower: Int? = nil,
        keepsAdvertising: Bool = true
    ) {
        self.serviceUUIDs = serviceUUIDs
        self.localName = localName
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.appearance = appearance
        self.includesTxPower = includesTxPower
        self.isConnectable = isConnectable
        self.isDiscoverable = isDiscoverable
        self.interval = interval
        self.timeout = timeout
        self.txPower = txPower
        self.keepsAdvertising = keepsAdvertising
    }
}

extension LocalAdvertisement {
    /// How many of the 31 bytes of the packet are used.
    public var length: Int { AdvertisementLayout.length(self) }

    /// Refuses what cannot be sent.
    ///
    /// - Throws: ``BluejayError/advertisementTooLong(length:limit:)``,
    ///   ``BluejayError/nameTooLong(length:limit:)``,
    ///   ``BluejayError/invalidAdvertisement(_:)`` or ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> LocalAdvertisement {
        try AdvertisementLayout.check(self)
        return self
    }
}
