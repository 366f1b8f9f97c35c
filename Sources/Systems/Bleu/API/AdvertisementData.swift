public import FoundationEssentials

/// The content of an advertisement.
///
/// The packet has 31 bytes; the name is in the scan response, which has 29 bytes for it.
public struct AdvertisementData: Hashable, Swift.Sendable {
    /// The name, cut at 29 bytes of UTF-8; `nil` is the name of the actor's type.
    public var localName: String?
    /// Services besides the actor's own, 16 bytes each.
    public var serviceUUIDs: [UUID]
    /// The data of companies by their assigned number, with 4 bytes of overhead each.
    public var manufacturerData: [UInt16: Data]
    /// The data of services, with 18 bytes of overhead each.
    public var serviceData: [UUID: Data]
    /// Whether the packet has the transmit power, which takes 3 bytes.
    public var includesTxPower: Bool

    /// Creates the content.
    public init(
        localName: String? = nil,
        serviceUUIDs: [UUID] = [],
        manufacturerData: [UInt16: Data] = [:],
        serviceData: [UUID: Data] = [:],
        includesTxPower: Bool = false
    ) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.includesTxPower = includesTxPower
    }
}
