/// The progress of a connection attempt.
package enum LinkProgress: Equatable, Swift.Sendable {
    /// bluetoothd does not know the device and searches for it.
    case discovering
    /// `Connect` is pending, or the delay before the next one; attempts count from 1.
    case connecting(attempt: Int)
    /// The link is up and resolves its services; it may break and be connected again.
    case connected
    /// The services are known: the link is ready for use.
    case servicesResolved
}
