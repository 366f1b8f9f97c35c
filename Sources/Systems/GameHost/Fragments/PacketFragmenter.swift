public import FoundationEssentials

/// Why a message cannot be cut into fragments.
public enum FragmentError: Error, Hashable, Swift.Sendable {
    /// It needs more than 255 fragments.
    case messageTooLarge(size: Int, limit: Int)
    /// No byte of a message fits behind the four of the header.
    case mtuTooSmall(Int)
}

/// Cuts messages into fragments that fit one value each.
///
/// A fragment is the packet's number in two bytes with the high one first, its own index, how many there
/// are, and a piece of the message. An empty message is one fragment without a piece.
public struct PacketFragmenter: Swift.Sendable {
    /// The bytes before the piece of the message.
    public static let headerLength = 4
    /// The most fragments of one message.
    public static let maximumFragmentCount = 255

    private let mtu: Int
    private var nextPacketId: UInt16

    /// Makes a fragmenter.
    ///
    /// - Parameters:
    ///   - mtu: The most bytes of a fragment, header included; more than ``BLEConstants/maxMTU`` is that.
    ///   - firstPacketId: The number of its first message; 0 follows 65,535.
    public init(mtu: Int = BLEConstants.defaultMTU, firstPacketId: UInt16 = 0) {
        self.mtu = mtu
        nextPacketId = firstPacketId
    }

    /// The longest message that fits fragments of so many bytes; 0 where not even a header fits.
    public static func maximumMessageLength(mtu: Int) -> Int {
        maximumFragmentCount * pieceLength(mtu)
    }

    static func pieceLength(_ mtu: Int) -> Int {
        max(headerLength, min(mtu, BLEConstants.maxMTU)) - headerLength
    }

    /// Cuts a message; each takes the next number, and one that is refused takes none.
    ///
    /// - Parameter message: At most ``maximumMessageLength(mtu:)`` bytes; a slice is as good.
    /// - Returns: One fragment at least, in order.
    /// - Throws: ``FragmentError``, before anything is cut.
    public mutating func fragment(_ message: Data) throws(FragmentError) -> [Data] {
        let length = Self.pieceLength(mtu)
        guard length > 0 else { throw .mtuTooSmall(mtu) }
        let count = max(1, (message.count + length - 1) / length)
        guard count <= Self.maximumFragmentCount else {
            let limit = Self.maximumFragmentCount * length
            throw .messageTooLarge(size: message.count, limit: limit)
        }
        let packetId = nextPacketId
        nextPacketId &+= 1
        let bytes = Data(message)
        return (0..<count).map { index in
            let piece = index * length..<min(bytes.count, (index + 1) * length)
            return Self.header(packetId, index, of: count) + bytes[piece]
        }
    }

    static func header(_ packetId: UInt16, _ index: Int, of count: Int) -> Data {
        let bytes = [Int(packetId >> 8), Int(packetId), index, count]
        return Data(bytes.map { UInt8(truncatingIfNeeded: $0) })
    }
}
