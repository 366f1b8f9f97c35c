public import BluejayCore

/// Whether BlueZ distinguishes the subscribers of a characteristic.
public enum SubscriptionMode: Hashable, Swift.Sendable {
    /// BlueZ reports only whether a central is subscribed, and sends each value to all subscribers.
    case shared
    /// Each subscriber is identified and has its own socket.
    ///
    /// ``GATTServer/addressing`` reports whether a value can be sent to one of them only.
    case perCentral
}

/// The centrals that BlueZ can send a notification to.
public enum NotificationAddressing: Hashable, Swift.Sendable {
    /// Each value reaches all subscribers: BlueZ before 5.76, or of an unknown version.
    case broadcast
    /// A value can be addressed to one central: BlueZ 5.76 and later.
    case unicast
}

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
