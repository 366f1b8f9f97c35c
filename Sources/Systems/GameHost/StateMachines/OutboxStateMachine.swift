internal import DequeModule

/// The queue of messages to players: decides which value is sent next, and to whom.
///
/// Messages are collected until the next flush. Then each message joins the queue of its player, as fragments
/// that fit the player's values. If BlueZ sends each value to all centrals, one queue serves all players, and
/// its fragments fit the smallest values. The machine knows messages by number; its owner holds their bytes.
///
/// Invariants: of two messages to a player, the one offered first is completely sent before the other starts;
/// only members receive values; a message that a member does not receive fails for it once; each message is
/// finished once.
struct OutboxStateMachine {
    /// A player, as seen by the queue.
    struct Recipient: Equatable {
        let id: String
        /// The maximum size of a value in bytes.
        var valueLength: Int
        var isUnsubscribed = false
        /// Whether the player receives only values that all receive.
        var isShared = false
    }

    struct Message: Equatable {
        /// A number that no unfinished message has.
        let id: Int
        let length: Int
        /// The id of the player, or `nil` for all players.
        let target: String?

        /// The size for the limits, where empty messages count, too.
        var size: Int { length + 64 }
    }

    /// The part of a message that one value carries.
    struct Fragment: Equatable {
        let message: Int
        let packetId: UInt16
        let index: Int
        let count: Int
        /// The range of bytes in the message.
        let range: Range<Int>
    }

    enum Action: Equatable {
        /// Send a value to one player, or with `nil` to all, and report `finished`.
        case send(Int, Fragment, to: String?)
        /// Report that one player, or with `nil` any player, does not receive a message.
        case fail(Int, for: String?, DeliveryFailure)
        /// Release a message: no part of it is queued.
        case finish(Int)
        /// Call `flush` once, after the interval.
        case armFlush
    }

    enum Outcome: Equatable {
        case sent
        case failed(DeliveryFailure)
    }

    struct Settings {
        /// Whether each message is one value.
        var isRaw = false
        /// The maximum number of bytes queued per player.
        var maximumSize = 262_144
        /// The maximum number of values in flight per queue.
        var window = 16
    }

    private struct BatchedMessage {
        let message: Message
        /// The players for whom a message to all was rejected.
        let rejectedRecipients: Set<String>
    }

    private struct PendingMessage {
        let message: Message
        /// The player that receives the message from this queue, or `nil` for all.
        let target: String?
        let packetId: UInt16
        /// `nil` until the message starts.
        var payloadLength: Int?
        var count = 0
        var next = 0
        /// The number of its values in flight.
        var pending = 0
        var failure: DeliveryFailure?

        var isSent: Bool { payloadLength != nil && next == count }
    }

    private struct SendQueue {
        var messages: Deque<PendingMessage> = []
        /// The numbers of the first message, and of the first with values still to send.
        var first = 0
        var next = 0
        var size = 0
        var pending = 0
    }

    private let settings: Settings
    private var recipients: [Recipient] = []
    /// Whether BlueZ can send a value to a single player.
    private var supportsUnicast = false
    /// Whether a message to all is sent to each player separately.
    private var isSplit: Bool { supportsUnicast && !recipients.contains(where: \.isShared) }
    private var batchedMessages: Deque<BatchedMessage> = []
    private var batchedSizes: [String?: Int] = [:]
    private var isArmed = false
    private var nextPacketId: UInt16 = 0
    /// The queues by the id of the player; `nil` is the shared queue.
    private var queues: [String?: SendQueue] = [:]
    private var values: [Int: (queue: String?, message: Int)] = [:]
    private var lastValue = 0
    /// The number of queues that hold a message.
    private var uses: [Int: Int] = [:]

    init(_ settings: Settings) {
        self.settings = settings
    }

    var isEmpty: Bool { batchedMessages.isEmpty && queues.isEmpty }

    // MARK: Events

    /// Updates the players, and whether BlueZ can address one of them.
    mutating func recipientsChanged(_ recipients: [Recipient], supportsUnicast: Bool) -> [Action] {
        let removed = Set(self.recipients.map(\.id)).subtracting(recipients.map(\.id))
        let isOther = self.supportsUnicast != supportsUnicast
        self.recipients = recipients
        self.supportsUnicast = supportsUnicast
        // Messages in progress would reach other players: bluetoothd has restarted, or an adapter has
        // changed.
        if isOther || recipients.isEmpty { return removeAll() }
        return removed.sorted().flatMap { removeRecipient($0) }
    }

    /// Accepts or rejects a message; a message to all is rejected for a single player if only that player
    /// cannot receive it.
    mutating func enqueue(_ message: Message) -> [Action] {
        guard let target = message.target else { return enqueueForAll(message) }
        if let failure = deliveryFailure(of: message, to: target) {
            return [.fail(message.id, for: target, failure), .finish(message.id)]
        }
        return batch(message, for: [key(target)])
    }

