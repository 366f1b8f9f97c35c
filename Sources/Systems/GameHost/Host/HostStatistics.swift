/// What of all that came a game was not given.
public struct HostStatistics: Hashable, Swift.Sendable {
    /// Writes of centrals that had not joined: answered, and dropped.
    public internal(set) var strayWriteCount = 0
    /// Messages that were dropped because 256 KiB of their player waited for the main actor.
    public internal(set) var unreadMessageCount = 0
    /// What has become of messages in fragments.
    public internal(set) var fragments = PacketReassembler.Statistics()
}
