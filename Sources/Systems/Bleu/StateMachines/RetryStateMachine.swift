/// Decides when to connect to a peripheral, and when to give up.
///
/// After a failed attempt or a loss the machine retries, with pauses that double. If a call received a reply
/// on a link, or the link was up for `provenAfter`, its loss counts as the first one again.
struct RetryStateMachine: Equatable {
    struct Settings: Equatable {
        var initialDelay: Duration
        var maximumDelay: Duration
        var maximumRetryCount: Int
        var provenAfter = Duration.seconds(10)
    }

    enum Action: Equatable {
        /// Start an attempt; report `linked` or `failed`.
        case connect
        case release
        case report(ConnectionState)
        /// All attempts have failed.
        case reportUnreachable
        /// `nil` cancels the timer.
        case setTimer(Duration?)
    }

    private enum State: Equatable {
        /// → waiting, connecting
        case idle
        /// The link is requested, and Bluetooth is off. → connecting, idle
        case waiting
        /// → up, pausing, waiting, idle
        case connecting
        /// → connecting, waiting, idle
        case pausing(until: Duration)
        /// → pausing, waiting, idle
        case up(since: Duration)
    }

    private let settings: Settings
    private var state = State.idle
    private var isUsable: Bool
    private var failures = 0

    init(_ settings: Settings, isUsable: Bool) {
        self.settings = settings
        self.isUsable = isUsable
    }

    var isUp: Bool {
        if case .up = state { return true }
        return false
    }

    var isIdle: Bool { state == .idle }

    var connectionState: ConnectionState {
        switch state {
        case .idle: .disconnected
        case .waiting, .connecting, .pausing: .connecting
        case .up: .connected
        }
    }

    /// A call or the user needs the link.
    mutating func connect() -> [Action] {
        guard state == .idle else { return [] }
        failures = 0
        return [.report(.connecting)] + startAttempt()
    }

    mutating func linked(now: Duration) -> [Action] {
        guard state == .connecting else { return [] }
        state = .up(since: now)
        return [.report(.connected)]
    }

    mutating func failed(now: Duration) -> [Action] {
        state == .connecting ? retry(now) : []
    }

    mutating func lost(now: Duration) -> [Action] {
        guard case .up(let since) = state else { return [] }
        if now - since >= settings.provenAfter { failures = 0 }
        return [.report(.connecting)] + retry(now)
    }

    /// The peripheral has replied to a call on the link.
    mutating func callSucceeded() {
        if isUp { failures = 0 }
    }

    /// Bluetooth became usable or unusable.
    mutating func bluetoothChanged(isUsable: Bool) -> [Action] {
        guard isUsable != self.isUsable else { return [] }
        self.isUsable = isUsable
        switch (state, isUsable) {
        case (.idle, _): return []
        case (_, true): return startAttempt()
        case (.up, false):
            state = .waiting
            return [.setTimer(nil), .release, .report(.connecting)]
        case (_, false):
            state = .waiting
            return [.setTimer(nil), .release]
        }
    }

    mutating func timerFired(now: Duration) -> [Action] {
        guard case .pausing(let end) = state, now >= end else { return [] }
        return startAttempt()
    }

    /// The user disconnects, or the last user of the link has ended.
    mutating func disconnect() -> [Action] {
        guard state != .idle else { return [] }
        state = .idle
        return [.setTimer(nil), .release]
    }

    private mutating func startAttempt() -> [Action] {
        state = isUsable ? .connecting : .waiting
        return isUsable ? [.connect] : []
    }

    private mutating func retry(_ now: Duration) -> [Action] {
        guard failures < settings.maximumRetryCount else {
            state = .idle
            return [.release, .reportUnreachable, .report(.disconnected)]
        }
        let delay = settings.initialDelay * (1 << min(failures, 30))
        failures += 1
        // Attempts that fail at once must not occupy the processor.
        let end = now + max(min(delay, settings.maximumDelay), .milliseconds(5))
        state = .pausing(until: end)
        return [.release, .setTimer(end)]
    }
}
