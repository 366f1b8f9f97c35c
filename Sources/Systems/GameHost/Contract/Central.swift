public import FoundationEssentials

/// The device of a player.
public struct Central: Hashable, Swift.Sendable {
    /// Made of its address, so it is the same after a restart; pairing may replace it.
    public let identifier: UUID
    /// The most bytes of one value that reach it whole: its ATT MTU − 3, from 20 to 512.
    public let maximumUpdateValueLength: Int

    package init(identifier: UUID, maximumUpdateValueLength: Int) {
        self.identifier = identifier
        self.maximumUpdateValueLength = maximumUpdateValueLength
    }
}