    /// Moves the collected messages to their queues, at the end of the interval.
    mutating func flush() -> [Action] {
        isArmed = false
        batchedSizes = [:]
        var actions: [Action] = []
        while let next = batchedMessages.popFirst() { actions += move(next) }
        for key in queues.keys.sorted(by: { $0 ?? "" < $1 ?? "" }) { actions += sendNext(key) }
        return actions
    }

    mutating func finished(_ value: Int, _ outcome: Outcome) -> [Action] {
        guard let position = values.removeValue(forKey: value),
            var queue = queues.removeValue(forKey: position.queue)
        else { return [] }
        let index = position.message - queue.first
        queue.pending -= 1
        queue.messages[index].pending -= 1
        if case .failed(let failure) = outcome, queue.messages[index].failure == nil {
            queue.messages[index].failure = failure
            queue.messages[index].next = queue.messages[index].count
        }
        queues[position.queue] = queue
        return sendNext(position.queue)
    }

    // MARK: Accepting messages

    private mutating func enqueueForAll(_ message: Message) -> [Action] {
        guard !recipients.isEmpty else { return [.finish(message.id)] }
        var actions: [Action] = []
        var rejected: Set<String> = []
        // A shared value has one size and one queue, so these failures concern all players.
        if !isSplit, let failure = sizeFailure(message, smallestValue) ?? queueFailure(message, nil)
        {
            return [.fail(message.id, for: nil, failure), .finish(message.id)]
        }
        for recipient in recipients {
            let failure =
                isSplit
                ? deliveryFailure(of: message, to: recipient.id)
                : subscriptionFailure(of: recipient)
            guard let failure else { continue }
            actions.append(.fail(message.id, for: recipient.id, failure))
            rejected.insert(recipient.id)
        }
        guard isSplit else { return actions + batch(message, for: [nil]) }
        let targets = recipients.map(\.id).filter { !rejected.contains($0) }
        guard !targets.isEmpty else { return actions + [.finish(message.id)] }
        return actions + batch(message, for: targets, rejected: rejected)
    }

    private func deliveryFailure(of message: Message, to target: String) -> DeliveryFailure? {
        if let failure = lateFailure(target, of: message) { return failure }
        // bluetoothd treats an empty value on a socket as the end of the socket.
        if settings.isRaw, message.length == 0 { return .notAddressable(target) }
        let length = recipients.first { $0.id == target }?.valueLength ?? 0
        return sizeFailure(message, length) ?? queueFailure(message, key(target))
    }

    /// Returns a failure that may have arisen since the message was accepted.
    private func lateFailure(_ target: String?, of message: Message) -> DeliveryFailure? {
        guard let target else { return nil }
        guard let recipient = recipients.first(where: { $0.id == target }) else {
            return .unknownPeer(target)
        }
        if let failure = subscriptionFailure(of: recipient) { return failure }
        let isAddressed = supportsUnicast && !recipient.isShared
        let isAlone = message.target != nil
        return isAlone && !isAddressed && recipients.count > 1 ? .notAddressable(target) : nil
    }

    private func subscriptionFailure(of recipient: Recipient) -> DeliveryFailure? {
        recipient.isUnsubscribed ? .mute(recipient.id) : nil
    }

    private func sizeFailure(_ message: Message, _ valueLength: Int) -> DeliveryFailure? {
        let limit =
            settings.isRaw
            ? valueLength : PacketFragmenter.maximumMessageLength(mtu: valueLength)
        return message.length > limit ? .tooLarge(size: message.length, limit: limit) : nil
    }

    private func queueFailure(_ message: Message, _ key: String?) -> DeliveryFailure? {
        let waiting = (batchedSizes[key] ?? 0) + (queues[key]?.size ?? 0)
        return waiting + message.size > settings.maximumSize ? .queueFull : nil
    }

    private mutating func batch(
        _ message: Message,
        for keys: [String?],
        rejected: Set<String> = []
    ) -> [Action] {
        for key in keys { batchedSizes[key, default: 0] += message.size }
        batchedMessages.append(BatchedMessage(message: message, rejectedRecipients: rejected))
        guard !isArmed else { return [] }
        isArmed = true
        return [.armFlush]
    }

    // MARK: Queues

    private func key(_ target: String) -> String? { supportsUnicast ? target : nil }

    private var smallestValue: Int {
        recipients.map(\.valueLength).min() ?? BLEConstants.defaultMTU
    }

    private mutating func move(_ batched: BatchedMessage) -> [Action] {
        let message = batched.message
        let packetId = nextPacketId
        nextPacketId &+= 1
        let targets: [String?]
        var actions: [Action] = []
        if let target = message.target {
            targets = [target]
        } else if isSplit {
            targets = recipients.map(\.id).filter { !batched.rejectedRecipients.contains($0) }
        } else {
            targets = [nil]
        }
        for target in targets {
            if let failure = lateFailure(target, of: message) {
                actions.append(.fail(message.id, for: target, failure))
            } else {
                let waiting = PendingMessage(message: message, target: target, packetId: packetId)
                append(waiting, to: supportsUnicast ? target : nil)
            }
        }
        return uses[message.id] == nil ? actions + [.finish(message.id)] : actions
    }

