internal import BluejayPackets
public import FoundationEssentials

/// Joins the fragments of messages, each peer's apart.
///
/// The fragments of a message may come in any order and more than once. What cannot be a part of its
/// message is left out and counted; a message comes whole, or not at all.
///
/// It is used by one thread at a time.
public final class PacketReassembler {
    /// What is kept of messages that are not whole.
    public struct Limits: Hashable, Swift.Sendable {
        /// The most bytes of a peer; the message that passes them is given up.
        public var bytesPerPeer = 262_144
        /// The most messages of a peer; the oldest one goes first.
        public var messagesPerPeer = 8
        /// How long after its first fragment a message is waited for.
        public var lifetime: Duration = .seconds(30)

        /// The limits as they are described.
        public init() {}
    }

    /// What has become of messages and fragments.
    public struct Statistics: Hashable, Swift.Sendable {
        /// Messages that came whole.
        public internal(set) var completed = 0
        /// Fragments under four bytes, of no message, or beyond the end of theirs.
        public internal(set) var malformed = 0
        /// Messages given up because one of their fragments came with other bytes, or another total.
        public internal(set) var conflicting = 0
        /// Messages that were not whole in time.
        public internal(set) var expired = 0
        /// Messages given up because there were too many, or too many bytes.
        public internal(set) var evicted = 0

        /// Nothing has happened.
        public init() {}
    }

    /// What has become of messages and fragments so far.
    public private(set) var statistics = Statistics()
    private var reassembly: Reassembly<String, UInt16>
    private let now: () -> Duration

    /// Makes a reassembler that has nothing.
    ///
    /// - Parameters:
    ///   - limits: What is kept of messages that are not whole.
    ///   - now: Any clock that never goes back; nil is the one of the system that stands still in its
    ///     sleep.
    public init(limits: Limits = Limits(), now: (() -> Duration)? = nil) {
        reassembly = Reassembly(
            Reassembly.Limits(
                messageLength: .max,
                messages: max(1, limits.messagesPerPeer),
                bytes: limits.bytesPerPeer,
                // At most 255 fragments a message: their number is bounded without it.
                chargesOverhead: false,
                time: limits.lifetime
            )
        )
        let start = SuspendingClock.now
        self.now = now ?? { SuspendingClock.now - start }
    }

    /// How many messages are waited for, of all peers.
    public var openMessageCount: Int { reassembly.messageCount }

    /// Takes a fragment of the only peer.
    ///
    /// - Parameter data: A slice is as good.
    /// - Returns: The message that it makes whole, if it does.
    public func addFragment(_ data: Data) -> Data? { addFragment(data, from: "") }

    /// Takes a fragment of a peer.
    ///
    /// - Parameters:
    ///   - data: A slice is as good.
    ///   - peer: Whose it is; what is kept of one that has gone stays until ``forget(_:)`` or until it is
    ///     too old.
    /// - Returns: The message that it makes whole, if it does.
    public func addFragment(_ data: Data, from peer: String) -> Data? {
        let now = now()
        statistics.expired += reassembly.expire(now: now).count
        let header = Array(data.prefix(PacketFragmenter.headerLength))
        guard header.count == PacketFragmenter.headerLength, header[2] < header[3] else {
            statistics.malformed += 1
            return nil
        }
        let piece = Reassembly<String, UInt16>.Piece(
            index: Int(header[2]),
            count: Int(header[3]),
            data: Data(data.dropFirst(header.count))
        )
        return take(piece, of: UInt16(header[0]) << 8 | UInt16(header[1]), from: peer, now)
    }

    private func take(
        _ piece: Reassembly<String, UInt16>.Piece,
        of packetId: UInt16,
        from peer: String,
        _ now: Duration
    ) -> Data? {
        switch reassembly.receive(piece, of: packetId, from: peer, now: now) {
        case .incomplete: return nil
        case .complete(let message):
            statistics.completed += 1
            return message
        case .refused(.tooManyMessages):
            statistics.evicted += 1
            reassembly.discardOldest(of: peer)
            return take(piece, of: packetId, from: peer, now)
        case .refused(.tooManyBytes), .refused(.tooLong):
            statistics.evicted += 1
            return nil
        case .refused(.malformed):
            statistics.conflicting += 1
            return nil
        }
    }

    /// Lets go of what is kept of a peer.
    public func forget(_ peer: String) { reassembly.forget(peer) }
}
