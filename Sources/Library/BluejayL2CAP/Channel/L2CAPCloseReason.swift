/// The reason for the end of a channel.
public enum L2CAPCloseReason: Hashable, Swift.Sendable {
    /// This program closed the channel.
    case closed
    /// The peer closed the channel; the link is still up.
    case closedByPeer
    /// The link dropped.
    case linkLost(DisconnectReason)
    /// Bluetooth was switched off, the adapter was unplugged, or bluetoothd stopped.
    case bluetoothUnavailable
    /// The kernel closed the channel with this `errno`.
    case failed(Int32)
}
