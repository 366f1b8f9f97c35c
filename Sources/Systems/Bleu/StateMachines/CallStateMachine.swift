internal import DequeModule

/// The calls to one peripheral: one at a time, in the order of the callers.
///
/// A call that may have reached the peripheral is never sent again.
struct CallStateMachine<Call: Hashable>: Equatable {
    struct Settings: Equatable {
        /// The longest time between the sending of a call and its reply.
        var replyTimeout: Duration
        /// The longest time without progress while a message is sent.
        var messageTimeout: Duration
        var queueCapacity: Int
    }

    enum Failure: Equatable {
        case tooManyCalls
        case timedOut
        case cancelled
        /// The link ended while the call may have been at the peripheral.
        case linkLost
        /// The link could not be established.
        case unreachable
        /// Bluetooth was off for too long.
        case unavailable
    }

    enum Action: Equatable {
        case connect
        /// Start a call on the link.
        case start(Call)
        /// A started call has ended for its caller: ignore its reply.
        case cancel(Call)
        case fail(Call, Failure)
        /// `nil` cancels the timer.
        case setTimer(Duration?)
    }

    private struct PendingCall: Equatable {
        let call: Call
        /// Set while Bluetooth is off.
        var deadline: Duration?
    }

    private struct RunningCall: Equatable {
        let call: Call
        var deadline: Duration
        /// Whether a frame of the call, or its read, may have reached the peripheral.
        var isSent = false
        /// Whether all of the call has been sent.
        var isComplete = false
        var hasReplyStarted = false
    }

    private let settings: Settings
    private var waiting: Deque<PendingCall> = []
    private var running: RunningCall?
    private var isUp = false
    private var isUsable: Bool
    private var timer: Duration?

    init(_ settings: Settings, isUsable: Bool) {
        self.settings = settings
        self.isUsable = isUsable
    }

    /// Whether no call waits or runs.
    var isIdle: Bool { waiting.isEmpty && running == nil }

    // MARK: Callers

    mutating func add(_ call: Call, now: Duration) -> [Action] {
        guard waiting.count < settings.queueCapacity else { return [.fail(call, .tooManyCalls)] }
        waiting.append(
            PendingCall(call: call, deadline: isUsable ? nil : now + settings.replyTimeout)
        )
        return proceed(now)
    }

    mutating func cancel(_ call: Call, now: Duration) -> [Action] {
        if running?.call == call {
            running = nil
            return [.cancel(call), .fail(call, .cancelled)] + proceed(now)
        }
        guard let index = waiting.firstIndex(where: { $0.call == call }) else { return [] }
        waiting.remove(at: index)
        return [.fail(call, .cancelled)] + timerActions()
    }

    // MARK: The running call

    /// From now on the call may be at the peripheral.
    mutating func sending(_ call: Call, now: Duration) -> [Action] {
        guard running?.call == call, running?.isSent == false else { return [] }
        return change(until: now + settings.messageTimeout) { $0.isSent = true }
    }

    /// All of the call has been sent.
    mutating func sent(_ call: Call, now: Duration) -> [Action] {
        guard running?.call == call, running?.hasReplyStarted == false else { return [] }
        return change(until: now + settings.replyTimeout) {
            $0.isSent = true
            $0.isComplete = true
        }
    }

    /// The first frame of a reply has arrived, and more follow.
    mutating func replyStarted(_ call: Call, now: Duration) -> [Action] {
        guard running?.call == call, running?.hasReplyStarted == false else { return [] }
        return change(until: now + settings.replyTimeout) { $0.hasReplyStarted = true }
    }

    /// A further frame has been sent, or has arrived.
    mutating func progressed(_ call: Call, now: Duration) -> [Action] {
        guard let present = running, present.call == call, present.isSent,
            present.hasReplyStarted || !present.isComplete
        else { return [] }
        let isReply = present.hasReplyStarted
        return change(until: now + (isReply ? settings.replyTimeout : settings.messageTimeout)) {
            _ in
        }
    }

    /// The call has its reply.
    mutating func finished(_ call: Call, now: Duration) -> [Action] {
        guard running?.call == call else { return [] }
        running = nil
        return proceed(now)
    }

    // MARK: The link

    mutating func linkUp(now: Duration) -> [Action] {
        isUp = true
        return proceed(now)
    }

    mutating func linkDown(now: Duration) -> [Action] {
        isUp = false
        guard let ended = running else { return proceed(now) }
        running = nil
        if ended.isSent { return [.fail(ended.call, .linkLost)] + proceed(now) }
        let deadline = isUsable ? nil : now + settings.replyTimeout
        waiting.prepend(PendingCall(call: ended.call, deadline: deadline))
        return [.cancel(ended.call)] + proceed(now)
    }

    /// All attempts to establish the link have failed, or the user has disconnected.
    mutating func unreachable(now: Duration) -> [Action] {
        isUp = false
        let sent = running.map { [Action.cancel($0.call), .fail($0.call, .linkLost)] } ?? []
        let failed = waiting.map { Action.fail($0.call, .unreachable) }
        running = nil
        waiting = []
        return sent + failed + timerActions()
    }

    mutating func bluetoothChanged(isUsable: Bool, now: Duration) -> [Action] {
        guard isUsable != self.isUsable else { return [] }
        self.isUsable = isUsable
        for index in waiting.indices {
            waiting[index].deadline = isUsable ? nil : now + settings.replyTimeout
        }
        return timerActions()
    }

    mutating func timerFired(now: Duration) -> [Action] {
        timer = nil
        var actions: [Action] = []
        if let late = running, late.deadline <= now {
            running = nil
            actions += [.cancel(late.call), .fail(late.call, .timedOut)]
        }
        for late in waiting where late.deadline.map({ $0 <= now }) ?? false {
            actions.append(.fail(late.call, .unavailable))
        }
        waiting.removeAll { $0.deadline.map { $0 <= now } ?? false }
        return actions + proceed(now)
    }

    private mutating func change(
        until deadline: Duration,
        _ change: (inout RunningCall) -> Void
    ) -> [Action] {
        guard var call = running else { return [] }
        change(&call)
        call.deadline = deadline
        running = call
        return timerActions()
    }

    private mutating func proceed(_ now: Duration) -> [Action] {
        guard running == nil, !waiting.isEmpty else { return timerActions() }
        guard isUp else { return [.connect] + timerActions() }
        let next = waiting.removeFirst()
        running = RunningCall(call: next.call, deadline: now + settings.replyTimeout)
        return [.start(next.call)] + timerActions()
    }

    private mutating func timerActions() -> [Action] {
        let deadlines = waiting.compactMap(\.deadline) + (running.map { [$0.deadline] } ?? [])
        let next = deadlines.min()
        guard next != timer else { return [] }
        timer = next
        return [.setTimer(next)]
    }
}
