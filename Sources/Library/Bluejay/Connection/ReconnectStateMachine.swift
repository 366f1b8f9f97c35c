/// Decides when to reconnect.
///
/// Only an established connection is reestablished; if the user's own attempt fails, only the handler can
/// request another. Delays are relative, so the state machine needs no instants. Specified by the
/// documentation of `ReconnectOptions`.
struct ReconnectStateMachine: Equatable {
    enum Action: Equatable {
        /// Queue an attempt.
        case attempt
        /// Report `timerFired` after the delay; `nil` disarms the timer.
        case setTimer(Duration?)
        /// Notify observers of the next attempt and its delay; `nil` means until Bluetooth is available.
        case announceAttempt(attempt: Int, after: Duration?)
    }

    private enum State: Equatable {
        /// No connection to reestablish. Next: `established`, `pausing`, `waiting`.
        case idle
        /// Connected. Next: `idle`, `deciding`, `pausing`, `waiting`.
        case established
        /// Until an actor's handler has decided. Next: `pausing`, `waiting`, `established`, `idle`.
        case deciding(Int)
        /// Between two attempts. Next: `attempting`, `waiting`, `idle`.
        case pausing
        /// Until Bluetooth is available. Next: `attempting`, `idle`.
        case waiting
        /// An attempt is queued or running. Next: `established`, `pausing`, `waiting`, `deferred`, `idle`.
        case attempting
        /// Until the user's calls are done. Next: `attempting`, `waiting`, `idle`.
        case deferred
    }

    var options = ReconnectOptions()
    /// The public value `shouldAutoReconnect`.
    private(set) var shouldReconnect = true
    private var state = State.idle
    /// The number of consecutive attempts that failed, or whose link did not last.
    private var failures = 0
    /// Whether the current link was reestablished and has not yet lasted for `steadyTime`.
    private var isUnproven = false
    private var decisionCount = 0

    /// The time that a reestablished link must last before earlier failures are forgotten.
    static let steadyTime = Duration.seconds(5)

    /// Whether the connection will be reestablished, now or later.
    var isPending: Bool {
        switch state {
        case .deciding, .pausing, .waiting, .attempting, .deferred: true
        case .idle, .established: false
        }
    }

    /// Whether there is neither a connection nor a reconnection, and none can follow.
    var isIdle: Bool { state == .idle }

    mutating func connected() -> [Action] {
        isUnproven = state == .attempting
        state = .established
        shouldReconnect = true
        guard isUnproven else {
            failures = 0
            return [.setTimer(nil)]
        }
        return [.setTimer(Self.steadyTime)]
    }

    /// Cancels reconnection, for the user or at the end of the instance.
    mutating func cancel() -> [Action] {
        state = .idle
        return [.setTimer(nil)]
    }

    /// Records a requested disconnect while there is no connection.
    mutating func disconnected() -> [Action] {
        shouldReconnect = false
        failures = 0
        return cancel()
    }

    /// Records the end of a connection or attempt, and returns whether to reconnect by default.
    mutating func ended(_ end: QueueStateMachine.ConnectionEndReason) -> Bool {
        switch end {
        case .requested:
            shouldReconnect = false
            failures = 0
            return false
        case .lost:
            // A link that drops at once is no better than a failed attempt.
            if isUnproven { failures += 1 }
            isUnproven = false
            return shouldReconnect && allowsAnotherAttempt
        case .unavailable: return shouldReconnect && allowsAnotherAttempt
        case .attempt:
            guard state == .attempting else {
                // The user's failed first attempt is not a lost connection. If the handler requests another
                // attempt, it is the second.
                failures = 1
                return false
            }
            failures += 1
            return shouldReconnect && allowsAnotherAttempt
        }
    }

    /// Records that the handler decides later, and returns the number of its decision.
    mutating func handlerAsked() -> Int {
        decisionCount += 1
        state = .deciding(decisionCount)
        return decisionCount
    }

    /// Whether a decision is still wanted: a call of the user replaces it.
    func awaitsDecision(_ number: Int) -> Bool { state == .deciding(number) }

    /// Decides what follows the end of a connection or of an attempt.
    ///
    /// `decision` is the handler's change, if any; `willReconnect` is the value returned by `ended`.
    mutating func handlerDecided(
        _ end: QueueStateMachine.ConnectionEndReason,
        _ decision: Bool?,
        willReconnect: Bool,
        isAvailable: Bool
    ) -> [Action] {
        if let decision { shouldReconnect = decision }
        guard decision ?? willReconnect else { return cancel() }
        guard isAvailable else {
            state = .waiting
            return [.setTimer(nil), .announceAttempt(attempt: failures + 1, after: nil)]
        }
        state = .pausing
        let pause = options.delay(after: failures)
        return [.setTimer(pause), .announceAttempt(attempt: failures + 1, after: pause)]
    }

    /// Records the end of the delay, or that the link has lasted for `steadyTime`.
    mutating func timerFired() -> [Action] {
        if state == .established, isUnproven {
            isUnproven = false
            failures = 0
            return [.setTimer(nil)]
        }
        guard state == .pausing else { return [] }
        state = .attempting
        return [.setTimer(nil), .attempt]
    }

    /// Records that the attempt ended because Bluetooth is unavailable.
    mutating func suspended() {
        if state == .attempting || state == .deferred { state = .waiting }
    }

    /// Records that the attempt was cancelled, or did not start, in favor of a user's call.
    mutating func deferred() {
        if state == .attempting { state = .deferred }
    }

    /// Records that the user's calls are done.
    mutating func becameIdle() -> [Action] {
        guard state == .deferred else { return [] }
        state = .attempting
        return [.attempt]
    }

    mutating func becameUnavailable() -> [Action] {
        guard state == .pausing || state == .deferred else { return [] }
        state = .waiting
        return [.setTimer(nil)]
    }

    mutating func becameAvailable() -> [Action] {
        guard state == .waiting else { return [] }
        state = .attempting
        return [.attempt]
    }

    private var allowsAnotherAttempt: Bool { options.maximumAttempts.map { failures < $0 } ?? true }
}
