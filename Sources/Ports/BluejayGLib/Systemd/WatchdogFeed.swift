/// The period of the messages for systemd's watchdog.
enum WatchdogPeriod {
    /// Returns half of the limit, or `nil` if there is no watchdog for this process.
    ///
    /// - Parameters:
    ///   - limit: `WATCHDOG_USEC`, in microseconds.
    ///   - process: `WATCHDOG_PID`; without it, the watchdog is for any process of the unit.
    ///   - ownProcess: The number of this process.
    /// - Returns: The period, at least 1 ms.
    static func period(limit: String?, process: String?, ownProcess: Int32) -> Duration? {
        if let process, Int32(process) != ownProcess { return nil }
        // systemd's infinity is the highest number.
        guard let limit = limit.flatMap({ UInt64($0) }), limit > 0, limit < .max else { return nil }
        return max(.milliseconds(1), .microseconds(Int64(limit / 2)))
    }
}

/// Sends the messages for systemd's watchdog from a main loop.
// Used on its context only; `isStopped` may be set from any thread. That invariant justifies `@unchecked`.
final class WatchdogFeed: @unchecked Swift.Sendable {
    private let context: MainContext
    private let period: Duration
    private let send: () -> Void
    private let isStopped = LockedValue(false)
    private var clock: (any EventClock)?
    private var timer: ScheduledTimer?

    init(on context: MainContext, every period: Duration, _ send: @escaping () -> Void) {
        self.context = context
        self.period = period
        self.send = send
    }

    /// Sends the first message, and then one in each period; called on the context.
    func start(_ makeClock: (MainContext) -> any EventClock) {
        clock = makeClock(context)
        feed()
    }

    /// Ends the messages; any thread may call it.
    func stop() {
        isStopped.value = true
    }

    private func feed() {
        guard !isStopped.value else { return }
        send()
        timer = clock?.schedule(after: period) { [weak self] in self?.feed() }
    }
}
