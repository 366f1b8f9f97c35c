/// Runs one channel: its link, its socket, packets in both directions, and one end.
///
/// Sending pauses while the kernel accepts no packets. Reading pauses while the user receives none, which
/// holds the peer back. The kernel discards its packets when the socket is closed and does not report that it
/// has sent them, so the machine polls it while it has some.
///
/// Invariant: exactly one `opened` or `openFailed` follows `open`, exactly one `ended` follows `opened`,
/// each packet accepted by `send` ends with one `sent` or `notSent`, and each `flush` ends with one `flushed`
/// or `notFlushed`, or with `cancelFlush`.
struct ChannelStateMachine: Equatable {
    typealias SendID = Int
    typealias FlushID = Int
    typealias Failure = ChannelFailure
    typealias CloseReason = ChannelCloseReason

    enum Action: Equatable {
        /// Acquire a lease of the link, then report `linkUp` or `linkFailed`.
        case acquireLink
        /// Release the link, or cancel the request for it.
        case releaseLink
        /// Connect a socket, then report `connected` or `connectFailed`.
        case connect
        /// Report `retryTimerFired` after `retryDelay`.
        case startRetryTimer
        /// Cancel the connect and the retry timer.
        case cancelConnect
        case opened
        case openFailed(Failure)
        /// Watch the socket for these conditions only.
        case watch(reading: Bool, writing: Bool)
        /// Send the packet, then report `wrote`.
        case write(SendID)
        case sent(SendID)
        case notSent(SendID, CloseReason)
        /// The kernel has sent the packets before the flush.
        case flushed(FlushID)
        case notFlushed(FlushID, CloseReason)
        /// Report `pollTimerFired` after this delay.
        case startPollTimer(Duration)
        /// Check whether the link is up, then report `linkChecked`.
        case checkLink
        case closeSocket
        case ended(CloseReason)
    }

    enum WriteOutcome: Equatable {
        case written
        /// The kernel's buffer is full.
        case wouldBlock
        /// The kernel accepts no more packets; packets from the peer may still be unread.
        case closed
        case failed(CloseReason)
    }

    struct Limits: Equatable {
        var unread: Int
        var unsent: Int
    }

    private enum State: Equatable {
        /// Next: `acquiringLink`, `open`, `closed`.
        case idle
        /// The link is coming up. Next: `connecting`, `closed`.
        case acquiringLink
        /// The socket is connecting. Next: `open`, `closed`.
        case connecting
        /// Next: `closing`, `checkingLink`, `closed`.
        case open
        /// The user has closed the channel, which still sends its packets. Next: `checkingLink`, `closed`.
        case closing
        /// The socket has ended, and the owner checks the link for the reason. Next: `closed`.
        case checkingLink
        /// Next: none.
        case closed
    }

    private struct Packet: Equatable {
        let id: SendID
        let length: Int
    }

    private struct Flush: Equatable {
        let id: FlushID
        /// The number of packets that must have been sent.
        let packetCount: Int
    }

    /// The delay before the one retry of a connect that was refused on a new link.
    ///
    /// While both ends set up further ATT channels, as BlueZ 5.55 to 5.69 does, Linux may confuse the
    /// replies to two requests. Seen between two adapters of one bluetoothd 5.66.
    static let retryDelay = Duration.seconds(1)

    /// Delays between polls of the kernel without progress; the last one repeats.
    static let pollDelays: [Duration] = [1, 1, 2, 4, 8, 16].map { .milliseconds($0) }

    private let limits: Limits
    private var state = State.idle
    private var canRetryConnect = false
    private var pendingPackets: [Packet] = []
    private var isWriting = false
    private var isFull = false
    /// Whether the peer accepts no more packets.
    private var isWriteClosed = false
    private var unread = 0
    private var unsent = 0
    private var isReading = false
    private var isWatchingWrites = false
    private var backlog = KernelBacklog()
    private var enqueuedCount = 0
    private var flushes: [Flush] = []
    private var isPolling = false
    private var fruitlessPollCount = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    var isIdle: Bool { state == .idle }
    var isOpen: Bool { state == .open }
    var isConnecting: Bool { state == .connecting }
    var isClosing: Bool { state == .closing }
    var isClosed: Bool { state == .closed }
    var mayRead: Bool { isTransferring && unread < limits.unread }
    /// The bytes of accepted packets that the kernel has not sent; at the end, the bytes that are lost.
    var unsentByteCount: Int { unsent + backlog.byteCount }

