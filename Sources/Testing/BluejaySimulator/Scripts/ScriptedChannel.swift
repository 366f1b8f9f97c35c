/// The behaviour of a simulated device at its end of an L2CAP channel.
public enum ScriptedChannel: Equatable, Swift.Sendable {
    /// Returns every packet to its sender.
    case echo
    /// Accepts every packet, and sends none.
    case sink
    /// Reads nothing, so the sender has to wait.
    case neverReads
    /// Sends these packets as fast as the other end accepts them, and accepts every packet.
    case source([[UInt8]])
    /// Closes the channel after this many bytes, even in the middle of a packet.
    case closes(afterBytes: Int)
    /// Moves out of range after this many bytes: the channel ends with its link.
    case goesAway(afterBytes: Int)
}
