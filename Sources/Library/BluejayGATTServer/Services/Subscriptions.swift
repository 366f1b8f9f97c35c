public import BluejayCore

/// How the subscribers of a characteristic are told apart.
public enum Subscriptions: Hashable, Swift.Sendable {
    /// They are not: BlueZ says that somebody is subscribed, and sends each value to everybody.
    case together
    /// Each has a socket of its own, and is known by its identifier.
    ///
    /// Whether a value can be sent to one alone is for ``GATTServer/addressing`` to say.
    case perCentral
}

/// Whom BlueZ can send a notification to.
public enum NotificationAddressing: Hashable, Swift.Sendable {
    /// Everybody who is subscribed gets each value: BlueZ before 5.76, and one whose version is not known.
    case all
    /// One central can be meant: BlueZ 5.76 and later.
    case each
}

/// A central that is subscribed to a characteristic whose subscribers are told apart.
public struct Subscriber: Hashable, Swift.Sendable {
    /// Who it is.
    public let central: PeripheralIdentifier
    /// The ATT MTU of its link, as its subscription or a later request said; nil before BlueZ 5.59.
    public let mtu: Int?
    /// How many values wait for it; at most 256.
    public let waitingValueCount: Int
    /// How many values for everybody it has missed since it subscribed, because 256 waited.
    public let lostValueCount: Int
    /// Whether BlueZ has closed its socket by mistake (BlueZ issue 1452): values for everybody reach it, and
    /// values for it alone only while no other central is connected.
    public let sharesValues: Bool

    /// The most bytes of a value that reach it whole: MTU − 3, at most 512, and 20 while the MTU is not
    /// known.
    public var maximumValueLength: Int {
        min(ATTLimits.longestValue, ATTLimits.payload(mtu: mtu))
    }
}
