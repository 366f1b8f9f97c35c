/// Why a channel has ended.
public enum L2CAPChannelEnd: Hashable, Swift.Sendable {
    /// Closed here.
    case closed
    /// Closed by the peer, its link is still there.
    case closedByPeer
    /// The link has gone.
    case linkLost(DisconnectReason)
    /// Bluetooth was switched off, the adapter was unplugged, or bluetoothd has gone.
    case bluetoothUnavailable
    /// The kernel gave the channel up with this number of errno.
    case failed(Int32)
}
