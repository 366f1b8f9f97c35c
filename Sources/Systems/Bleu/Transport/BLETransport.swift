internal import BluejayCompression
internal import BluejayPackets
internal import FoundationEssentials

/// Splits messages into frames and joins received frames, for one link on one side.
///
/// Sending compresses a message, seals it and splits it. Receiving reverses these steps and verifies the
/// checksum: a damaged message is reported as damaged, never delivered. If a peer exceeds the limits, its
/// oldest incomplete messages are discarded, so that the next message has room.
///
/// Frames of a message may arrive in any order and more than once. After a message is complete or
/// discarded, a further message of the same kind and call (an element, a credit) begins with its first
/// frame; other frames are repetitions and ignored.
struct BLETransport: Swift.Sendable {
    struct Limits: Equatable, Swift.Sendable {
        /// The longest body in bytes, before compression.
        var messageLength: Int
        /// The number of incomplete messages.
        var messages = 8
        /// The bytes of incomplete messages, with the overhead of their frames; at least two messages of
        /// the greatest length.
        var bytes = 2 << 20
        /// The longest time from one frame of a message to the next.
        var timeout: Duration
        /// The longest time from one frame to the next if an earlier one is missing, which is lost then: frames
        /// overtake each other only briefly.
        var gapTimeout: Duration = .seconds(2)
        /// Longer bodies are compressed, if that makes them shorter.
        var compressionThreshold: Int
    }

    enum Outcome: Equatable {
        case incomplete
        case message(Message)
        /// The first frame of a message in another version; session and call have the same position in all
        /// versions.
        case unsupportedVersion(Int, session: UInt16, call: UInt16)
        /// The frame or its message was discarded; the numbers are `nil` if the frame has none.
        case damaged(session: UInt16?, call: UInt16?)
        /// A repetition, or a frame of another session or of the wrong direction.
        case ignored
    }

    /// The cipher of the session; with a cipher, messages without encryption are damaged.
    var cipher: (any SessionCipher)?
    /// The only accepted session, or `nil` to accept all.
    var session: UInt16?

    private let limits: Limits
    private let direction: FrameDirection
    private var reassembly: Reassembly<Peer, MessageKey>
    private var closed = ClosedMessages()

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - direction: The direction of received frames.
    ///   - limits: The limits for the peer.
    init(
        receiving direction: FrameDirection,
        limits: Limits = BleuConfiguration().transportLimits
    ) {
        self.direction = direction
        self.limits = limits
        reassembly = Reassembly(
            Reassembly.Limits(
                messageLength: MessageHeader.length + limits.messageLength + Self.sealOverhead,
                messages: max(1, limits.messages),
                bytes: max(limits.bytes, 2 * limits.messageLength),
                timeout: limits.timeout,
                gapTimeout: limits.gapTimeout
            )
        )
    }

    /// The most that a cipher adds to a message.
    private static let sealOverhead = 64

    /// The bytes of incomplete messages, with the overhead of their frames.
    var byteCount: Int { reassembly.byteCount(of: Peer()) }
    var messageCount: Int { reassembly.messageCount }

    /// The time for the next call of ``expire(now:)``, or `nil`.
    var nextDeadline: Duration? { reassembly.nextDeadline }

    /// Discards the messages that have timed out.
    ///
    /// - Returns: The sessions and calls of these messages.
    mutating func expire(now: Duration) -> [(session: UInt16, call: UInt16)] {
        reassembly.expire(now: now).map { _, key in
            closed.append(key, header: nil)
            return (key.session, key.call)
        }
    }
}

// MARK: Sending

