internal import BluejayBlueZ
public import BluejayCore
public import FoundationEssentials

/// The data that this machine broadcasts to nearby devices.
///
/// It is sent in a packet of 31 bytes; the name is in a second packet, the scan response. Content that does
/// not fit is refused: BlueZ would send it in a form that older phones do not receive.
public struct LocalAdvertisement: Hashable, Swift.Sendable {
    /// A scan response has 31 bytes, minus the length and the type of the name.
    package static let maximumNameLength = 29

    /// The advertised services; a connected central can discover all others.
    ///
    /// Each 16-bit UUID takes 2 bytes, each other UUID 16, and each of the two kinds 2 more.
    public var serviceUUIDs: [BluetoothUUID]
    /// The name in the scan response, at most 29 bytes of UTF-8; nil sends none.
    ///
    /// A connected central reads a different name: the alias of the adapter.
    public var localName: String?
    /// Manufacturer-specific data by company identifier; 4 bytes each in addition to the data.
    public var manufacturerData: [UInt16: Data]
    /// Service data; 4 bytes each in addition to the data, or 18 if the UUID is longer than 16 bits.
    public var serviceData: [BluetoothUUID: Data]
    /// The appearance of the device (Assigned Numbers, 2.6); 4 bytes.
    public var appearance: UInt16?
    /// Whether to include the transmit power; 3 bytes.
    public var includesTxPower: Bool
    /// Whether centrals may connect; otherwise the advertisement is a broadcast.
    public var isConnectable: Bool
    /// Whether phones list the device; 3 bytes, ignored for a broadcast.
    public var isDiscoverable: Bool
    /// The minimum and maximum interval between packets, from 20 ms to 10,485 s; nil is the default of BlueZ.
    ///
    /// BlueZ before 5.77 applies it only when started with `--experimental`.
    public var interval: ClosedRange<Duration>?
    /// The time after which the advertisement ends, in whole seconds, at most 65,535; nil is never.
    public var timeout: Duration?
    /// The transmit power, from −127 to +20 dBm; nil is the default of the adapter.
    ///
    /// Adapters for which ``GATTServer/canSetTxPower`` is true apply it, rounded to a level that they
    /// support.
    public var txPower: Int?
    /// Whether to register again after each connection, so that the next central finds the device.
    ///
    /// A controller with Extended Advertising stops advertising at the first connection without reporting it.
    /// Others resume by themselves; a broadcast does not stop.
    public var keepsAdvertising: Bool

    /// Creates an advertisement; only the given parts are sent.
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
    /// Creates an advertisement with a name, to which centrals may connect.
    ///
    /// - Parameters:
    ///   - name: The ``localName``.
    ///   - serviceUUIDs: The ``serviceUUIDs``, such as `["FFE0"]`.
    public init(name: String, serviceUUIDs: [BluetoothUUID] = []) {
        self.init(serviceUUIDs: serviceUUIDs, localName: name)
    }

    /// The number of bytes used of the 31 in the packet.
    public var length: Int { AdvertisementLayout.length(self) }

    /// Checks that the advertisement can be sent.
    ///
    /// - Throws: ``BluejayError/advertisementTooLong(length:limit:)``,
    ///   ``BluejayError/nameTooLong(length:limit:)``, ``BluejayError/invalidAdvertisement(_:)`` or
    ///   ``BluejayError/malformedUUID(_:)``.
    @discardableResult
    public func validated() throws -> LocalAdvertisement {
        try AdvertisementLayout.check(self)
        return self
    }
}

extension LocalAdvertisement {
    /// The advertisement in the form that bluetoothd reads.
    var wire: LEAdvertisement1 {
        var wire = LEAdvertisement1()
        wire.isConnectable = isConnectable
        wire.isDiscoverable = AdvertisementLayout.isDiscoverable(self)
        wire.serviceUUIDs = serviceUUIDs
        wire.manufacturerData = manufacturerData
        wire.serviceData = serviceData
        wire.localName = localName
        wire.appearance = appearance
        wire.includesTxPower = includesTxPower
        wire.interval = interval
        wire.timeout = timeout
        wire.txPower = txPower.flatMap { Int16(exactly: $0) }
        return wire
    }
}
