internal import DequeModule

/// What waits to be sent to whom, and what of it is sent next.
///
/// Messages are gathered until the next flush, then each goes behind those that wait for its player, as
/// fragments that fit the player's values. Where BlueZ sends each value to everybody, there is one line
/// for all, and its fragments fit the smallest values. Messages have numbers here; whoever runs the machine
/// has their bytes.
///
/// Invariants: of two messages to a player the one that was offered first is whole on the air before the
/// other begins; nothing is sent to who is not a member; a message that a member does not get is failed
/// for it once; each message is finished once.
struct OutboxStateMachine {
    /// A player, as far as messages are concerned.
    struct Member: Equatable {
        let id: String
        /// The most bytes of a value for it.
        var valueLength: Int
        var isMute = false
        /// Whether it gets only what all get.
        var isShared = false
    }

    /// A message that is offered.
    struct Message: Equatable {
        /// One that no message has that is not finished.
        let number: Int
        let length: Int
        /// Nil is everybody.
        let target: String?

        /// What it counts, so that empty ones are counted too.
        var size: Int { length + 64 }
    }

    /// What one value has of a message.
    struct Piece: Equatable {
        let message: Int
        let packetId: UInt16
        let index: Int
        let count: Int
        /// Which bytes.
        let range: Range<Int>
    }

    enum Action: Equatable {
        /// Send a value, and say with `finished` what became of it; nil is everybody.
        case send(Int, Piece, to: String?)
        /// A player does not get a message; nil is everybody.
        case fail(Int, for: String?, DeliveryFailure)
        /// Nothing of a message waits any more.
        case finish(Int)
        /// Call `flush` after the interval, once.
        case armFlush
    }

    /// What became of a value.
    enum Outcome: Equatable {
        case sent
        case failed(DeliveryFailure)
    }

    struct Settings {
        /// Whether a message is a value by itself.
        var isRaw = false
        /// The most bytes that wait for a player.
        var maximumSize = 262_144
        /// How many values of a line are on their way at once.
        var window = 16
    }

    private struct BatchedMessage {
        let message: Message
        /// Who of all was refused.
        let refused: Set<String>
    }

    private struct Waiting {
        let message: Message
        /// Whom it is for in this line.
        let target: String?
        let packetId: UInt16
        /// Nil until it has its turn.
        var pieceLength: Int?
        var count = 0
        var next = 0
        /// How many of its values are on their way.
        var pending = 0
        var failure: DeliveryFailure?

        var isSent: Bool { pieceLength != nil && next == count }
    }

    private struct Line {
        var messages: Deque<Waiting> = []
        /// The number of the first one, and of the first that is not all on its way.
        var first = 0
        var next = 0
        var size = 0
        var pending = 0
    }

    private let settings: Settings
    private var members: [Member] = []
    /// Whether one player can be meant.
    private var isEach = false
    /// Whether what is for all goes to each by itself.
    private var isSplit: Bool { isEach && !members.contains(where: \.isShared) }
    private var gathered: Deque<BatchedMessage> = []
    private var gatheredSizes: [String?: Int] = [:]
    private var isArmed = false
    private var nextPacketId: UInt16 = 0
    /// By the player's id, or nil for everybody.
    private var lines: [String?: Line] = [:]
    private var values: [Int: (line: String?, message: Int)] = [:]
    private var lastValue = 0
    /// In how many lines a message waits.
    private var uses: [Int: Int] = [:]

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// Whether nothing waits and nothing is on its way.
    var isEmpty: Bool { gathered.isEmpty && lines.isEmpty }

    // MARK: Events

    /// Who plays now, and whether BlueZ can mean one of them.
    mutating func membersChanged(_ members: [Member], isEach: Bool) -> [Action] {
        let gone = Set(self.members.map(\.id)).subtracting(members.map(\.id))
        let isOther = self.isEach != isEach
        self.members = members
        self.isEach = isEach
        // What has begun is for others then: bluetoothd has started anew, or an adapter was changed.
        if isOther || members.isEmpty { return takeAll() }
        return gone.sorted().flatMap { drop($0) }
    }

    /// Takes a message, or refuses it; a message to everybody is refused for one alone where only that
    /// one cannot get it.
    mutating func offer(_ message: Message) -> [Action] {
        guard let target = message.target else { return offerToAll(message) }
        if let failure = refusal(of: message, to: target) {
            return [.fail(message.number, for: target, failure), .finish(message.number)]
        }
        return gather(message, for: [key(target)])
    }

    /// The interval is over.
    mutating func flush() -> [Action] {
        isArmed = false
        gatheredSizes = [:]
        var actions: [Action] = []
        while let next = gathered.popFirst() { actions += move(next) }
        for key in lines.keys.sorted(by: { $0 ?? "" < $1 ?? "" }) { actions += pump(key) }
        return actions
    }

