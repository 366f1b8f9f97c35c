/// The required security of a channel's link.
///
/// If the link is less secure, bluetoothd pairs through an agent. The raw values are the kernel's.
public enum L2CAPSecurity: Int, Hashable, Swift.Sendable, CaseIterable {
    /// Encryption is not required.
    case low = 1
    /// Encryption is required.
    case medium = 2
    /// Encryption is required, with a pairing in which a user compared or typed a number.
    case high = 3
    /// Like `high`, with LE Secure Connections.
    case secureConnections = 4
}
