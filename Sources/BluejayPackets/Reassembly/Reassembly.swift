package import FoundationEssentials

/// Puts messages together from their pieces, as they come from several senders, within bounds.
///
/// The pieces of a message may come in any order, and twice. What breaks a bound is the message that it
/// belongs to: it is given up, and the others of its sender stay. A message that is given up, or complete, is
/// forgotten: another piece of it begins a new one. Instants are arguments.
package struct Reassembly<Sender: Hashable, Message: Hashable>: Equatable {
    /// The bounds for each sender.
    package struct Limits: Equatable {
        /// How long a message may be, in bytes.
        package var messageLength: Int
        /// How many messages may be open.
        package var messages: Int
        /// How many bytes of open messages are held.
        package var bytes: Int
        /// How long a message may take from its first piece on.
        package var time: Duration

        /// Makes bounds.
        package init(
            messageLength: Int = 1 << 20,
            messages: Int = 8,
            bytes: Int = 256 << 10,
            time: Duration = .seconds(30)
        ) {
            self.messageLength = messageLength
            self.messages = messages
            self.bytes = bytes
            self.time = time
        }
    }

    /// One piece of a message.
    package struct Piece: Equatable {
        /// Its place, from 0 on.
        package let index: Int
        /// How many pieces the message has; nil when this one does not say.
        package let count: Int?
        package let data: Data

        /// Makes a piece.
        package init(index: Int, count: Int?, data: Data) {
            self.index = index
            self.count = count
            self.data = data
        }
    }

    /// What became of a piece.
    package enum Outcome: Equatable {
        /// More is to come; also for a piece that was there already.
        case incomplete
        case complete(Data)
        /// The message is given up.
        case refused(Refusal)
    }

    /// Why a message is given up.
    package enum Refusal: Error, Equatable {
        /// A place or a count that cannot be, or that contradicts what came before.
        case malformed
        case tooLong(limit: Int)
        case tooManyMessages(limit: Int)
        case tooManyBytes(limit: Int)
    }

    private struct Open: Equatable {
        /// Which of all it is that have begun.
        let number: Int
        let deadline: Duration
        var count: Int?
        var pieces: [Int: Data] = [:]
        var length = 0
        var highest = 0
    }

    private struct Key: Hashable {
        let sender: Sender
        let message: Message
    }

    private let limits: Limits
    private var open: [Key: Open] = [:]
    private var held: [Sender: (messages: Int, bytes: Int)] = [:]
    private var lastNumber = 0

    /// Makes an empty one.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.limits == other.limits && one.open == other.open
    }

    /// How many messages are open, of all senders.
    package var messageCount: Int { open.count }

    /// How many messages of a sender are open.
    package func messageCount(of sender: Sender) -> Int { held[sender]?.messages ?? 0 }

    /// How many bytes of a sender are held.
    package func byteCount(of sender: Sender) -> Int { held[sender]?.bytes ?? 0 }

    /// When the next message is to be given up: report `expired` then; nil when none is open.
    package var nextDeadline: Duration? { open.values.map(\.deadline).min() }

    /// A piece has come.
    package mutating func receive(
        _ piece: Piece,
        of message: Message,
        from sender: Sender,
        now: Duration
    ) -> Outcome {
        let key = Key(sender: sender, message: message)
        if open[key] == nil {
            guard messageCount(of: sender) < limits.messages else {
                return .refused(.tooManyMessages(limit: limits.messages))
            }
            lastNumber += 1
            open[key] = Open(number: lastNumber, deadline: now + limits.time)
            held[sender, default: (0, 0)].messages += 1
        }
        if let refusal = take(piece, key) {
            drop(key)
            return .refused(refusal)
        }
        guard let entry = open[key], let count = entry.count, entry.pieces.count == count else {
            return .incomplete
        }
        drop(key)
        return .complete((0..<count).reduce(into: Data()) { $0 += entry.pieces[$1] ?? Data() })
    }

    /// Gives up what has taken too long.
    ///
    /// - Returns: Of whom, and what.
    package mutating func expired(now: Duration) -> [(sender: Sender, message: Message)] {
        let late = open.filter { $0.value.deadline <= now }.map(\.key)
        for key in late { drop(key) }
        return late.map { ($0.sender, $0.message) }
    }

    /// Gives up the message of a sender that began first, such as one of too many.
    ///
    /// - Returns: Which it was; nil when none is open.
    @discardableResult
    package mutating func giveUpOldest(of sender: Sender) -> Message? {
        let own = open.filter { $0.key.sender == sender }
        guard let oldest = own.min(by: { $0.value.number < $1.value.number })?.key else {
            return nil
        }
        drop(oldest)
        return oldest.message
    }

    /// A sender has gone, and with it what it has begun.
    package mutating func forget(_ sender: Sender) {
        for key in open.keys where key.sender == sender { open[key] = nil }
        held[sender] = nil
    }

    private mutating func take(_ piece: Piece, _ key: Key) -> Refusal? {
        guard var entry = open[key] else { return .malformed }
        if let count = piece.count {
            guard count > 0, entry.count ?? count == count else { return .malformed }
            guard count <= limits.messageLength else {
                return .tooLong(limit: limits.messageLength)
            }
            entry.count = count
        }
        entry.highest = max(entry.highest, piece.index)
        guard piece.index >= 0, entry.highest < entry.count ?? limits.messageLength else {
            return .malformed
        }
        if let known = entry.pieces[piece.index] {
            guard known == piece.data else { return .malformed }
            open[key] = entry
            return nil
        }
        entry.pieces[piece.index] = piece.data
        entry.length += piece.data.count
        guard entry.length <= limits.messageLength else {
            return .tooLong(limit: limits.messageLength)
        }
        let bytes = byteCount(of: key.sender) + piece.data.count
        guard bytes <= limits.bytes else { return .tooManyBytes(limit: limits.bytes) }
        held[key.sender]?.bytes = bytes
        open[key] = entry
        return nil
    }

    private mutating func drop(_ key: Key) {
        guard let entry = open.removeValue(forKey: key) else { return }
        held[key.sender]?.messages -= 1
        held[key.sender]?.bytes -= entry.length
        if held[key.sender]?.messages == 0 { held[key.sender] = nil }
    }
}
