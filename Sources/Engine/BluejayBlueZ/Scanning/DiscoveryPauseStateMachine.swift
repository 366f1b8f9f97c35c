/// Pauses discovery for connection attempts, because many controllers cannot do both well.
///
/// A pause ends with its attempts, or after two seconds. If it ends after two seconds, no other pause
/// starts in the next ten. Attempts to reach an absent device therefore cost a scan little. The caller
/// passes the time.
struct DiscoveryPauseStateMachine: Equatable {
    enum Action: Equatable {
        case pause
        case resume
        /// Report `timerFired` at this time; `nil` disarms the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// Next: `pausing`.
        case scanning
        /// Next: `coolingDown`, `scanning`.
        case pausing
        /// Next: `scanning`.
        case coolingDown
    }

    static let pauseTimeout = Duration.seconds(2)
    static let cooldown = Duration.seconds(10)

    private var state = State.scanning
    private var attempts = 0

    mutating func attemptStarted(now: Duration) -> [Action] {
        attempts += 1
        guard state == .scanning else { return [] }
        state = .pausing
        return [.pause, .setTimer(now + Self.pauseTimeout)]
    }

    mutating func attemptEnded() -> [Action] {
        attempts -= 1
        guard attempts == 0, state == .pausing else { return [] }
        state = .scanning
        return [.setTimer(nil), .resume]
    }

    mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .scanning: return []
        case .pausing:
            state = .coolingDown
            return [.resume, .setTimer(now + Self.cooldown)]
        case .coolingDown:
            state = .scanning
            return [.setTimer(nil)]
        }
    }
}