extension BLETransport {
    /// Splits a message into frames.
    ///
    /// - Parameters:
    ///   - message: The flags of the transport in it have no effect.
    ///   - frameSize: The size of all frames but the last: the ATT MTU - 3, at least 20.
    ///   - characteristic: The UUID of its characteristic in lower case, which a seal covers: it names the method.
    /// - Returns: The frames in the order of their indices.
    /// - Throws: ``TransportError``, before anything is sent.
    mutating func frames(
        of message: Message,
        frameSize: Int,
        on characteristic: String = ""
    ) throws(TransportError) -> FrameSequence {
        guard message.body.count <= limits.messageLength else {
            throw .tooLong(limit: limits.messageLength)
        }
        if message.kind.startsCall { discardReplies(to: message) }
        let key = MessageKey(kind: message.kind, session: message.session, call: message.call)
        var flags = message.flags.subtracting(.transportFlags)
        var body = message.body
        if body.count > limits.compressionThreshold {
            let compressed = Deflate.compressed(body)
            if compressed.count < body.count {
                body = compressed
                flags.insert(.compressed)
            }
        }
        if cipher != nil, message.kind.isSealed {
            flags.insert(.sealed)
            body = try sealed(body, header: key.sealedHeader(flags, on: characteristic))
        }
        let payloadLength = max(frameSize, Frame.minimumSize) - Frame.headerLength
        let frames = FrameSequence(
            prefix: key.prefix,
            content: MessageHeader(flags, body, of: key).encoded + body,
            payloadLength: payloadLength
        )
        guard frames.count <= Frame.maximumCount else {
            throw .tooLong(limit: Frame.maximumCount * payloadLength - MessageHeader.length)
        }
        return frames
    }

    /// Forgets what the peer has sent about a call before it was made.
    private mutating func discardReplies(to message: Message) {
        for kind in FrameKind.allCases where kind.direction == direction {
            let key = MessageKey(kind: kind, session: message.session, call: message.call)
            reassembly.discard(key, of: Peer())
            closed.remove(key)
        }
    }

    private mutating func sealed(_ body: Data, header: Data) throws(TransportError) -> Data {
        do {
            return try cipher?.seal(body, header: header) ?? body
        } catch {
            throw .sealFailed
        }
    }
}

// MARK: Receiving

extension BLETransport {
    /// Adds a received frame to its message.
    ///
    /// - Parameters:
    ///   - data: The frame.
    ///   - characteristic: The UUID of the characteristic that received it, as in ``frames(of:frameSize:on:)``.
    ///   - now: The present time.
    /// - Returns: The effect of the frame.
    mutating func receive(
        _ data: Data,
        on characteristic: String = "",
        now: Duration
    ) -> Outcome {
        guard let frame = Frame(data) else { return .damaged(session: nil, call: nil) }
        guard session == nil || session == frame.session else { return .ignored }
        guard frame.version == Frame.version else {
            guard frame.index == 0 else { return .ignored }
            return .unsupportedVersion(frame.version, session: frame.session, call: frame.call)
        }
        guard let kind = FrameKind(rawValue: frame.kind) else {
            return .damaged(session: frame.session, call: frame.call)
        }
        guard kind.direction == direction else { return .ignored }
        let key = MessageKey(kind: kind, session: frame.session, call: frame.call)
        if isRepetition(frame, of: key) { return .ignored }
        guard let piece = piece(of: frame) else {
            reassembly.discard(key, of: Peer())
            return damaged(key)
        }
        // A message in one frame needs no entry.
        if piece.count == 1, !reassembly.isPartial(key, of: Peer()) {
            return completed(key, piece.data, characteristic)
        }
        guard makeRoom(for: piece, of: key) else { return damaged(key) }
        switch reassembly.receive(piece, of: key, from: Peer(), now: now) {
        case .incomplete: return .incomplete
        case .rejected: return damaged(key)
        case .complete(let content): return completed(key, content, characteristic)
        }
    }

    /// Returns whether the frame repeats one of a complete or discarded message.
    private func isRepetition(_ frame: Frame, of key: MessageKey) -> Bool {
        guard let closed = closed[key] else { return false }
        guard frame.index == 0 else { return !reassembly.isPartial(key, of: Peer()) }
        return closed.header != nil && closed.header == MessageHeader(frame.payload)
    }

