/// Decides when a lost connection is made again.
///
/// A connection is a candidate once it was there; an attempt that the user asked for and that failed is
/// not, unless the handler says so. Instants are the runner's business: delays are relative. Specified by
/// the documentation of `ReconnectOptions`.
struct ReconnectStateMachine: Equatable {
    /// What to do.
    enum Action: Equatable {
        /// Queue an attempt.
        case attempt
        /// Report `timerFired` after the delay; nil disarms it.
        case setTimer(Duration?)
        /// Tell the observers which attempt comes, and after which pause; nil is when Bluetooth is there.
        case tell(attempt: Int, after: Duration?)
    }

    private enum State: Equatable {
        /// Nothing to make again. Next: `established`, `pausing`, `waiting`.
        case idle
        /// The connection is there. Next: `idle`, `pausing`, `waiting`.
        case established
        /// Between two attempts. Next: `attempting`, `waiting`, `idle`.
        case pausing
        /// Until Bluetooth can be used. Next: `attempting`, `idle`.
        case waiting
        /// An attempt is queued or running. Next: `established`, `pausing`, `waiting`, `yielding`, `idle`.
        case attempting
        /// Until what the user has asked for is done. Next: `attempting`, `waiting`, `idle`.
        case yielding
    }

    /// How often and how soon.
    var options = ReconnectOptions()
    /// What users see as `shouldAutoReconnect`.
    private(set) var isWanted = true
    private var state = State.idle
    /// Attempts in a row that failed, or whose link did not last.
    private var failures = 0
    /// Whether the present link was made again and has not lasted for `steadyTime` yet.
    private var isUnproven = false

    /// How long a link that was made again has to last before the failures before it are forgotten.
    static let steadyTime = Duration.seconds(5)

    /// Whether a connection is to be made again, now or later.
    var isPending: Bool {
        switch state {
        case .pausing, .waiting, .attempting, .yielding: true
        case .idle, .established: false
        }
    }

    /// Whether there is no connection, and none that is to be made again or may be.
    var isIdle: Bool { state == .idle }

    /// A connection is there.
    mutating func connected() -> [Action] {
        isUnproven = state == .attempting
        state = .established
        isWanted = true
        guard isUnproven else {
            failures = 0
            return [.setTimer(nil)]
        }
        return [.setTimer(Self.steadyTime)]
    }

    /// The user, or the end of everything, wants no connection.
    mutating func cancel() -> [Action] {
        state = .idle
        return [.setTimer(nil)]
    }

    /// The user has asked for a disconnect while there is no connection.
    mutating func disconnected() -> [Action] {
        isWanted = false
        failures = 0
        return cancel()
    }

    /// Whether an attempt follows, unless the handler says otherwise.
    mutating func ended(_ end: QueueStateMachine.End) -> Bool {
        switch end {
        case .requested:
            isWanted = false
            failures = 0
            return false
        case .lost:
            // A link that drops at once is no better than an attempt that failed.
            if isUnproven { failures += 1 }
            isUnproven = false
            return isWanted && allowsAnother
        case .unavailable: return isWanted && allowsAnother
        case .attempt:
            guard state == .attempting else {
                // The first attempt of the user is no lost connection. When the handler wants another
                // one all the same, it is the second.
                failures = 1
                return false
            }
            failures += 1
            return isWanted && allowsAnother
        }
    }

    /// What follows the end of a connection or of an attempt.
    ///
    /// - Parameters:
    ///   - end: The same as for `ended`.
    ///   - decision: What the handler changed it to; nil is no change.
    ///   - willReconnect: What `ended` answered.
    ///   - isAvailable: Whether Bluetooth can be used.
    /// - Returns: What to do.
    mutating func decided(
        _ end: QueueStateMachine.End,
        _ decision: Bool?,
        willReconnect: Bool,
        isAvailable: Bool
    ) -> [Action] {
        if let decision { isWanted = decision }
        guard decision ?? willReconnect else { return cancel() }
        guard isAvailable else {
            state = .waiting
            return [.setTimer(nil), .tell(attempt: failures + 1, after: nil)]
        }
        state = .pausing
        let pause = options.delay(after: failures)
        return [.setTimer(pause), .tell(attempt: failures + 1, after: pause)]
    }

    /// The pause is over, or the link has lasted for `steadyTime`.
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

    /// The attempt ended because Bluetooth cannot be used.
    mutating func interrupted() {
        if state == .attempting || state == .yielding { state = .waiting }
    }

    /// The attempt was taken back, or did not begin, for something that the user has asked for.
    mutating func yielded() {
        if state == .attempting { state = .yielding }
    }

    /// What the user has asked for is done.
    mutating func becameIdle() -> [Action] {
        guard state == .yielding else { return [] }
        state = .attempting
        return [.attempt]
    }

    /// Bluetooth cannot be used.
    mutating func becameUnavailable() -> [Action] {
        guard state == .pausing || state == .yielding else { return [] }
        state = .waiting
        return [.setTimer(nil)]
    }

    /// Bluetooth can be used.
    mutating func becameAvailable() -> [Action] {
        guard state == .waiting else { return [] }
        state = .attempting
        return [.attempt]
    }

    private var allowsAnother: Bool { options.limit.map { failures < $0 } ?? true }
}
