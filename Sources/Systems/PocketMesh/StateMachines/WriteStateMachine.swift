internal import DequeModule

/// Orders what is sent: first in, first out, one on its way at a time, each with a time of its own.
///
/// Instants are arguments. An answer names its write: one that comes behind its time is nobody's.
///
/// Invariant: each write is completed once, and those that are sent are completed in their order.
struct WriteStateMachine: Equatable {
    typealias Write = Int

    struct Settings: Equatable {
        /// From a write's turn on.
        var timeout = Duration.seconds(5)
        /// Between the end of one and the turn of the next.
        var pacing = Duration.zero
    }

    enum Outcome: Equatable {
        case sent
        case failed(BLEError)
        case cancelled
    }

    /// What to do.
    enum Action: Equatable {
        /// Report `answered`.
        case send(Write)
        /// Nobody waits for its answer any more: take it back if it has not begun.
        case withdraw(Write)
        case complete(Write, Outcome)
        /// Report `timerFired` at the instant; nil disarms the one timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Nothing can be sent. Next: `free`.
        case closed
        /// Nothing is on its way. Next: `sending`, `closed`.
        case free
        /// Until the deadline; who was cancelled is not told again. Next: `free`, `pacing`, `closed`.
        case sending(Write, until: Duration, isTold: Bool)
        /// Next: `sending`, `free`, `closed`.
        case pacing(until: Duration)
    }

    private let settings: Settings
    private var state = State.closed
    private var waiting: Deque<Write> = []
    private var armed: Duration?

    init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Whether nothing waits and nothing is on its way.
    var isIdle: Bool { (state == .free || state == .closed) && waiting.isEmpty }

    /// There is a connection.
    mutating func open() {
        if state == .closed { state = .free }
    }

    /// The connection has gone: everything fails, in its order.
    mutating func close() -> [Action] {
        var actions: [Action] = []
        if case .sending(let write, _, let isTold) = state {
            actions.append(.withdraw(write))
            if !isTold { actions.append(.complete(write, .failed(.notConnected))) }
        }
        actions += waiting.map { .complete($0, .failed(.notConnected)) }
        waiting = []
        state = .closed
        return actions + rearm()
    }

    mutating func enqueue(_ write: Write, now: Duration) -> [Action] {
        guard state != .closed else { return [.complete(write, .failed(.notConnected))] }
        waiting.append(write)
        return next(now) + rearm()
    }

    /// The radio has it, or refuses it.
    mutating func answered(_ write: Write, _ error: BLEError?, now: Duration) -> [Action] {
        guard case .sending(write, _, let isTold) = state else { return [] }
        let outcome = error.map { Outcome.failed($0) } ?? .sent
        let told: [Action] = isTold ? [] : [.complete(write, outcome)]
        return told + proceed(now)
    }

    /// Who sent it waits no more.
    mutating func cancel(_ write: Write) -> [Action] {
        if case .sending(write, let until, isTold: false) = state {
            // If it is on its way it keeps its turn.
            state = .sending(write, until: until, isTold: true)
            return [.withdraw(write), .complete(write, .cancelled)]
        }
        guard let place = waiting.firstIndex(of: write) else { return [] }
        waiting.remove(at: place)
        return [.complete(write, .cancelled)]
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        switch state {
        case .sending(let write, let until, let isTold):
            guard until <= now else { return rearm() }
            let told: [Action] = isTold ? [] : [.complete(write, .failed(.operationTimeout))]
            return [.withdraw(write)] + told + proceed(now)
        case .pacing(let until):
            guard until <= now else { return rearm() }
            state = .free
            return next(now) + rearm()
        case .closed, .free: return []
        }
    }

    // MARK: Steps

    private mutating func proceed(_ now: Duration) -> [Action] {
        state = settings.pacing > .zero ? .pacing(until: now + settings.pacing) : .free
        return next(now) + rearm()
    }

    private mutating func next(_ now: Duration) -> [Action] {
        guard state == .free, let write = waiting.popFirst() else { return [] }
        state = .sending(write, until: now + settings.timeout, isTold: false)
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
