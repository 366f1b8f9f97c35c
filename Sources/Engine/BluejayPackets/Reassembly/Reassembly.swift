package import FoundationEssentials

/// Joins the pieces of messages from several senders, within bounds for each sender.
///
/// The pieces of a message may arrive in any order and more than once. A message that exceeds a bound or
/// contradicts itself is discarded; the other messages of its sender stay. After a message is complete or
/// discarded, another piece of it opens a new message. The caller passes the time.
package struct Reassembly<Sender: Hashable & Sendable, Message: Hashable & Sendable>: Equatable,
    Sendable
{
    /// The bounds for each sender.
    package struct Limits: Equatable, Sendable {
        /// The longest message, in bytes.
        package var messageLength: Int
        /// The number of open messages.
        package var messages: Int
        /// The bytes of open messages, with the overhead of their pieces.
        ///
        /// The default suffices for a message of 1 MiB in 65,536 pieces that arrive in order.
        package var bytes: Int
        /// Whether each piece is charged for the memory that it takes besides its data.
        package var chargesOverhead: Bool
        /// The longest time from the first piece of a message to its completion.
        package var time: Duration

        /// Creates bounds.
        package init(
            messageLength: Int = 1 << 20,
            messages: Int = 8,
            bytes: Int = 5 << 18,
            chargesOverhead: Bool = true,
            time: Duration = .seconds(30)
        ) {
            self.messageLength = min(messageLength, Int(UInt32.max))
            self.messages = messages
            self.bytes = bytes
            self.chargesOverhead = chargesOverhead
            self.time = time
        }
    }

    /// A piece of a message.
    package struct Piece: Equatable {
        /// The position in the message, from 0.
        package let index: Int
        /// The number of pieces of the message, or `nil` if this piece does not carry it.
        package let count: Int?
        package let data: Data

        /// Creates a piece.
        package init(index: Int, count: Int?, data: Data) {
            self.index = index
            self.count = count
            self.data = data
        }
    }

    /// The result of receiving a piece.
    package enum Outcome: Equatable {
        /// Pieces are missing. A repeated piece has this outcome, too.
        case incomplete
        case complete(Data)
        /// The message was discarded.
        case refused(Refusal)
    }

    /// The reason why a message was discarded.
    package enum Refusal: Error, Equatable {
        /// An index, a count or a repeated piece contradicts the others.
        case malformed
        case tooLong(limit: Int)
        case tooManyMessages(limit: Int)
        case tooManyBytes(limit: Int)
    }

    private struct Key: Hashable {
        let sender: Sender
        let message: Message
    }

    private let limits: Limits
    private var open: [Key: OpenMessage] = [:]
    private var held: [Sender: (messages: Int, bytes: Int)] = [:]
    private var openedCount = 0

    /// Creates an instance without messages.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.limits == other.limits && one.open == other.open
    }

    /// The number of open messages of all senders.
    package var messageCount: Int { open.count }

    /// Returns the number of open messages of a sender.
    package func messageCount(of sender: Sender) -> Int { held[sender]?.messages ?? 0 }

    /// Returns the bytes that count towards the bound of a sender.
    package func byteCount(of sender: Sender) -> Int { held[sender]?.bytes ?? 0 }

    /// Returns whether a message has begun and is incomplete.
    package func isOpen(_ message: Message, of sender: Sender) -> Bool {
        open[Key(sender: sender, message: message)] != nil
    }

    /// Returns whether a piece fits the bounds of its sender, unless its message is too long.
    package func hasRoom(for piece: Piece, of message: Message, from sender: Sender) -> Bool {
        let hasPlace = isOpen(message, of: sender) || messageCount(of: sender) < limits.messages
        return hasPlace && byteCount(of: sender) + OpenMessage.charge(piece, limits) <= limits.bytes
    }

    /// The time for the next call of ``expire(now:)``, or `nil` without open messages.
    package var nextDeadline: Duration? { open.values.map(\.deadline).min() }

    /// Adds a piece to its message.
    package mutating func receive(
        _ piece: Piece,
        of message: Message,
        from sender: Sender,
        now: Duration
    ) -> Outcome {
        let key = Key(sender: sender, message: message)
        if open[key] == nil, messageCount(of: sender) >= limits.messages {
            return .refused(.tooManyMessages(limit: limits.messages))
        }
        // Outside of the dictionary the message has one owner, so that a change copies nothing.
        var entry = remove(key) ?? nextMessage(now)
        if let refusal = entry.add(piece, within: limits) { return .refused(refusal) }
        guard byteCount(of: sender) + entry.charge(limits) <= limits.bytes else {
            return .refused(.tooManyBytes(limit: limits.bytes))
        }
        if entry.isComplete { return .complete(entry.joined) }
        insert(entry, key)
        return .incomplete
    }

    /// Discards the messages whose time is over.
    ///
    /// - Returns: The discarded messages with their senders.
    package mutating func expire(now: Duration) -> [(sender: Sender, message: Message)] {
        let late = open.filter { $0.value.deadline <= now }.map(\.key)
        for key in late { remove(key) }
        return late.map { ($0.sender, $0.message) }
    }

    /// Discards the message of a sender that has been open for the longest time.
    ///
    /// - Returns: The discarded message, or `nil` if none is open.
    @discardableResult
    package mutating func discardOldest(of sender: Sender) -> Message? {
        let own = open.filter { $0.key.sender == sender }
        guard let oldest = own.min(by: { $0.value.number < $1.value.number })?.key else {
            return nil
        }
        remove(oldest)
        return oldest.message
    }

    /// Discards a message.
    package mutating func discard(_ message: Message, of sender: Sender) {
        remove(Key(sender: sender, message: message))
    }

    /// Discards all messages of a sender.
    package mutating func forget(_ sender: Sender) {
        for key in open.keys where key.sender == sender { open[key] = nil }
        held[sender] = nil
    }

    private mutating func nextMessage(_ now: Duration) -> OpenMessage {
        openedCount += 1
        return OpenMessage(number: openedCount, deadline: now + limits.time)
    }

    private mutating func insert(_ entry: OpenMessage, _ key: Key) {
        open[key] = entry
        held[key.sender, default: (0, 0)].messages += 1
        held[key.sender, default: (0, 0)].bytes += entry.charge(limits)
    }

    @discardableResult
    private mutating func remove(_ key: Key) -> OpenMessage? {
        guard let entry = open.removeValue(forKey: key) else { return nil }
        held[key.sender]?.messages -= 1
        held[key.sender]?.bytes -= entry.charge(limits)
        if held[key.sender]?.messages == 0 { held[key.sender] = nil }
        return entry
    }
}
