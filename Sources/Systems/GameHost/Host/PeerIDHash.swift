internal import FoundationEssentials

/// The hash from which the id of a player is made.
enum PeerIDHash {
    /// Returns an FNV-1a hash of all 16 bytes: the first bytes of an identifier name the manufacturer only.
    static func of(_ identifier: UUID) -> UInt32 {
        let bytes = identifier.uuid
        let all = [
            bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8,
            bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
        ]
        return all.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
