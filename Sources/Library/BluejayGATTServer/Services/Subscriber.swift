public import BluejayCore

/// A central that is subscribed to a characteristic with `subscriptions: .perCentral`.
public struct Subscriber: Hashable, Swift.Sendable {
    /// The central.
    public let central: PeripheralIdentifier
    /// The ATT MTU of its link, from its subscription or a later request; nil before BlueZ 5.59.
    public let mtu: Int?
    /// The number of values queued for it; at most 256.
    public let waitingValueCount: Int
    /// The number of broadcast values it has missed because 256 were queued.
    public let droppedValueCount: Int
    /// Whether BlueZ has closed its socket by mistake (BlueZ issue 1452): broadcast values still reach it,
    /// and values for it alone only while no other central is connected.
    public let sharesValues: Bool

    /// The maximum length of a value that is not truncated: MTU − 3, at most 512; 20 if the MTU is unknown.
    public var maximumValueLength: Int {
        min(ATTLimits.maximumValueLength, ATTLimits.payload(mtu: mtu))
    }
}
