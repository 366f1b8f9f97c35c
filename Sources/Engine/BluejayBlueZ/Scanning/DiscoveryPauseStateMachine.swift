/// Decides how long discovery pauses for connection attempts: many controllers cannot do both well.
///
/// A pause lasts two seconds at most, also when an attempt goes on, and is followed by ten seconds in
/// which discovery is not paused again: who scans loses little by somebody who connects to a device that
/// is not there. Instants are arguments.
struct DiscoveryPauseStateMachine: Equatable {
    /// What to do.
    enum Action: Equatable {
        case pause
        case resume
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `pausing`.
        case scanning
        /// Next: `resting`, `scanning`.
        case pausing
        /// Next: `scanning`.
        case resting
    }

    static let longestPause = Duration.seconds(2)
    static let rest = Duration.seconds(10)

    private var state = State.scanning
    private var attempts = 0

    /// A connection attempt begins.
    mutating func attemptBegan(now: Duration) -> [Action] {
        attempts += 1
        guard state == .scanning else { return [] }
        state = .pausing
        return [.pause, .setTimer(now + Self.longestPause)]
    }

    /// A connection attempt has ended.
    mutating func attemptEnded() -> [Action] {
        attempts -= 1
        guard attempts == 0, state == .pausing else { return [] }
        state = .scanning
        return [.setTimer(nil), .resume]
    }

    /// The timer fired.
    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .scanning: return []
        case .pausing:
            state = .resting
            return [.resume, .setTimer(now + Self.rest)]
        case .resting:
            state = .scanning
            return [.setTimer(nil)]
        }
    }
}
