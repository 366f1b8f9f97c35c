internal import DequeModule

/// The calls of one central to one actor: one method at a time, in order of arrival.
///
/// A read waits for its method for at most `Settings.readTimeout`. A result that does not fit the read is kept
/// until the central fetches it, one for each method.
struct ServedCallStateMachine: Equatable {
    struct Settings: Equatable {
        /// The number of calls that wait, together with the streams and the cancelled calls whose methods
        /// still run, also those of earlier links.
        var queueCapacity: Int
        /// The bytes of arguments that wait.
        var maximumByteCount: Int
        /// The most bytes of a result that a read delivers.
        var maximumReadLength: Int
        /// Short: bluetoothd crashes if a central leaves while its read is unanswered.
        var readTimeout = Duration.milliseconds(80)
    }

    /// The session and the number of a call.
    struct Key: Hashable {
        let session: UInt16
        let call: UInt16
    }

    enum Outcome: Equatable {
        case value(length: Int)
        /// The method has thrown an error, or its arguments do not fit.
        case failure
        case stream
    }

    enum ReadRejection: Equatable {
        /// The method has thrown an error, which the central can fetch.
        case failed
        /// The result is too long or late; the central can fetch it.
        case fetch
        case busy
    }

    enum Action: Equatable {
        case run(Int)
        case cancel(Int)
        /// Answer the read with the result of the call.
        case respond(Int)
        case rejectRead(Int, ReadRejection)
        case reply(Int, Key)
        /// The stream of a subscription was refused, or the method has thrown an error.
        case logUnstarted(Int)
        /// Refuse a call or fetch of a method.
        case refuse(Key, Refusal, method: Int)
        /// Send the elements of a stream; the key is `nil` for that of a subscription.
        case startStream(Int, Key?)
        case endStream(Int)
        case discard(Int)
        /// `nil` cancels the timer.
        case setTimer(Duration?)
    }

    private enum Requester: Equatable {
        /// → fetcher
        case read(deadline: Duration)
        /// The read was rejected, and the result is saved. → key
        case fetcher
        case key(Key)
        /// No reply is requested.
        case oneWay
        /// A central that writes no frames has subscribed to the method.
        case subscription

        var deadline: Duration? { if case .read(let deadline) = self { deadline } else { nil } }
    }

    private struct Call: Equatable {
        let ticket: Int
        let method: Int
        let bytes: Int
        var requester: Requester
        var isRunning = false
    }

    private struct Stream: Equatable {
        let ticket: Int
        let method: Int
        /// `nil` for the stream of a subscription.
        let key: Key?
    }

    /// The number of ended calls whose doubled frames are recognised.
    private static let recentCapacity = 64
    /// The time after an unsubscription in which no method starts.
    ///
    /// The notify sockets of a central that leaves close one after the other. The bus delivers its last calls and the
    /// end of its link later.
    private static let departureTime = Duration.milliseconds(500)

    /// The methods and producers that still run and that this machine does not know: those of earlier links, and of the
    /// central's calls to other actors.
    var otherWork = 0

    private let settings: Settings
    /// The first call runs, the others wait.
    private var calls: Deque<Call> = []
    /// The tickets of cancelled calls whose methods still run.
    private var cancelledTickets: Set<Int> = []
    private var streams: [Stream] = []
    /// The tickets of the saved results by their methods.
    private var savedResults: [Int: Int] = [:]
    private var recent: Deque<Key> = []
    /// The time from which the next method starts, after an unsubscription has cancelled one.
    private var pauseEnd: Duration?
    private var timer: Duration?

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// The number of cancelled calls whose methods still run.
    var cancelledCount: Int { cancelledTickets.count }

    // MARK: The central