    private var isTransferring: Bool { state == .open || state == .closing }
    private var hasUnsentPackets: Bool { !pendingPackets.isEmpty || !backlog.isEmpty }

    /// Whether `send` accepts a packet of this length.
    ///
    /// An empty queue accepts any length.
    func canEnqueue(_ length: Int) -> Bool {
        (state == .open || state == .checkingLink)
            && (unsent == 0 || unsent + length <= limits.unsent)
    }

    // MARK: Opening

    mutating func open() -> [Action] {
        guard state == .idle else { return [] }
        state = .acquiringLink
        return [.acquireLink]
    }

    mutating func accepted() -> [Action] {
        guard state == .idle else { return [] }
        return startTransfer()
    }

    /// The link is up; `isNew` is true if it was brought up for this channel.
    mutating func linkUp(isNew: Bool = false) -> [Action] {
        guard state == .acquiringLink else { return [] }
        canRetryConnect = isNew
        state = .connecting
        return [.connect]
    }

    mutating func linkFailed(_ failure: Failure) -> [Action] {
        guard state == .acquiringLink else { return [] }
        state = .closed
        return [.releaseLink, .openFailed(failure)]
    }

    mutating func connected() -> [Action] {
        guard state == .connecting else { return [] }
        return startTransfer() + [.opened]
    }

    mutating func retryTimerFired() -> [Action] {
        state == .connecting ? [.connect] : []
    }

    mutating func connectFailed(_ failure: Failure) -> [Action] {
        guard state == .connecting else { return [] }
        if failure == .refused, canRetryConnect {
            canRetryConnect = false
            return [.startRetryTimer]
        }
        state = .closed
        return [.releaseLink, .openFailed(failure)]
    }

    private mutating func startTransfer() -> [Action] {
        state = .open
        isReading = true
        return [.watch(reading: true, writing: false)]
    }

    // MARK: Packets

    mutating func send(_ id: SendID, length: Int) -> [Action] {
        guard canEnqueue(length) else { return [] }
        pendingPackets.append(Packet(id: id, length: length))
        unsent += length
        enqueuedCount += 1
        return next()
    }

    mutating func writable() -> [Action] {
        guard isTransferring, isFull else { return [] }
        isFull = false
        return next() + watch()
    }

    /// The kernel has accepted a packet or not; `memory` is nil if the other end has closed.
    mutating func wrote(
        _ id: SendID,
        _ result: WriteOutcome,
        memory: KernelBacklog.Memory? = KernelBacklog.Memory(before: 0, after: 0)
    ) -> [Action] {
        guard isWriting, pendingPackets.first?.id == id, isTransferring || state == .checkingLink
        else {
            return []
        }
        isWriting = false
        switch result {
        case .written:
            let length = pendingPackets.removeFirst().length
            unsent -= length
            backlog.append(length: length, memory: memory)
            fruitlessPollCount = 0
            return [.sent(id)] + (isTransferring ? next() : []) + kernelSent()
        case .wouldBlock:
            isFull = true
            return watch()
        case .closed:
            isWriteClosed = true
            if state == .closing { return endOfPackets() }
            // Reading reveals the end, after the peer's last packets, unless the user receives none.
            return (mayRead ? [] : failFlushes(.closedByPeer)) + watch()
        case .failed(let reason): return finish(reason)
        }
    }

    private mutating func next() -> [Action] {
        guard isTransferring, !isWriting, !isFull, !isWriteClosed, let first = pendingPackets.first
        else {
            return watch()
        }
        isWriting = true
        return [.write(first.id)] + watch()
    }

    mutating func received(_ length: Int) -> [Action] {
        guard isTransferring else { return [] }
        unread += length
        return watch()
    }

    mutating func consumed(_ length: Int) -> [Action] {
        unread -= length
        return watch()
    }

    private mutating func watch() -> [Action] {
        guard isTransferring else { return [] }
        guard isReading != mayRead || isWatchingWrites != isFull else { return [] }
        isReading = mayRead
        isWatchingWrites = isFull
        return [.watch(reading: isReading, writing: isWatchingWrites)]
    }

