package import FoundationEssentials

/// Joins the fragments of messages from several senders, within bounds for each sender.
///
/// The fragments of a message may arrive in any order and more than once. A message that exceeds a bound or
/// contradicts itself is discarded; the other messages of its sender stay. After a message is complete or
/// discarded, another fragment of it starts a new message. The caller passes the time.
package struct Reassembly<Sender: Hashable & Sendable, Message: Hashable & Sendable>: Equatable,
    Sendable
{
    /// The bounds for each sender.
    package struct Limits: Equatable, Sendable {
        /// The longest message, in bytes.
        package var messageLength: Int
        /// The number of incomplete messages.
        package var messages: Int
        /// The bytes of incomplete messages, with the overhead of their fragments.
        ///
        /// The default suffices for a message of 1 MiB in 65,536 fragments that arrive in order.
        package var bytes: Int
        /// Whether each fragment is charged for the memory that it takes besides its data.
        package var chargesOverhead: Bool
        /// The longest time from the first fragment of a message to its completion.
        package var timeout: Duration
        /// If set, ``timeout`` counts from the last new fragment of a message, and this time does if an earlier
        /// fragment is missing.
        package var gapTimeout: Duration?

        /// Creates bounds.
        package init(
            messageLength: Int = 1 << 20,
            messages: Int = 8,
            bytes: Int = 5 << 18,
            chargesOverhead: Bool = true,
            timeout: Duration = .seconds(30),
            gapTimeout: Duration? = nil
        ) {
            self.messageLength = min(messageLength, Int(UInt32.max))
            self.messages = messages
            self.bytes = bytes
            self.chargesOverhead = chargesOverhead
            self.timeout = timeout
            self.gapTimeout = gapTimeout
        }
    }

    /// A fragment of a message.
    package struct Fragment: Equatable {
        /// The position in the message, from 0.
        package let index: Int
        /// The number of fragments of the message, or `nil` if this fragment does not carry it.
        package let count: Int?
        package let data: Data

        /// Creates a fragment.
        package init(index: Int, count: Int?, data: Data) {
            self.index = index
            self.count = count
            self.data = data
        }
    }

    /// The result of receiving a fragment.
    package enum Outcome: Equatable {
        /// Fragments are missing. A repeated fragment has this outcome, too.
        case incomplete
        case complete(Data)
        /// The message was discarded.
        case rejected(Rejection)
    }

    /// The reason why a message was discarded.
    package enum Rejection: Error, Equatable {
        /// An index, a count or a repeated fragment contradicts the others.
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
    private var partialMessages: [Key: PartialMessage] = [:]
    private var usage: [Sender: (messages: Int, bytes: Int)] = [:]
    private var startedCount = 0

    /// Creates an instance without messages.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.limits == other.limits && one.partialMessages == other.partialMessages
    }

    /// The number of incomplete messages of all senders.
    package var messageCount: Int { partialMessages.count }

    /// Returns the number of incomplete messages of a sender.
    package func messageCount(of sender: Sender) -> Int { usage[sender]?.messages ?? 0 }

    /// Returns the bytes that count towards the bound of a sender.
    package func byteCount(of sender: Sender) -> Int { usage[sender]?.bytes ?? 0 }

    /// Returns whether a message has started and is incomplete.
    package func isPartial(_ message: Message, of sender: Sender) -> Bool {
        partialMessages[Key(sender: sender, message: message)] != nil
    }

    /// Returns whether a fragment fits the bounds of its sender, unless its message is too long.
    package func hasRoom(for fragment: Fragment, of message: Message, from sender: Sender) -> Bool {
        let hasPlace = isPartial(message, of: sender) || messageCount(of: sender) < limits.messages
        return hasPlace
            && byteCount(of: sender) + PartialMessage.charge(fragment, limits) <= limits.bytes
    }

    /// The time for the next call of ``expire(now:)``, or `nil` without incomplete messages.
    package var nextDeadline: Duration? { partialMessages.values.map(\.deadline).min() }

    /// Adds a fragment to its message.
    package mutating func receive(
        _ fragment: Fragment,
        of message: Message,
        from sender: Sender,
        now: Duration
    ) -> Outcome {
        let key = Key(sender: sender, message: message)
        if partialMessages[key] == nil, messageCount(of: sender) >= limits.messages {
            return .rejected(.tooManyMessages(limit: limits.messages))
        }
        // Outside of the dictionary the message has one owner, so that a change copies nothing.
        var entry = remove(key) ?? nextMessage(now)
        let fragmentCount = entry.fragmentCount
        if let rejection = entry.add(fragment, within: limits) { return .rejected(rejection) }
        guard byteCount(of: sender) + entry.charge(limits) <= limits.bytes else {
            return .rejected(.tooManyBytes(limit: limits.bytes))
        }
        if entry.isComplete { return .complete(entry.joined) }
        if let gapTimeout = limits.gapTimeout, entry.fragmentCount > fragmentCount {
            entry.deadline = now + (entry.hasGap ? min(gapTimeout, limits.timeout) : limits.timeout)
        }
        insert(entry, key)
        return .incomplete
    }

    /// Discards the messages whose deadline has passed.
    ///
    /// - Returns: The discarded messages with their senders.
    package mutating func expire(now: Duration) -> [(sender: Sender, message: Message)] {
        let late = partialMessages.filter { $0.value.deadline <= now }.map(\.key)
        for key in late { remove(key) }
        return late.map { ($0.sender, $0.message) }
    }

    /// Discards the message of a sender that has been incomplete for the longest time.
    ///
    /// - Returns: The discarded message, or `nil` if none is incomplete.
    @discardableResult
    package mutating func discardOldest(of sender: Sender) -> Message? {
        let own = partialMessages.filter { $0.key.sender == sender }
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
        for key in partialMessages.keys where key.sender == sender { partialMessages[key] = nil }
        usage[sender] = nil
    }

    private mutating func nextMessage(_ now: Duration) -> PartialMessage {
        startedCount += 1
        return PartialMessage(number: startedCount, deadline: now + limits.timeout)
    }

    private mutating func insert(_ entry: PartialMessage, _ key: Key) {
        partialMessages[key] = entry
        usage[key.sender, default: (0, 0)].messages += 1
        usage[key.sender, default: (0, 0)].bytes += entry.charge(limits)
    }

    @discardableResult
    private mutating func remove(_ key: Key) -> PartialMessage? {
        guard let entry = partialMessages.removeValue(forKey: key) else { return nil }
        usage[key.sender]?.messages -= 1
        usage[key.sender]?.bytes -= entry.charge(limits)
        if usage[key.sender]?.messages == 0 { usage[key.sender] = nil }
        return entry
    }
}