    private mutating func append(_ waiting: PendingMessage, to key: String?) {
        queues[key, default: SendQueue()].messages.append(waiting)
        queues[key]?.size += waiting.message.size
        uses[waiting.message.id, default: 0] += 1
    }

    /// Sends values up to the window, and removes the messages that have ended.
    private mutating func sendNext(_ key: String?) -> [Action] {
        guard var queue = queues.removeValue(forKey: key) else { return [] }
        var actions: [Action] = []
        while queue.pending < settings.window, queue.next < queue.first + queue.messages.count {
            let index = queue.next - queue.first
            if queue.messages[index].payloadLength == nil { start(&queue.messages[index]) }
            recheck(&queue.messages[index])
            guard let fragment = Self.nextFragment(of: &queue.messages[index]) else {
                queue.next += 1
                continue
            }
            lastValue += 1
            values[lastValue] = (key, queue.next)
            queue.pending += 1
            actions.append(.send(lastValue, fragment, to: queue.messages[index].target))
        }
        while let waiting = queue.messages.first, waiting.isSent, waiting.pending == 0 {
            queue.messages.removeFirst()
            queue.first += 1
            queue.next = max(queue.next, queue.first)
            queue.size -= waiting.message.size
            actions += end(waiting)
        }
        if !queue.messages.isEmpty { queues[key] = queue }
        return actions
    }

    /// Chooses the size of the fragments by the present values of the player.
    private func start(_ waiting: inout PendingMessage) {
        let length = recipients.first { $0.id == waiting.target }?.valueLength ?? smallestValue
        waiting.failure =
            lateFailure(waiting.target, of: waiting.message) ?? sizeFailure(waiting.message, length)
        let room = settings.isRaw ? waiting.message.length : PacketFragmenter.payloadLength(length)
        let payloadLength = max(1, room)
        waiting.payloadLength = payloadLength
        guard waiting.failure == nil else { return }
        waiting.count = max(1, (waiting.message.length + payloadLength - 1) / payloadLength)
    }

    /// Ends a message in progress that its player can no longer receive.
    private func recheck(_ waiting: inout PendingMessage) {
        guard waiting.failure == nil, waiting.next > 0,
            let failure = lateFailure(waiting.target, of: waiting.message)
        else { return }
        waiting.failure = failure
        waiting.next = waiting.count
    }

    private static func nextFragment(of waiting: inout PendingMessage) -> Fragment? {
        guard let length = waiting.payloadLength, waiting.next < waiting.count else { return nil }
        let start = waiting.next * length
        let fragment = Fragment(
            message: waiting.message.id,
            packetId: waiting.packetId,
            index: waiting.next,
            count: waiting.count,
            range: start..<min(waiting.message.length, start + length)
        )
        waiting.next += 1
        waiting.pending += 1
        return fragment
    }

    // MARK: Removing messages

    /// Reports the result of a message that has left its queue.
    private mutating func end(_ waiting: PendingMessage, _ other: DeliveryFailure? = nil)
        -> [Action]
    {
        let number = waiting.message.id
        var actions: [Action] = []
        if var failure = waiting.failure ?? other {
            if let target = waiting.target, !recipients.contains(where: { $0.id == target }) {
                failure = .unknownPeer(target)
            }
            actions.append(.fail(number, for: waiting.target, failure))
        }
        uses[number, default: 1] -= 1
        guard uses[number] == 0 else { return actions }
        uses[number] = nil
        return actions + [.finish(number)]
    }

    private mutating func removeRecipient(_ id: String) -> [Action] {
        let late = batchedMessages.filter { $0.message.target == id }.map(\.message)
        batchedMessages.removeAll { $0.message.target == id }
        batchedSizes[id] = nil
        let queue = queues.removeValue(forKey: id)
        values = values.filter { $0.value.queue != id }
        return (queue?.messages ?? []).flatMap { end($0, unknownPeerFailure($0.message)) }
            + failAll(late)
    }

    private mutating func removeAll() -> [Action] {
        let waiting = queues.sorted { $0.key ?? "" < $1.key ?? "" }.flatMap { $0.value.messages }
        let late = batchedMessages.map(\.message)
        batchedMessages = []
        batchedSizes = [:]
        queues = [:]
        values = [:]
        return waiting.flatMap { end($0, unknownPeerFailure($0.message)) } + failAll(late)
    }

    // A message to all does not fail for a player that has left.
    private func unknownPeerFailure(_ message: Message) -> DeliveryFailure? {
        message.target.map { .unknownPeer($0) }
    }

    private func failAll(_ messages: [Message]) -> [Action] {
        messages.flatMap { message -> [Action] in
            let failure = message.target.map {
                Action.fail(message.id, for: $0, .unknownPeer($0))
            }
            return (failure.map { [$0] } ?? []) + [.finish(message.id)]
        }
    }
}
