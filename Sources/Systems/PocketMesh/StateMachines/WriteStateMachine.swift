internal import DequeModule

/// The queue of values to send: first in, first out, one at a time, each with its own time limit.
///
/// Instants are arguments. A reply names its write; a late reply is ignored.
///
/// Invariant: each write is completed once, and sent writes are completed in their order.
struct WriteStateMachine: Equatable {
    typealias Write = Int

    enum Outcome: Equatable {
        case sent
        case failed(BLEError)
        case cancelled
    }

    enum Action: Equatable {
        /// Report `replied`.
        case send(Write)
        /// The caller no longer waits for the reply: cancel the write if it has not started.
        case cancel(Write)
        case complete(Write, Outcome)
        /// Report `timerFired` at the instant; `nil` disarms the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Writes are rejected. Next: `free`.
        case closed
        /// No write is in progress. Next: `sending`, `closed`.
        case free
        /// A write is in progress; `isReported` if its caller was notified already. Next: `free`, `pacing`,
        /// `closed`.
        case sending(Write, until: Duration, isReported: Bool)
        /// Next: `sending`, `free`, `closed`.
        case pacing(until: Duration)
    }

    private let settings: RadioSettings
    private var state = State.closed
    private var queue: Deque<Write> = []
    private var armed: Duration?

    init(_ settings: RadioSettings = RadioSettings()) {
        self.settings = settings
    }

    var isIdle: Bool { (state == .free || state == .closed) && queue.isEmpty }

    /// Accepts writes, for a new connection.
    mutating func open() {
        if state == .closed { state = .free }
    }

    /// Fails all writes in their order, after the end of the connection.
    mutating func close() -> [Action] {
        var actions: [Action] = []
        if case .sending(let write, _, let isReported) = state {
            actions.append(.cancel(write))
            if !isReported { actions.append(.complete(write, .failed(.notConnected))) }
        }
        actions += queue.map { .complete($0, .failed(.notConnected)) }
        queue = []
        state = .closed
        return actions + rearm()
    }

    mutating func enqueue(_ write: Write, now: Duration) -> [Action] {
        guard state != .closed else { return [.complete(write, .failed(.notConnected))] }
        queue.append(write)
        return next(now) + rearm()
    }

    mutating func replied(_ write: Write, _ error: BLEError?, now: Duration) -> [Action] {
        guard case .sending(write, _, let isReported) = state else { return [] }
        let outcome = error.map { Outcome.failed($0) } ?? .sent
        let completions: [Action] = isReported ? [] : [.complete(write, outcome)]
        return completions + proceed(now)
    }

    mutating func cancel(_ write: Write) -> [Action] {
        if case .sending(write, let until, isReported: false) = state {
            // A write in progress keeps its turn.
            state = .sending(write, until: until, isReported: true)
            return [.cancel(write), .complete(write, .cancelled)]
        }
        guard let index = queue.firstIndex(of: write) else { return [] }
        queue.remove(at: index)
        return [.complete(write, .cancelled)]
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        switch state {
        case .sending(let write, let until, let isReported):
            guard until <= now else { return rearm() }
            let completions: [Action] =
                isReported ? [] : [.complete(write, .failed(.operationTimeout))]
            return [.cancel(write)] + completions + proceed(now)
        case .pacing(let until):
            guard until <= now else { return rearm() }
            state = .free
            return next(now) + rearm()
        case .closed, .free: return []
        }
    }

    // MARK: Steps

    private mutating func proceed(_ now: Duration) -> [Action] {
        let pause = settings.writePacingDelay
        state = pause > .zero ? .pacing(until: now + pause) : .free
        return next(now) + rearm()
    }

    private mutating func next(_ now: Duration) -> [Action] {
        guard state == .free, let write = queue.popFirst() else { return [] }
        state = .sending(write, until: now + settings.writeTimeout, isReported: false)
        return [.send(write)]
    }

    private mutating func rearm() -> [Action] {
        let next: Duration? =
            switch state {
            case .sending(_, let until, _), .pacing(let until): until
            case .closed, .free: nil
            }
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
