/// The centrals that BlueZ can send a notification to.
public enum NotificationAddressing: Hashable, Swift.Sendable {
    /// Each value reaches all subscribers: BlueZ before 5.76, or of an unknown version.
    case broadcast
    /// A value can be addressed to one central: BlueZ 5.76 and later.
    case unicast
}
