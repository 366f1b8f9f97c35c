/// Counts of the data that a game did not receive.
public struct HostStatistics: Hashable, Swift.Sendable {
    /// Writes of centrals that had not joined: acknowledged, then discarded.
    public internal(set) var strayWriteCount = 0
    /// Messages discarded because 256 KiB of their player already waited for the main actor.
    public internal(set) var unreadMessageCount = 0
    /// Counts of messages and fragments.
    public internal(set) var fragments = PacketReassembler.Statistics()
}