    /// A message calls a method.
    mutating func called(
        _ ticket: Int,
        _ method: Int,
        _ key: Key,
        bytes: Int,
        needsReply: Bool
    ) -> [Action] {
        guard record(key) else { return [.discard(ticket)] }
        guard hasRoom(for: bytes) else {
            let refusal = Action.refuse(key, .busy, method: method)
            return (needsReply ? [refusal] : []) + [.discard(ticket)]
        }
        let requester = needsReply ? Requester.key(key) : .oneWay
        calls.append(Call(ticket: ticket, method: method, bytes: bytes, requester: requester))
        return proceed()
    }

    /// A GATT read calls a method, which replaces a saved result of the method.
    mutating func read(_ ticket: Int, _ method: Int, now: Duration) -> [Action] {
        let result = savedResults.removeValue(forKey: method).map { [Action.discard($0)] } ?? []
        let replaced = result + drop { $0.method == method && $0.requester == .fetcher }
        guard hasRoom(for: 0) else {
            return replaced + [.rejectRead(ticket, .busy), .discard(ticket)] + proceed()
        }
        let requester = Requester.read(deadline: now + settings.readTimeout)
        calls.append(Call(ticket: ticket, method: method, bytes: 0, requester: requester))
        return replaced + proceed()
    }

    /// A message fetches the saved result of a method, or waits for it.
    mutating func fetched(_ method: Int, _ key: Key) -> [Action] {
        guard record(key) else { return [] }
        if let ticket = savedResults.removeValue(forKey: method) {
            return [.reply(ticket, key), .discard(ticket)]
        }
        let index = calls.firstIndex { $0.method == method && $0.requester == .fetcher }
        guard let index else { return [.refuse(key, .unknownCall, method: method)] }
        calls[index].requester = .key(key)
        return []
    }

    /// A central that writes no frames has subscribed to a method, whose earlier stream ends.
    mutating func subscribed(_ ticket: Int, _ method: Int) -> [Action] {
        let isWaiting = calls.contains { $0.method == method && $0.requester == .subscription }
        guard !isWaiting else { return [.discard(ticket)] }
        // The earlier stream counts until its producer has ended.
        let hasRoom = hasRoom(for: 0)
        let ended = endStreams { $0.method == method && $0.key == nil }
        guard hasRoom else { return ended + [.logUnstarted(ticket), .discard(ticket)] }
        calls.append(Call(ticket: ticket, method: method, bytes: 0, requester: .subscription))
        return ended + proceed()
    }

    /// The central has written a frame: its subscriptions start no streams.
    mutating func endSubscriptions() -> [Action] {
        let dropped = drop { $0.requester == .subscription }
        return dropped + endStreams { $0.key == nil } + proceed()
    }

    /// Whether a subscription of a method has a stream, or waits for it.
    func hasSubscription(_ method: Int) -> Bool {
        calls.contains { $0.method == method && $0.requester == .subscription }
            || streams.contains { $0.method == method && $0.key == nil }
    }

    /// The central no longer waits for a call, or no longer reads its stream.
    mutating func cancelled(_ key: Key) -> [Action] {
        drop { $0.requester == .key(key) } + endStreams { $0.key == key } + proceed()
    }

    /// Answers of a method no longer reach the central.
    mutating func unsubscribed(_ method: Int, now: Duration) -> [Action] {
        let wasRunning = calls.first?.isRunning == true
        let dropped = drop { call in
            switch call.requester {
            case .key, .subscription: call.method == method
            case .read, .fetcher, .oneWay: false
            }
        }
        if wasRunning, calls.first?.isRunning != true { pauseEnd = now + Self.departureTime }
        return dropped + endStreams { $0.method == method } + proceed()
    }

    /// The link has ended, or the replies to the central cannot be sent.
    mutating func centralDisconnected() -> [Action] {
        let results = savedResults.values.sorted().map { Action.discard($0) }
        savedResults = [:]
        pauseEnd = nil
        return drop { _ in true } + endStreams { _ in true } + results + proceed()
    }

    // MARK: The methods

    /// A method has ended, or has returned a stream.
    mutating func finished(_ ticket: Int, _ outcome: Outcome) -> [Action] {
        guard let call = calls.first, call.ticket == ticket else {
            cancelledTickets.remove(ticket)
            return [.discard(ticket)]
        }
        calls.removeFirst()
        return complete(call, outcome) + proceed()
    }

