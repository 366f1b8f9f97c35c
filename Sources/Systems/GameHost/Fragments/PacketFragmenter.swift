public import FoundationEssentials

/// The reason why a message cannot be fragmented.
public enum FragmentError: Error, Hashable, Swift.Sendable {
    /// The message needs more than 255 fragments.
    case messageTooLarge(size: Int, limit: Int)
    /// The MTU leaves no room after the four bytes of the header.
    case mtuTooSmall(Int)
}

/// Splits messages into fragments that fit one value each.
///
/// A fragment is the number of the packet in two bytes, big-endian; the index of the fragment; the number of
/// fragments; and a piece of the message. An empty message is one fragment without a piece.
public struct PacketFragmenter: Swift.Sendable {
    /// The length of the fragment header in bytes.
    public static let headerLength = 4
    /// The maximum number of fragments of one message.
    public static let maximumFragmentCount = 255

    private let mtu: Int
    private var nextPacketId: UInt16

    /// Creates a fragmenter.
    ///
    /// - Parameters:
    ///   - mtu: The maximum size of a fragment in bytes, header included; capped at ``BLEConstants/maxMTU``.
    ///   - firstPacketId: The number of its first message; 0 follows 65,535.
    public init(mtu: Int = BLEConstants.defaultMTU, firstPacketId: UInt16 = 0) {
        self.mtu = mtu
        nextPacketId = firstPacketId
    }

    /// Returns the maximum message length in bytes for fragments of this size; 0 if not even a header fits.
    public static func maximumMessageLength(mtu: Int) -> Int {
        maximumFragmentCount * payloadLength(mtu)
    }

    static func payloadLength(_ mtu: Int) -> Int {
        max(headerLength, min(mtu, BLEConstants.maxMTU)) - headerLength
    }

    /// Splits a message; each message takes the next number, a rejected one takes none.
    ///
    /// - Parameter message: At most ``maximumMessageLength(mtu:)`` bytes; may be a slice.
    /// - Returns: At least one fragment, in order.
    /// - Throws: ``FragmentError``, before any fragment is created.
    public mutating func fragment(_ message: Data) throws(FragmentError) -> [Data] {
        let length = Self.payloadLength(mtu)
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
            let range = index * length..<min(bytes.count, (index + 1) * length)
            return Self.header(packetId, index, of: count) + bytes[range]
        }
    }

    static func header(_ packetId: UInt16, _ index: Int, of count: Int) -> Data {
        let bytes = [Int(packetId >> 8), Int(packetId), index, count]
        return Data(bytes.map { UInt8(truncatingIfNeeded: $0) })
    }
}