    /// A value is on its way to bluetoothd no longer.
    mutating func finished(_ value: Int, _ outcome: Outcome) -> [Action] {
        guard let place = values.removeValue(forKey: value),
            var line = lines.removeValue(forKey: place.line)
        else { return [] }
        let index = place.message - line.first
        line.pending -= 1
        line.messages[index].pending -= 1
        if case .failed(let failure) = outcome, line.messages[index].failure == nil {
            line.messages[index].failure = failure
            line.messages[index].next = line.messages[index].count
        }
        lines[place.line] = line
        return pump(place.line)
    }

    // MARK: Taking in

    private mutating func offerToAll(_ message: Message) -> [Action] {
        guard !members.isEmpty else { return [.finish(message.number)] }
        var actions: [Action] = []
        var refused: Set<String> = []
        // The value of one is the value of all, where it is sent to all.
        if !isSplit, let failure = sizeFailure(message, smallestValue) ?? fullness(message, nil) {
            return [.fail(message.number, for: nil, failure), .finish(message.number)]
        }
        for member in members {
            let failure = isSplit ? refusal(of: message, to: member.id) : muteness(of: member)
            guard let failure else { continue }
            actions.append(.fail(message.number, for: member.id, failure))
            refused.insert(member.id)
        }
        guard isSplit else { return actions + gather(message, for: [nil]) }
        let takers = members.map(\.id).filter { !refused.contains($0) }
        guard !takers.isEmpty else { return actions + [.finish(message.number)] }
        return actions + gather(message, for: takers, refused: refused)
    }

    private func refusal(of message: Message, to target: String) -> DeliveryFailure? {
        if let failure = lateRefusal(target, of: message) { return failure }
        // bluetoothd takes an empty value on a socket for its end.
        if settings.isRaw, message.length == 0 { return .notAddressable(target) }
        let length = members.first { $0.id == target }?.valueLength ?? 0
        return sizeFailure(message, length) ?? fullness(message, key(target))
    }

    /// What may have come since a message was taken.
    private func lateRefusal(_ target: String?, of message: Message) -> DeliveryFailure? {
        guard let target else { return nil }
        guard let member = members.first(where: { $0.id == target }) else {
            return .unknownPeer(target)
        }
        if let failure = muteness(of: member) { return failure }
        let isAddressed = isEach && !member.isShared
        let isAlone = message.target != nil
        return isAlone && !isAddressed && members.count > 1 ? .notAddressable(target) : nil
    }

    private func muteness(of member: Member) -> DeliveryFailure? {
        member.isMute ? .mute(member.id) : nil
    }

    private func sizeFailure(_ message: Message, _ valueLength: Int) -> DeliveryFailure? {
        let limit =
            settings.isRaw
            ? valueLength : PacketFragmenter.maximumMessageLength(mtu: valueLength)
        return message.length > limit ? .tooLarge(size: message.length, limit: limit) : nil
    }

    private func fullness(_ message: Message, _ key: String?) -> DeliveryFailure? {
        let waiting = (gatheredSizes[key] ?? 0) + (lines[key]?.size ?? 0)
        return waiting + message.size > settings.maximumSize ? .queueFull : nil
    }

    private mutating func gather(
        _ message: Message,
        for keys: [String?],
        refused: Set<String> = []
    ) -> [Action] {
        for key in keys { gatheredSizes[key, default: 0] += message.size }
        gathered.append(BatchedMessage(message: message, refused: refused))
        guard !isArmed else { return [] }
        isArmed = true
        return [.armFlush]
    }

    // MARK: Lines

    private func key(_ target: String) -> String? { isEach ? target : nil }

    private var smallestValue: Int {
        members.map(\.valueLength).min() ?? BLEConstants.defaultMTU
    }

    private mutating func move(_ gathered: BatchedMessage) -> [Action] {
        let message = gathered.message
        let packetId = nextPacketId
        nextPacketId &+= 1
        let targets: [String?]
        var actions: [Action] = []
        if let target = message.target {
            targets = [target]
        } else if isSplit {
            targets = members.map(\.id).filter { !gathered.refused.contains($0) }
        } else {
            targets = [nil]
        }
        for target in targets {
            if let failure = lateRefusal(target, of: message) {
                actions.append(.fail(message.number, for: target, failure))
            } else {
                let waiting = Waiting(message: message, target: target, packetId: packetId)
                append(waiting, to: isEach ? target : nil)
            }
        }
        return uses[message.number] == nil ? actions + [.finish(message.number)] : actions
    }