    /// All elements of a stream have been sent, or one cannot be sent.
    mutating func streamEnded(_ ticket: Int) -> [Action] {
        endStreams { $0.ticket == ticket }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        timer = nil
        if let end = pauseEnd, end <= now { pauseEnd = nil }
        var late: [Action] = []
        for index in calls.indices where calls[index].requester.deadline.map({ $0 <= now }) ?? false
        {
            calls[index].requester = .fetcher
            late.append(.rejectRead(calls[index].ticket, .fetch))
        }
        return late + proceed()
    }

    // MARK: Steps

    private mutating func proceed() -> [Action] {
        var actions: [Action] = []
        if let next = calls.first, !next.isRunning, pauseEnd == nil {
            calls[calls.startIndex].isRunning = true
            actions.append(.run(next.ticket))
        }
        let deadline = (calls.compactMap(\.requester.deadline) + [pauseEnd].compactMap(\.self))
            .min()
        if deadline != timer { actions.append(.setTimer(deadline)) }
        timer = deadline
        return actions
    }

    private mutating func complete(_ call: Call, _ outcome: Outcome) -> [Action] {
        switch (call.requester, outcome) {
        case (.key(let key), .stream):
            streams.append(Stream(ticket: call.ticket, method: call.method, key: key))
            return [.startStream(call.ticket, key), .discard(call.ticket)]
        case (.key(let key), _): return [.reply(call.ticket, key), .discard(call.ticket)]
        case (.subscription, .stream):
            streams.append(Stream(ticket: call.ticket, method: call.method, key: nil))
            return [.startStream(call.ticket, nil), .discard(call.ticket)]
        case (.subscription, _): return [.logUnstarted(call.ticket), .discard(call.ticket)]
        case (.read, .value(let length)) where length <= settings.maximumReadLength:
            return [.respond(call.ticket), .discard(call.ticket)]
        case (.read, .value): return [.rejectRead(call.ticket, .fetch)] + saveResult(call)
        case (.read, .failure): return [.rejectRead(call.ticket, .failed)] + saveResult(call)
        case (.fetcher, .value), (.fetcher, .failure): return saveResult(call)
        // A method that returns a stream is not readable.
        case (.read, .stream), (.fetcher, .stream), (.oneWay, _): return [.discard(call.ticket)]
        }
    }

    private mutating func saveResult(_ call: Call) -> [Action] {
        savedResults.updateValue(call.ticket, forKey: call.method).map { [.discard($0)] } ?? []
    }

    private mutating func drop(where isDropped: (Call) -> Bool) -> [Action] {
        let dropped = calls.filter(isDropped)
        calls.removeAll(where: isDropped)
        return dropped.map { call in
            guard call.isRunning else { return .discard(call.ticket) }
            cancelledTickets.insert(call.ticket)
            return .cancel(call.ticket)
        }
    }

    private mutating func endStreams(where isEnded: (Stream) -> Bool) -> [Action] {
        let ended = streams.filter(isEnded)
        streams.removeAll(where: isEnded)
        return ended.map { .endStream($0.ticket) }
    }

    private func hasRoom(for bytes: Int) -> Bool {
        let waiting = calls.dropFirst()
        let running = cancelledTickets.count + streams.count + otherWork
        return waiting.count + running < settings.queueCapacity
            && waiting.reduce(bytes, { $0 + $1.bytes }) <= settings.maximumByteCount
    }

    /// Notes the number of a call.
    ///
    /// - Returns: Whether it is new.
    private mutating func record(_ key: Key) -> Bool {
        let isKnown =
            recent.contains(key) || calls.contains { $0.requester == .key(key) }
            || streams.contains { $0.key == key }
        guard !isKnown else { return false }
        if recent.count == Self.recentCapacity { recent.removeFirst() }
        recent.append(key)
        return true
    }
}
