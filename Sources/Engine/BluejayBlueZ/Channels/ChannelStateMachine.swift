/// Runs one channel: its link, its socket, packets in both directions, and one end.
///
/// Sending pauses while the kernel accepts no packets. Reading pauses while the user takes none, which
/// holds the peer back.
///
/// Invariant: exactly one `opened` or `refused` follows `open`, exactly one `ended` follows `opened`, and
/// each packet accepted by `send` ends with one `sent` or `notSent`.
struct ChannelStateMachine: Equatable {
    typealias Send = Int
    typealias Failure = ChannelFailure
    typealias End = ChannelEnd

    enum Action: Equatable {
        /// Take a lease of the link, then report `linkUp` or `linkFailed`.
        case joinLink
        /// Release the link, or cancel the request for it.
        case leaveLink
        /// Connect a socket, then report `connected` or `connectFailed`.
        case connect
        /// Report `connectAgain` after `pause`.
        case pause
        /// Cancel the connect and the pause.
        case cancelConnect
        case opened
        case refused(Failure)
        /// Watch the socket for these conditions only.
        case watch(reading: Bool, writing: Bool)
        /// Send the packet, then report `wrote`.
        case write(Send)
        case sent(Send)
        case notSent(Send, End)
        /// Ask whether the link is up, then report `linkAnswered`.
        case askForLink
        case closeSocket
        case ended(End)
    }

    enum Written: Equatable {
        case all
        /// The kernel's buffer is full.
        case nothing
        /// The kernel accepts no more packets; packets from the peer may still be unread.
        case closed
        case failed(End)
    }

    struct Limits: Equatable {
        var unread: Int
        var unsent: Int
    }

    private enum State: Equatable {
        /// Next: `joining`, `open`, `over`.
        case idle
        /// The link is coming up. Next: `connecting`, `over`.
        case joining
        /// The socket is connecting. Next: `open`, `over`.
        case connecting
        /// Next: `asking`, `over`.
        case open
        /// The socket has ended, and the owner asks why. Next: `over`.
        case asking
        /// Next: none.
        case over
    }

    private struct Packet: Equatable {
        let id: Send
        let length: Int
    }

    /// The delay before the one retry of a connect that was refused on a new link.
    ///
    /// While both ends set up further ATT channels, as BlueZ 5.55 to 5.69 does, Linux may confuse the
    /// answers to two requests. Seen between two adapters of one bluetoothd 5.66.
    static let pause = Duration.seconds(1)

    private let limits: Limits
    private var state = State.idle
    private var mayTryAgain = false
    private var waiting: [Packet] = []
    private var isWriting = false
    private var isFull = false
    /// Whether the peer accepts no more packets.
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
    var isConnecting: Bool { state == .connecting }
    var isOver: Bool { state == .over }
    var mayRead: Bool { state == .open && unread < limits.unread }

    /// Whether `send` accepts a packet of this length.
    ///
    /// An empty queue accepts any length.
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

    mutating func accepted() -> [Action] {
        guard state == .idle else { return [] }
        return begin()
    }

    /// The link is up; `isNew` is true if it was brought up for this channel.
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

    mutating func received(_ length: Int) -> [Action] {
        guard state == .open else { return [] }
        unread += length
        return watch()
    }

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

    // MARK: Ending

    /// The peer sends no more: it has closed, or the link is lost.
    mutating func endOfPackets() -> [Action] {
        guard state == .open else { return [] }
        state = .asking
        return [.closeSocket, .askForLink]
    }

    mutating func linkAnswered(_ end: End) -> [Action] {
        guard state == .asking else { return [] }
        return over(end)
    }

    mutating func failed(_ end: End) -> [Action] {
        guard state == .open else { return [] }
        return finish(end)
    }

    /// The link has ended, or Bluetooth is unavailable.
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

    /// The user closes the channel, or the time limit has passed.
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
