internal import BluejayPackets
public import FoundationEssentials

/// Reassembles the fragments of messages, separately for each peer.
///
/// The fragments of a message may arrive in any order and more than once. A fragment that cannot belong to
/// its message is discarded and counted; only complete messages are returned.
///
/// Not thread-safe.
public final class PacketReassembler {
    /// The limits for incomplete messages.
    public struct Limits: Hashable, Swift.Sendable {
        /// The maximum number of bytes per peer; a message that exceeds it is discarded.
        public var bytesPerPeer = 262_144
        /// The maximum number of messages per peer; the oldest one is discarded first.
        public var messagesPerPeer = 8
        /// The maximum age of an incomplete message, from its first fragment.
        public var lifetime: Duration = .seconds(30)

        /// Creates the default limits.
        public init() {}
    }

    /// Counts of messages and fragments.
    public struct Statistics: Hashable, Swift.Sendable {
        /// Complete messages.
        public internal(set) var completed = 0
        /// Fragments with less than four bytes, of no message, or beyond the end of their message.
        public internal(set) var malformed = 0
        /// Messages discarded because a fragment arrived with different bytes or a different total.
        public internal(set) var conflicting = 0
        /// Messages discarded because they were incomplete for too long.
        public internal(set) var expired = 0
        /// Messages discarded because of the limits on messages and bytes.
        public internal(set) var evicted = 0

        /// Creates statistics with all counts at 0.
        public init() {}
    }

    /// The counts so far.
    public private(set) var statistics = Statistics()
    private var reassembly: Reassembly<String, UInt16>
    private let now: () -> Duration

    /// Creates an empty reassembler.
    ///
    /// - Parameters:
    ///   - limits: The limits for incomplete messages.
    ///   - now: A monotonic clock; `nil` uses the system clock that stops while the system sleeps.
    public init(limits: Limits = Limits(), now: (() -> Duration)? = nil) {
        reassembly = Reassembly(
            Reassembly.Limits(
                messageLength: .max,
                messages: max(1, limits.messagesPerPeer),
                bytes: limits.bytesPerPeer,
                // A message has at most 255 fragments, which bounds their number without a charge.
                chargesOverhead: false,
                timeout: limits.lifetime
            )
        )
        let start = SuspendingClock.now
        self.now = now ?? { SuspendingClock.now - start }
    }

    /// The number of incomplete messages of all peers.
    public var openMessageCount: Int { reassembly.messageCount }

    /// Adds a fragment of the only peer.
    ///
    /// - Parameter data: May be a slice.
    /// - Returns: The message that the fragment completes, or `nil`.
    public func addFragment(_ data: Data) -> Data? { addFragment(data, from: "") }

    /// Adds a fragment of a peer.
    ///
    /// - Parameters:
    ///   - data: May be a slice.
    ///   - peer: The sender; fragments of a peer that has left stay until ``forget(_:)``, or until they
    ///     expire.
    /// - Returns: The message that the fragment completes, or `nil`.
    public func addFragment(_ data: Data, from peer: String) -> Data? {
        let now = now()
        statistics.expired += reassembly.expire(now: now).count
        let header = Array(data.prefix(PacketFragmenter.headerLength))
        guard header.count == PacketFragmenter.headerLength, header[2] < header[3] else {
            statistics.malformed += 1
            return nil
        }
        let fragment = Reassembly<String, UInt16>.Fragment(
            index: Int(header[2]),
            count: Int(header[3]),
            data: Data(data.dropFirst(header.count))
        )
        return receive(fragment, of: UInt16(header[0]) << 8 | UInt16(header[1]), from: peer, now)
    }

    private func receive(
        _ fragment: Reassembly<String, UInt16>.Fragment,
        of packetId: UInt16,
        from peer: String,
        _ now: Duration
    ) -> Data? {
        switch reassembly.receive(fragment, of: packetId, from: peer, now: now) {
        case .incomplete: return nil
        case .complete(let message):
            statistics.completed += 1
            return message
        case .rejected(.tooManyMessages):
            statistics.evicted += 1
            reassembly.discardOldest(of: peer)
            return receive(fragment, of: packetId, from: peer, now)
        case .rejected(.tooManyBytes), .rejected(.tooLong):
            statistics.evicted += 1
            return nil
        case .rejected(.malformed):
            statistics.conflicting += 1
            return nil
        }
    }

    /// Discards the fragments of a peer.
    public func forget(_ peer: String) { reassembly.forget(peer) }
}