    private func piece(of frame: Frame) -> Piece? {
        // A copy: a slice would retain the received buffer.
        let data = Data(frame.payload)
        guard frame.index == 0 else {
            return data.isEmpty ? nil : Piece(index: frame.index, count: nil, data: data)
        }
        guard let header = MessageHeader(data),
            header.bodyLength <= limits.messageLength + Self.sealOverhead,
            let count = header.frameCount(payloadLength: data.count), count <= Frame.maximumCount
        else { return nil }
        return Piece(index: 0, count: count, data: data)
    }

    /// Discards the oldest messages until the piece has room.
    ///
    /// - Returns: `false` if the message of the piece is too large itself.
    private mutating func makeRoom(for piece: Piece, of key: MessageKey) -> Bool {
        while !reassembly.hasRoom(for: piece, of: key, from: Peer()) {
            let oldest = reassembly.discardOldest(of: Peer())
            guard let oldest, oldest != key else { return false }
            closed.append(oldest, header: nil)
        }
        return true
    }

    private mutating func damaged(_ key: MessageKey) -> Outcome {
        closed.append(key, header: nil)
        return .damaged(session: key.session, call: key.call)
    }

    private mutating func completed(
        _ key: MessageKey,
        _ content: Data,
        _ characteristic: String
    ) -> Outcome {
        guard let header = MessageHeader(content) else { return damaged(key) }
        let sent = Data(content.dropFirst(MessageHeader.length))
        guard header == MessageHeader(header.flags, sent, of: key),
            let body = opened(sent, header.flags, key, characteristic)
        else { return damaged(key) }
        closed.append(key, header: header)
        let message = Message(
            kind: key.kind,
            session: key.session,
            call: key.call,
            flags: header.flags.subtracting(.transportFlags),
            body: body
        )
        return .message(message)
    }

    private mutating func opened(
        _ sent: Data,
        _ flags: MessageFlags,
        _ key: MessageKey,
        _ characteristic: String
    ) -> Data? {
        guard flags.isSubset(of: .known) else { return nil }
        var body = sent
        if flags.contains(.sealed) {
            guard key.kind.isSealed,
                let plain = try? cipher?.open(
                    body,
                    header: key.sealedHeader(flags, on: characteristic)
                )
            else { return nil }
            body = plain
        } else if cipher != nil, key.kind.mustBeSealed {
            return nil
        }
        if flags.contains(.compressed) {
            guard let expanded = try? Deflate.expanded(body, limit: limits.messageLength) else {
                return nil
            }
            body = expanded
        }
        return body.count <= limits.messageLength ? body : nil
    }
}

extension BleuConfiguration {
    var transportLimits: BLETransport.Limits {
        BLETransport.Limits(
            messageLength: messageLength,
            timeout: .bounded(reassemblyTimeout),
            compressionThreshold: compressionThreshold
        )
    }
}

enum TransportError: Error, Equatable {
    /// The body is longer than a message, or than 65,536 frames.
    case tooLong(limit: Int)
    case sealFailed
}

/// The only sender of a link.
private struct Peer: Hashable {}

private typealias Piece = Reassembly<Peer, MessageKey>.Fragment

/// The last messages that were complete or discarded.
private struct ClosedMessages: Swift.Sendable {
    /// The header is that of the last complete message with the key.
    typealias Entry = (key: MessageKey, header: MessageHeader?)

    private var entries: [Entry] = []

    subscript(key: MessageKey) -> Entry? { entries.first { $0.key == key } }

    /// Adds a message and forgets the one of 16 messages ago.
    ///
    /// - Parameters:
    ///   - key: The key of the message.
    ///   - header: The header of a complete message, or `nil` for a discarded one.
    mutating func append(_ key: MessageKey, header: MessageHeader?) {
        let earlier = self[key]?.header
        entries.removeAll { $0.key == key }
        entries.append((key, header ?? earlier))
        if entries.count > 16 { entries.removeFirst() }
    }

    mutating func remove(_ key: MessageKey) {
        entries.removeAll { $0.key == key }
    }
}
