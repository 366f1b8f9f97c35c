/// The state of the link to a peripheral.
public enum ConnectionState: Hashable, Swift.Sendable {
    case disconnected
    /// A connection attempt runs, or the pause before the next attempt.
    case connecting
    /// The link is up and its services are known.
    case connected
    case disconnecting
}
