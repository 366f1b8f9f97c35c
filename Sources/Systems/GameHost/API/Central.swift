public import FoundationEssentials

/// The device of a player.
public struct Central: Hashable, Swift.Sendable {
    /// An identifier derived from the address, so it survives a restart; pairing may replace it.
    public let identifier: UUID
    /// The maximum size of a value that arrives whole, in bytes: ATT MTU − 3, from 20 to 512.
    public let maximumUpdateValueLength: Int

    package init(identifier: UUID, maximumUpdateValueLength: Int) {
        self.identifier = identifier
        self.maximumUpdateValueLength = maximumUpdateValueLength
    }
}
