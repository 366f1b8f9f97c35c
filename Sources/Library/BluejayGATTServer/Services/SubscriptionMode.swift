/// Whether BlueZ distinguishes the subscribers of a characteristic.
public enum SubscriptionMode: Hashable, Swift.Sendable {
    /// BlueZ reports only whether a central is subscribed, and sends each value to all subscribers.
    case shared
    /// Each subscriber is identified and has its own socket.
    ///
    /// ``GATTServer/addressing`` reports whether a value can be sent to one of them only.
    case perCentral
}
