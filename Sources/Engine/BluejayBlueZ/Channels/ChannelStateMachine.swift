/// The life of one channel: the link, the socket, packets both ways, one end.
///
/// Whoever sends is held back while the kernel takes nothing, and the peer while nobody takes what it
/// sent. Invariant: `open` is followed by exactly one of `opened` and `refused`, `opened` by exactly one
/// `ended`, and each packet that was taken to be sent is told once.
struct ChannelStateMachine: Equatable {
    typealias Send = Int
    typealias Failure = ChannelFailure
    typealias End = ChannelEnd

    /// What to do.
    enum Action: Equatable {
        /// Share the link, then report `linkUp` or `linkFailed`.
        case joinLink
        /// Give the share of the link back, or take the wish for it back.
        case leaveLink
        /// Make the socket, then report `connected` or `connectFailed`.
        case connect
        /// Report `connectAgain` after `ChannelStateMachine.pause`.
        case pause
        /// Make no socket any more.
        case cancelConnect
        case opened
        case refused(Failure)
        /// Watch the socket for these from now on.
        case watch(reading: Bool, writing: Bool)
        /// Send the packet, then report `wrote`.
        case write(Send)
        case sent(Send)
        case notSent(Send, End)
        /// Ask whether the link is there, then report `linkAnswered`.
        case askForLink
        case closeSocket
        case ended(End)
    }

    /// What the kernel did with a packet.
    enum Written: Equatable {
        case all
        /// It takes nothing at present.
        case nothing
        /// It takes nothing any more; what the peer had sent before is still to be read.
        case closed
        case failed(End)
    }

    /// How the two limits are meant is said where they are set.
    struct Limits: Equatable {
        var unread: Int
        var unsent: Int
    }

    private enum State: Equatable {
        /// Next: `joining`, `open`, `over`.
        case idle
        /// The link is brought up. Next: `connecting`, `over`.
        case joining
        /// The socket connects. Next: `open`, `over`.
        case connecting
        /// Next: `asking`, `over`.
        case open
        /// The socket is at its end; why is being asked. Next: `over`.
        case asking
        /// Nothing more comes.
        case over
    }

    private struct Packet: Equatable {
        let id: Send
        let length: Int
    }

    /// How long after a refusal on a link that is new it is tried once more.
    ///
    /// While both ends of a link set up further channels for ATT, as BlueZ 5.55 to 5.69 does, Linux may take the
    /// answer to one request for that to another: seen between two adapters of one bluetoothd 5.66.
    static let pause = Duration.seconds(1)

    private let limits: Limits
    private var state = State.idle
    private var mayTryAgain = false
    private var waiting: [Packet] = []
    /// A packet is with the runner.
    private var isWriting = false
    private var isFull = false
    /// The peer takes no more.
    private var isShut = false
    private var unread = 0
    private var unsent = 0
    private var isReading = false
    private var isWatchingWrites = false

    init(_ limits: Limits) {
        self.limits = limits
    }

    var isIdle: Bool { state == .idle }
    var isOpen: Bool { state == .open }
    /// Whether the link is up and the channel is not.
    var isConnecting: Bool { state == .connecting }
    var isOver: Bool { state == .over }
    /// Whether more is to be read from the socket now.
    var mayRead: Bool { state == .open && unread < limits.unread }

    /// Whether a packet may be given to `send`; an empty queue takes any.
    func takes(_ length: Int) -> Bool {
        (state == .open || state == .asking)
            && (unsent == 0 || unsent + length <= limits.unsent)
    }

    // MARK: Opening

    mutating func open() -> [Action] {
        guard state == .idle else { return [] }
        state = .joining
        return [.joinLink]
    }

    /// Somebody else has opened it.
    mutating func accepted() -> [Action] {
        guard state == .idle else { return [] }
        return begin()
    }

    /// - Parameter isNew: Whether it was brought up for this channel.
    /// - Returns: What to do.
    mutating func linkUp(isNew: Bool = false) -> [Action] {
        guard state == .joining else { return [] }
        mayTryAgain = isNew
        state = .connecting
        return [.connect]
    }

