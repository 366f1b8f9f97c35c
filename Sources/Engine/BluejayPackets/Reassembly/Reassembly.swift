package import FoundationEssentials
internal import HeapModule

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
            timeout: Duration,
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

    private struct Deadline: Comparable {
        let time: Duration
        /// The number of the message.
        let number: Int
        let sender: Sender
        let message: Message

        static func < (one: Self, other: Self) -> Bool {
            (one.time, one.number) < (other.time, other.number)
        }

        static func == (one: Self, other: Self) -> Bool {
            one.time == other.time && one.number == other.number
        }
    }

    /// The incomplete messages of one sender.
    private struct Queue: Equatable {
        var messages: [Message: PartialMessage] = [:]
        var bytes = 0
    }

    private let limits: Limits
    private var queues: [Sender: Queue] = [:]
    /// One entry for each incomplete message, at its deadline or earlier, and some of former messages.
    ///
    /// The first entry is exact.
    private var deadlines = Heap<Deadline>()
    private var startedCount = 0

    /// Creates an instance without messages.
    package init(_ limits: Limits) {
        self.limits = limits
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.limits == other.limits && one.queues == other.queues
    }

    /// The number of incomplete messages of all senders.
    package private(set) var messageCount = 0

    /// Returns the number of incomplete messages of a sender.
    package func messageCount(of sender: Sender) -> Int { queues[sender]?.messages.count ?? 0 }

    /// Returns the bytes that count towards the bound of a sender.
    package func byteCount(of sender: Sender) -> Int { queues[sender]?.bytes ?? 0 }

    /// Returns whether a message has started and is incomplete.
    package func isPartial(_ message: Message, of sender: Sender) -> Bool {
        queues[sender]?.messages[message] != nil
    }

    /// Returns whether a fragment fits the bounds of its sender, unless its message is too long.
    package func hasRoom(for fragment: Fragment, of message: Message, from sender: Sender) -> Bool {
        let hasPlace = isPartial(message, of: sender) || messageCount(of: sender) < limits.messages
        return hasPlace
            && byteCount(of: sender) + PartialMessage.charge(fragment, limits) <= limits.bytes
    }

    /// The time for the next call of ``expire(now:)``, or `nil` without incomplete messages.
    package var nextDeadline: Duration? { deadlines.min?.time }

    /// Adds a fragment to its message.
    package mutating func receive(
        _ fragment: Fragment,
        of message: Message,
        from sender: Sender,
        now: Duration
    ) -> Outcome {
        if !isPartial(message, of: sender), messageCount(of: sender) >= limits.messages {
            return .rejected(.tooManyMessages(limit: limits.messages))
        }
        defer { settle() }
        // Outside of the dictionary the message has one owner, so that a change copies nothing.
        var entry = remove(message, of: sender) ?? nextMessage(now)
        let fragmentCount = entry.fragmentCount
        if let rejection = entry.add(fragment, within: limits) { return .rejected(rejection) }
        guard byteCount(of: sender) + entry.charge(limits) <= limits.bytes else {
            return .rejected(.tooManyBytes(limit: limits.bytes))
        }
        if entry.isComplete { return .complete(entry.joined) }
        if let gapTimeout = limits.gapTimeout, entry.fragmentCount > fragmentCount {
            entry.deadline = now + (entry.hasGap ? min(gapTimeout, limits.timeout) : limits.timeout)
        }
        insert(entry, message, of: sender)
        return .incomplete
    }

    /// Discards the messages whose deadline has passed.
    ///
    /// - Returns: The discarded messages with their senders.
    package mutating func expire(now: Duration) -> [(sender: Sender, message: Message)] {
        var late: [(sender: Sender, message: Message)] = []
        while let first = deadlines.min, first.time <= now {
            remove(first.message, of: first.sender)
            late.append((first.sender, first.message))
            settle()
        }
        return late
    }

    /// Discards the message of a sender that has been incomplete for the longest time.
    ///
    /// - Returns: The discarded message, or `nil` if none is incomplete.
    @discardableResult
    package mutating func discardOldest(of sender: Sender) -> Message? {
        let oldest = queues[sender]?.messages.min { $0.value.number < $1.value.number }?.key
        if let oldest { discard(oldest, of: sender) }
        return oldest
    }

    /// Discards a message.
    package mutating func discard(_ message: Message, of sender: Sender) {
        remove(message, of: sender)
        settle()
    }

    /// Discards all messages of a sender.
    package mutating func forget(_ sender: Sender) {
        messageCount -= queues.removeValue(forKey: sender)?.messages.count ?? 0
        settle()
    }

    private mutating func nextMessage(_ now: Duration) -> PartialMessage {
        startedCount += 1
        return PartialMessage(number: startedCount, deadline: now + limits.timeout)
    }

    private mutating func insert(
        _ entry: PartialMessage,
        _ message: Message,
        of sender: Sender
    ) {
        messageCount += 1
        queues[sender, default: Queue()].messages[message] = entry
        queues[sender, default: Queue()].bytes += entry.charge(limits)
        // A repeated insertion of the message leaves its entry, whose time is earlier or moved to here.
        guard entry.listedDeadline.map({ entry.deadline < $0 }) ?? true else { return }
        queues[sender]?.messages[message]?.listedDeadline = entry.deadline
        list(entry, message, of: sender)
    }

    private mutating func list(_ entry: PartialMessage, _ message: Message, of sender: Sender) {
        deadlines.insert(
            Deadline(time: entry.deadline, number: entry.number, sender: sender, message: message)
        )
    }

    @discardableResult
    private mutating func remove(_ message: Message, of sender: Sender) -> PartialMessage? {
        guard let entry = queues[sender]?.messages.removeValue(forKey: message) else { return nil }
        messageCount -= 1
        queues[sender]?.bytes -= entry.charge(limits)
        if queues[sender]?.messages.isEmpty == true { queues[sender] = nil }
        return entry
    }

    /// Makes the first deadline exact, and removes former ones when they are many.
    private mutating func settle() {
        while let first = deadlines.min {
            let entry = queues[first.sender]?.messages[first.message]
            guard let entry, entry.number == first.number, entry.listedDeadline == first.time else {
                deadlines.removeMin()
                continue
            }
            guard entry.deadline > first.time else { break }
            deadlines.removeMin()
            queues[first.sender]?.messages[first.message]?.listedDeadline = entry.deadline
            list(entry, first.message, of: first.sender)
        }
        guard deadlines.count > 2 * messageCount + 64 else { return }
        deadlines = Heap(
            deadlines.unordered.filter { deadline in
                let entry = queues[deadline.sender]?.messages[deadline.message]
                return entry?.number == deadline.number && entry?.listedDeadline == deadline.time
            }
        )
    }
}