    // MARK: Flushing

    /// Waits until the kernel has sent the packets of all earlier calls of `send`.
    mutating func flush(_ id: FlushID) -> [Action] {
        flushes.append(Flush(id: id, packetCount: enqueuedCount))
        return kernelSent()
    }

    mutating func cancelFlush(_ id: FlushID) {
        flushes.removeAll { $0.id == id }
    }

    /// The memory of the kernel's packets is known, outside of a poll.
    mutating func measured(_ memory: Int) -> [Action] {
        guard isTransferring, !backlog.isEmpty else { return [] }
        let before = backlog.sentCount
        backlog.update(memory: memory)
        fruitlessPollCount = backlog.sentCount > before ? 0 : fruitlessPollCount + 1
        return kernelSent()
    }

    /// Time to ask the kernel; `memory` is nil if the other end has closed.
    mutating func pollTimerFired(_ memory: Int?) -> [Action] {
        isPolling = false
        if let memory { return measured(memory) }
        guard !mayRead else {
            fruitlessPollCount += 1
            return poll()
        }
        return state == .closing ? endOfPackets() : failFlushes(.closedByPeer)
    }

    private mutating func kernelSent() -> [Action] {
        let sentCount = backlog.sentCount
        let completed = flushes.prefix { $0.packetCount <= sentCount }
        flushes.removeFirst(completed.count)
        let actions = completed.map { Action.flushed($0.id) }
        if state == .closing, !hasUnsentPackets { return actions + finish(.closed) }
        return actions + poll()
    }

    private mutating func poll() -> [Action] {
        guard isTransferring, !backlog.isEmpty, !isPolling else { return [] }
        isPolling = true
        let delays = Self.pollDelays
        return [.startPollTimer(delays[min(fruitlessPollCount, delays.count - 1)])]
    }

    private mutating func failFlushes(_ reason: CloseReason) -> [Action] {
        defer { flushes = [] }
        return flushes.map { .notFlushed($0.id, reason) }
    }

    // MARK: Ending

    /// The peer sends no more: it has closed, or the link is lost.
    mutating func endOfPackets() -> [Action] {
        guard isTransferring else { return [] }
        state = .checkingLink
        return [.closeSocket, .checkLink]
    }

    mutating func linkChecked(_ reason: CloseReason) -> [Action] {
        guard state == .checkingLink else { return [] }
        return markClosed(reason)
    }

    mutating func failed(_ reason: CloseReason) -> [Action] {
        guard isTransferring else { return [] }
        return finish(reason)
    }

    /// The link has ended, or Bluetooth is unavailable.
    mutating func linkEnded(_ reason: CloseReason, _ failure: Failure) -> [Action] {
        switch state {
        case .idle, .acquiringLink, .closed: return []
        case .connecting:
            state = .closed
            return [.cancelConnect, .releaseLink, .openFailed(failure)]
        case .open, .closing: return finish(reason)
        case .checkingLink: return markClosed(reason)
        }
    }

    /// The user closes the channel, which first sends its packets.
    mutating func closeAfterSending(_ failure: Failure) -> [Action] {
        guard isTransferring, hasUnsentPackets, !isWriteClosed else {
            return close(.closed, failure)
        }
        state = .closing
        return []
    }

    /// The user closes the channel at once, or the time limit has passed.
    mutating func close(_ reason: CloseReason, _ failure: Failure) -> [Action] {
        switch state {
        case .idle:
            state = .closed
            return []
        case .acquiringLink:
            state = .closed
            return [.releaseLink, .openFailed(failure)]
        case .connecting:
            state = .closed
            return [.cancelConnect, .releaseLink, .openFailed(failure)]
        case .open, .closing: return finish(reason)
        case .checkingLink: return markClosed(reason)
        case .closed: return []
        }
    }

    private mutating func finish(_ reason: CloseReason) -> [Action] {
        [.closeSocket] + markClosed(reason)
    }

    private mutating func markClosed(_ reason: CloseReason) -> [Action] {
        state = .closed
        let unsentActions = pendingPackets.map { Action.notSent($0.id, reason) }
        pendingPackets = []
        return [.releaseLink] + unsentActions + failFlushes(reason) + [.ended(reason)]
    }
}