    mutating func linkFailed(_ failure: Failure) -> [Action] {
        guard state == .joining else { return [] }
        state = .over
        return [.refused(failure)]
    }

    mutating func connected() -> [Action] {
        guard state == .connecting else { return [] }
        return begin() + [.opened]
    }

    /// The pause is over.
    mutating func connectAgain() -> [Action] {
        state == .connecting ? [.connect] : []
    }

    mutating func connectFailed(_ failure: Failure) -> [Action] {
        guard state == .connecting else { return [] }
        if failure == .refused, mayTryAgain {
            mayTryAgain = false
            return [.pause]
        }
        state = .over
        return [.leaveLink, .refused(failure)]
    }

    private mutating func begin() -> [Action] {
        state = .open
        isReading = true
        return [.watch(reading: true, writing: false)]
    }

    // MARK: Packets

    mutating func send(_ id: Send, length: Int) -> [Action] {
        guard takes(length) else { return [] }
        waiting.append(Packet(id: id, length: length))
        unsent += length
        return next()
    }

    /// The socket takes packets again.
    mutating func writable() -> [Action] {
        guard state == .open, isFull else { return [] }
        isFull = false
        return next() + watch()
    }

    mutating func wrote(_ id: Send, _ result: Written) -> [Action] {
        guard isWriting, waiting.first?.id == id, state == .open || state == .asking else {
            return []
        }
        isWriting = false
        switch result {
        case .all:
            unsent -= waiting.removeFirst().length
            return [.sent(id)] + (state == .open ? next() : [])
        case .nothing:
            isFull = true
            return watch()
        case .closed:
            isShut = true
            return watch()
        case .failed(let end): return finish(end)
        }
    }

    private mutating func next() -> [Action] {
        guard state == .open, !isWriting, !isFull, !isShut, let first = waiting.first else {
            return watch()
        }
        isWriting = true
        return [.write(first.id)] + watch()
    }

    /// A packet came.
    mutating func received(_ length: Int) -> [Action] {
        guard state == .open else { return [] }
        unread += length
        return watch()
    }

    /// Somebody took a packet that came.
    mutating func taken(_ length: Int) -> [Action] {
        unread -= length
        return watch()
    }

    private mutating func watch() -> [Action] {
        guard state == .open else { return [] }
        guard isReading != mayRead || isWatchingWrites != isFull else { return [] }
        isReading = mayRead
        isWatchingWrites = isFull
        return [.watch(reading: isReading, writing: isWatchingWrites)]
    }

    // MARK: The end

    /// The peer sends no more: it has closed, or the link has gone.
    mutating func endOfPackets() -> [Action] {
        guard state == .open else { return [] }
        state = .asking
        return [.closeSocket, .askForLink]
    }

    /// Why it was the end.
    mutating func linkAnswered(_ end: End) -> [Action] {
        guard state == .asking else { return [] }
        return over(end)
    }

    mutating func failed(_ end: End) -> [Action] {
        guard state == .open else { return [] }
        return finish(end)
    }

    /// The link has gone, or there is no Bluetooth any more.
    mutating func linkEnded(_ end: End, _ failure: Failure) -> [Action] {
        switch state {
        case .idle, .joining, .over: return []
        case .connecting:
            state = .over
            return [.cancelConnect, .leaveLink, .refused(failure)]
        case .open: return finish(end)
        case .asking: return over(end)
        }
    }

    /// Its user closes it, or has waited for long enough.
    mutating func close(_ end: End, _ failure: Failure) -> [Action] {
        switch state {
        case .idle:
            state = .over
            return []
        case .joining:
            state = .over
            return [.leaveLink, .refused(failure)]
        case .connecting:
            state = .over
            return [.cancelConnect, .leaveLink, .refused(failure)]
        case .open: return finish(end)
        case .asking: return over(end)
        case .over: return []
        }
    }

    private mutating func finish(_ end: End) -> [Action] {
        [.closeSocket] + over(end)
    }

    private mutating func over(_ end: End) -> [Action] {
        state = .over
        let lost = waiting.map { Action.notSent($0.id, end) }
        waiting = []
        unsent = 0
        return [.leaveLink] + lost + [.ended(end)]
    }
}
