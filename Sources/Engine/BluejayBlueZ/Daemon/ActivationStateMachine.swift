/// Decides when to ask the bus to start a missing bluetoothd.
///
/// The bus starts bluetoothd only for a message to its name, and a client that waits for bluetoothd sends
/// none. The delays grow, even if bluetoothd starts and dies at once. Instants are arguments.
struct ActivationStateMachine: Equatable {
    enum Reply: Equatable {
        case accepted
        case failed
        /// The bus does not know how to start bluetoothd.
        case unknown
    }

    enum Action: Equatable {
        /// Request bluetoothd's start from the bus, then report `replied` with this number.
        case startService(Int)
        /// Report `timerFired` after the delay; nil disarms the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// bluetoothd is on the bus, or its presence is unknown. Next: `starting`, `pausing`.
        case idle
        /// Next: `starting`, `idle`.
        case pausing
        /// Next: `pausing`, `notActivatable`, `idle`.
        case starting(Int)
        /// Only another program can start bluetoothd. Next: `idle`.
        case notActivatable
    }

    static let firstPause = Duration.seconds(1)
    static let longestPause = Duration.seconds(60)
    /// The uptime after which a death of bluetoothd does not count as a failed start.
    static let steadyTime = Duration.seconds(60)

    private var state = State.idle
    private var pause = Self.firstPause
    private var foundAt: Duration?
    private var lastCall = 0

    /// bluetoothd is not on the bus; with `isFirst`, the bus is asked to start it at once.
    mutating func missing(isFirst: Bool, now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        if let foundAt, now - foundAt >= Self.steadyTime { pause = Self.firstPause }
        foundAt = nil
        return isFirst ? requestStart() : wait()
    }

    mutating func found(now: Duration) -> [Action] {
        state = .idle
        foundAt = now
        return [.setTimer(nil)]
    }

    mutating func busLost() -> [Action] {
        state = .idle
        foundAt = nil
        return [.setTimer(nil)]
    }

    mutating func replied(_ call: Int, _ reply: Reply) -> [Action] {
        guard state == .starting(call) else { return [] }
        guard reply != .unknown else {
            state = .notActivatable
            return []
        }
        // Even if bluetoothd was started: it may have died before its name appeared on the bus.
        return wait()
    }

    mutating func timerFired() -> [Action] { state == .pausing ? requestStart() : [] }

    private mutating func requestStart() -> [Action] {
        lastCall += 1
        state = .starting(lastCall)
        return [.startService(lastCall)]
    }

    private mutating func wait() -> [Action] {
        state = .pausing
        defer { pause = min(pause * 2, Self.longestPause) }
        return [.setTimer(pause)]
    }
}