    private mutating func append(_ waiting: Waiting, to key: String?) {
        lines[key, default: Line()].messages.append(waiting)
        lines[key]?.size += waiting.message.size
        uses[waiting.message.number, default: 0] += 1
    }

    /// Sends as much as may be on its way, and takes out what is done.
    private mutating func pump(_ key: String?) -> [Action] {
        guard var line = lines.removeValue(forKey: key) else { return [] }
        var actions: [Action] = []
        while line.pending < settings.window, line.next < line.first + line.messages.count {
            let index = line.next - line.first
            if line.messages[index].pieceLength == nil { begin(&line.messages[index]) }
            lookAgain(&line.messages[index])
            guard let piece = Self.takePiece(of: &line.messages[index]) else {
                line.next += 1
                continue
            }
            lastValue += 1
            values[lastValue] = (key, line.next)
            line.pending += 1
            actions.append(.send(lastValue, piece, to: line.messages[index].target))
        }
        while let waiting = line.messages.first, waiting.isSent, waiting.pending == 0 {
            line.messages.removeFirst()
            line.first += 1
            line.next = max(line.next, line.first)
            line.size -= waiting.message.size
            actions += end(waiting)
        }
        if !line.messages.isEmpty { lines[key] = line }
        return actions
    }

    /// Cuts a message for its player as that is now.
    private func begin(_ waiting: inout Waiting) {
        let length = members.first { $0.id == waiting.target }?.valueLength ?? smallestValue
        waiting.failure =
            lateRefusal(waiting.target, of: waiting.message) ?? sizeFailure(waiting.message, length)
        let room = settings.isRaw ? waiting.message.length : PacketFragmenter.pieceLength(length)
        let pieceLength = max(1, room)
        waiting.pieceLength = pieceLength
        guard waiting.failure == nil else { return }
        waiting.count = max(1, (waiting.message.length + pieceLength - 1) / pieceLength)
    }

    /// What has come in the middle of a message ends it there.
    private func lookAgain(_ waiting: inout Waiting) {
        guard waiting.failure == nil, waiting.next > 0,
            let failure = lateRefusal(waiting.target, of: waiting.message)
        else { return }
        waiting.failure = failure
        waiting.next = waiting.count
    }

    private static func takePiece(of waiting: inout Waiting) -> Piece? {
        guard let length = waiting.pieceLength, waiting.next < waiting.count else { return nil }
        let start = waiting.next * length
        let piece = Piece(
            message: waiting.message.number,
            packetId: waiting.packetId,
            index: waiting.next,
            count: waiting.count,
            range: start..<min(waiting.message.length, start + length)
        )
        waiting.next += 1
        waiting.pending += 1
        return piece
    }

    // MARK: Letting go

    /// Tells what became of a message that waits in a line no longer.
    private mutating func end(_ waiting: Waiting, _ other: DeliveryFailure? = nil) -> [Action] {
        let number = waiting.message.number
        var actions: [Action] = []
        if var failure = waiting.failure ?? other {
            if let target = waiting.target, !members.contains(where: { $0.id == target }) {
                failure = .unknownPeer(target)
            }
            actions.append(.fail(number, for: waiting.target, failure))
        }
        uses[number, default: 1] -= 1
        guard uses[number] == 0 else { return actions }
        uses[number] = nil
        return actions + [.finish(number)]
    }

    private mutating func drop(_ id: String) -> [Action] {
        let late = gathered.filter { $0.message.target == id }.map(\.message)
        gathered.removeAll { $0.message.target == id }
        gatheredSizes[id] = nil
        let line = lines.removeValue(forKey: id)
        values = values.filter { $0.value.line != id }
        return (line?.messages ?? []).flatMap { end($0, leftBehind($0.message)) } + refuse(late)
    }

    private mutating func takeAll() -> [Action] {
        let waiting = lines.sorted { $0.key ?? "" < $1.key ?? "" }.flatMap { $0.value.messages }
        let late = gathered.map(\.message)
        gathered = []
        gatheredSizes = [:]
        lines = [:]
        values = [:]
        return waiting.flatMap { end($0, leftBehind($0.message)) } + refuse(late)
    }

    // A message to everybody that one of them is not there for any more is nobody's failure.
    private func leftBehind(_ message: Message) -> DeliveryFailure? {
        message.target.map { .unknownPeer($0) }
    }

    private func refuse(_ messages: [Message]) -> [Action] {
        messages.flatMap { message -> [Action] in
            let failure = message.target.map {
                Action.fail(message.number, for: $0, .unknownPeer($0))
            }
            return (failure.map { [$0] } ?? []) + [.finish(message.number)]
        }
    }
}
