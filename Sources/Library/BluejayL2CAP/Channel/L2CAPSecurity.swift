/// How secure the link of a channel has to be.
///
/// A link that is not is made so: bluetoothd pairs, by an agent. The numbers are those of the kernel.
public enum L2CAPSecurity: Int, Hashable, Swift.Sendable, CaseIterable {
    /// It need not be encrypted.
    case low = 1
    /// Encrypted.
    case medium = 2
    /// Encrypted, by a pairing in which somebody compared or typed a number.
    case high = 3
    /// As `high`, with LE Secure Connections.
    case secureConnections = 4
}
