/// Decides when the bus is asked to start a bluetoothd that is missing.
///
/// The bus starts it for a message to its name only, and a client that waits for it sends none. Pauses
/// grow, also when a bluetoothd starts and dies at once. Instants are arguments.
struct ActivationStateMachine: Equatable {
    /// What the bus answered.
    enum Answer: Equatable {
        case accepted
        /// It could not start bluetoothd this time.
        case failed
        /// It does not know how to start bluetoothd.
        case unknown
    }

    /// What to do.
    enum Action: Equatable {
        /// Ask the bus to start bluetoothd, then report `answered` with the number.
        case ask(Int)
        /// Report `timerFired` after the delay; nil disarms it.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// bluetoothd is on the bus, or it is not known. Next: `asking`, `pausing`.
        case idle
        /// Next: `asking`, `idle`.
        case pausing
        /// Next: `pausing`, `hopeless`, `idle`.
        case asking(Int)
        /// Only another program starts it. Next: `idle`.
        case hopeless
    }

    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(60)
    /// A bluetoothd that ran for as long did not die of its start.
    static let steadyTime = Duration.seconds(60)

    private var state = State.idle
    private var pause = Self.firstPause
    private var foundAt: Duration?
    private var lastCall = 0

    /// bluetoothd is not on the bus.
    ///
    /// - Parameters:
    ///   - isFirst: Whether this is the first news of it: then the bus is asked at once.
    ///   - now: The present instant.
    /// - Returns: What to do.
    mutating func missing(isFirst: Bool, now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        if let foundAt, now - foundAt >= Self.steadyTime { pause = Self.firstPause }
        foundAt = nil
        return isFirst ? ask() : wait()
    }

    /// bluetoothd is on the bus.
    mutating func found(now: Duration) -> [Action] {
        state = .idle
        foundAt = now
        return [.setTimer(nil)]
    }

    /// The bus is gone.
    mutating func busLost() -> [Action] {
        state = .idle
        foundAt = nil
        return [.setTimer(nil)]
    }

    /// The bus answered.
    mutating func answered(_ call: Int, _ answer: Answer) -> [Action] {
        guard state == .asking(call) else { return [] }
        guard answer != .unknown else {
            state = .hopeless
            return []
        }
        // Also when it was started: it may have died before anybody saw it.
        return wait()
    }

    /// The timer fired.
    mutating func timerFired() -> [Action] { state == .pausing ? ask() : [] }

    private mutating func ask() -> [Action] {
        lastCall += 1
        state = .asking(lastCall)
        return [.ask(lastCall)]
    }

    private mutating func wait() -> [Action] {
        state = .pausing
        defer { pause = min(pause * 2, Self.longestPause) }
        return [.setTimer(pause)]
    }
}
