internal import FoundationEssentials

/// What the id of a player is made of.
enum PeerIDHash {
    /// A hash of all 16 bytes (FNV-1a): the first ones of an identifier are those of its maker.
    static func of(_ identifier: UUID) -> UInt32 {
        let bytes = identifier.uuid
        let all = [
            bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8,
            bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
        ]
        return all.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
